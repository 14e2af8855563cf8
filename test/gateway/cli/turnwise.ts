import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestContext } from 'node:test'

/** The real command, as a person would start it. */
export const PROGRAM: string = join(import.meta.dirname, '../../../bin/turnwise')

export type Ran = {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

/** A workspace that does not exist yet, and is gone after the test. */
export function tempHome(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-cli-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'home')
}

/** An Ollama that may run on the tester's machine is none of a test's business; nobody listens on this port. */
const NOBODY = '127.0.0.1:9'

/** Nothing of the tester's own settings may leak into a test. */
export function cleanEnvironment(home: string, extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(TURNWISE_|ANTHROPIC_|OPENAI_|OPENROUTER_|OLLAMA_|NO_COLOR|FORCE_COLOR|NODE_)/.test(name),
  )
  return { ...Object.fromEntries(own), OLLAMA_HOST: NOBODY, TURNWISE_HOME: home, TURNWISE_DEMO_DELAY_MS: '0', ...extra }
}

export type RunOptions = {
  readonly home: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** Gives the command a pipe that nobody ever writes to or closes. */
  readonly idleInput?: boolean
}

/** A command under way, with what it has printed so far. */
export type Running = {
  readonly child: ChildProcess
  readonly printed: () => string
  /** When stdout holds this text, or the command has ended without it. */
  readonly says: (text: string) => Promise<void>
  readonly ended: Promise<Ran>
}

export function start(args: readonly string[], { home, env, input, idleInput }: RunOptions): Running {
  const stdin = input === undefined && idleInput !== true ? 'ignore' : 'pipe'
  const child = spawn(PROGRAM, args, { env: cleanEnvironment(home, env), stdio: [stdin, 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', text => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', text => {
    stderr += text
  })
  if (input !== undefined) child.stdin?.end(input)
  const ended = once(child, 'close').then(([code, signal]) => {
    child.stdin?.destroy()
    return { code, signal, stdout, stderr } as Ran
  })
  const says = async (text: string): Promise<void> => {
    let over = false
    const end = ended.then(() => {
      over = true
    })
    while (!stdout.includes(text)) {
      if (over) throw new Error(`it ended without saying ${JSON.stringify(text)}: ${stdout}${stderr}`)
      await Promise.race([new Promise(resolve => child.stdout?.once('data', resolve)), end])
    }
  }
  return { child, printed: () => stdout, says, ended }
}

export const turnwise = (args: readonly string[], options: RunOptions): Promise<Ran> => start(args, options).ended

export type Gateway = { readonly url: string; readonly running: Running; readonly stop: () => Promise<Ran> }

/** A gateway on a free port; stopped with the test at the latest. */
export async function serve(t: TestContext, options: RunOptions): Promise<Gateway> {
  const running = start(['serve'], { ...options, env: { TURNWISE_PORT: '0', ...options.env } })
  const stop = (): Promise<Ran> => {
    running.child.kill('SIGTERM')
    return running.ended
  }
  t.after(stop)
  await running.says('listening on http://')
  return { url: /http:\/\/[\d.:]+/.exec(running.printed())?.[0] ?? '', running, stop }
}

export type RunFile = { readonly url: string; readonly pid: number; readonly token: string | null }

export const runFileOf = (home: string): RunFile => JSON.parse(readFileSync(join(home, 'run.json'), 'utf8')) as RunFile

type Listed = { readonly id: string; readonly messages: number }

/** Every session, newest first; read from the file, which costs less than a command. */
export function sessionsOf({ home }: RunOptions): readonly Listed[] {
  const db = new DatabaseSync(join(home, 'turnwise.db'), { readOnly: true })
  const found = db.prepare('select id, messages from sessions order by updated_at desc').all() as Listed[]
  db.close()
  return found
}

/** The session that was used last. */
export function newestSession(options: RunOptions): string {
  const [newest] = sessionsOf(options)
  if (newest === undefined) throw new Error('there is no session')
  return newest.id
}
