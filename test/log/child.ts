import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Log } from '../../src/log/ports.ts'
import type { Fault } from '../../src/model/fault.ts'
import type { Result } from '../../src/model/result.ts'

/** Another process, heard line by line; it does not outlive its test. */
export type Child = {
  readonly process: ChildProcess
  /** The next line it says; nothing when it has ended. */
  readonly line: () => Promise<string | undefined>
  readonly say: (line: string) => void
  readonly kill: () => Promise<void>
  /** Everything it has said to stderr. */
  readonly complaints: () => string
}

/** Starts a script that stands beside this one. */
export function start(t: TestContext, script: string, ...args: readonly string[]): Child {
  const child = spawn(process.execPath, [fileURLToPath(new URL(script, import.meta.url)), ...args])
  return heard(t, child)
}

export function heard(t: TestContext, child: ChildProcess): Child {
  const ended = once(child, 'close')
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  t.after(kill)
  let complaints = ''
  child.stderr?.setEncoding('utf8').on('data', text => {
    complaints += text
  })
  const lines = linesOf(child)
  return {
    process: child,
    line: async () => (await lines.next()).value,
    say: line => void child.stdin?.write(`${line}\n`),
    kill,
    complaints: () => complaints,
  }
}

/** A log in another process, with the verbs it has here. */
export type Companion = Child & {
  readonly opened: Result<null, Fault>
  readonly ask: <Verb extends Exclude<keyof Log, 'grants' | 'recall' | 'memory' | 'nodes'>>(
    verb: Verb,
    ...args: Parameters<Log[Verb]>
  ) => Promise<Awaited<ReturnType<Log[Verb]>>>
}

export async function companion(t: TestContext, file: string, mode: 'write' | 'read-only' = 'write'): Promise<Companion> {
  const child = start(t, './companion.ts', file, mode)
  const next = async (): Promise<never> => {
    const line = await child.line()
    if (line === undefined) throw new Error(`the companion is gone: ${child.complaints()}`)
    return JSON.parse(line) as never
  }
  const opened = await next()
  return {
    ...child,
    opened,
    ask: (verb, ...args) => {
      child.say(JSON.stringify({ verb, args }))
      return next()
    },
  }
}

async function* linesOf({ stdout }: ChildProcess): AsyncGenerator<string, undefined> {
  let rest = ''
  for await (const chunk of stdout?.setEncoding('utf8') ?? []) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  return undefined
}
