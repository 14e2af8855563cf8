import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'

const root = dirname(dirname(dirname(import.meta.dirname)))

/** A real gateway in a process and a workspace of its own. */
export type Gateway = {
  readonly url: string
  readonly stop: () => Promise<void>
  /** Dies without a word, as in a power cut. */
  readonly crash: () => Promise<void>
  /** Starts anew at the same address, on what the last one left. */
  readonly again: (environment?: Environment) => Promise<void>
}

type Environment = Readonly<Record<string, string>>

/** Makes sure that what is tested is what the sources say. */
export function buildPage(): void {
  const built = spawnSync(process.execPath, ['scripts/build-web.ts'], { cwd: root, encoding: 'utf8' })
  if (built.status !== 0) throw new Error(`the page could not be built: ${built.stderr}`)
}

/**
 * `settings` are those of its workspace, which is new all the same where there are none; `prepare` may put something into it
 * before the start, such as a long chat.
 */
export async function startGateway(
  environment: Environment = {},
  settings?: object,
  prepare?: (home: string) => Promise<void>,
): Promise<Gateway> {
  const folder = await mkdtemp(join(tmpdir(), 'turnwise-page-'))
  const home = join(folder, 'home')
  if (settings !== undefined) {
    await mkdir(home)
    // A machine that stands still for a moment is no store that is away.
    const patient = { limits: { historyMs: 20_000 } }
    await writeFile(join(home, 'turnwise.json'), JSON.stringify({ ...patient, ...settings }))
  }
  await prepare?.(home)
  const run = (port: string, more: Environment = {}): ChildProcess =>
    spawn(process.execPath, ['src/main.ts', 'serve'], {
      cwd: root,
      env: { ...process.env, TURNWISE_HOME: home, TURNWISE_PORT: port, TURNWISE_DEMO_DELAY_MS: '5', ...environment, ...more },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  let child = run('0')
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }
  const stop = async (): Promise<void> => {
    await end('SIGTERM')
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const url = await addressOf(child)
    return {
      url,
      stop,
      crash: () => end('SIGKILL'),
      again: async more => {
        child = run(new URL(url).port, more)
        await addressOf(child)
      },
    }
  } catch (cause) {
    await stop()
    throw cause
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('the gateway has no voice')
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /listening on (http:\/\/\S+)/.exec(line)?.[1]
    if (url !== undefined) return url
  }
  throw new Error('the gateway ended before it listened')
}
