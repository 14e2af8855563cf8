// Runs one program without a shell, within limits of time and output.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as after } from 'node:timers/promises'
import { decoded } from './bound-output.ts'
import { type Capture, createCapture, NOTHING } from './capture.ts'
import { unstartedBy } from './confine.ts'
import { MARKER } from './environment.ts'
import type { End, Ran } from './outcome.ts'
import { signalGroup, sweep } from './sweep.ts'

/** A program to run. It is never a text for a shell. */
export type ProcessCommand = {
  /** Words before the program that confine it; see `confinement`. */
  readonly wrapper: readonly string[]
  readonly path: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly timeoutMs: number
}

/** How much is kept of each end of stdout and stderr: a MiB altogether. */
const KEPT_BYTES = 256 * 1024
const FLOOD_BYTES = 64 * 1024 * 1024
/** The time between asking a process to end and killing it. With what follows, a cancelled call is over within a second. */
const TERM_MS = 500
const KILL_MS = 300
/** How long to wait for the output of a finished process. A grandchild may keep the pipe open for ever. */
const DRAIN_MS = 100
/** A timer that lost its race must not keep the process alive. */
const QUIETLY = { ref: false }

/**
 * Runs a program to its end, or ends it. When the promise settles, none of its processes is left. Call it from the main
 * thread only.
 */
export async function execute(command: ProcessCommand, signal: AbortSignal): Promise<Ran> {
  if (signal.aborted) return withoutOutput({ kind: 'cancelled' })
  const mark = randomBytes(16).toString('hex')
  const child = start(command, mark)
  if ('kind' in child) return withoutOutput(child)
  const { pid } = child
  if (pid === undefined) return withoutOutput(await exitOf(child))

  const [stdout, stderr] = [createCapture(KEPT_BYTES), createCapture(KEPT_BYTES)]
  using limits = watch(child, stdout, stderr, command.timeoutMs, signal)
  const exit = exitOf(child)
  const closed = once(child, 'close').then(() => undefined)
  const halt = await Promise.race([exit.then(() => undefined), limits.reached])
  if (halt !== undefined) await stop(pid, exit, halt)
  await Promise.race([closed, after(DRAIN_MS, undefined, QUIETLY)])
  child.stdout?.destroy()
  child.stderr?.destroy()
  await sweep(pid, mark)
  return withStartFailure({ end: halt ?? (await exit), stdout: stdout.captured(), stderr: stderr.captured() }, command)
}

const withoutOutput = (end: End): Ran => ({ end, stdout: NOTHING, stderr: NOTHING })

/** Starts the program in its own process group, so that the processes it starts can be ended with it. */
function start({ wrapper, path, args, cwd, env }: ProcessCommand, mark: string): ChildProcess | End {
  const [file = path, ...rest] = [...wrapper, path, ...args]
  try {
    return spawn(file, rest, {
      cwd,
      env: { ...env, [MARKER]: mark },
      shell: false,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  } catch (cause) {
    return { kind: 'unstarted', code: (cause as NodeJS.ErrnoException).code ?? (cause as Error).message }
  }
}

/** A program that cannot be started reports an error instead of an exit. */
function exitOf(child: ChildProcess): Promise<End> {
  return new Promise(resolve => {
    child.on('error', (cause: NodeJS.ErrnoException) => resolve({ kind: 'unstarted', code: cause.code ?? cause.message }))
    child.once('exit', (code, signal) =>
      resolve(signal === null ? { kind: 'exit', code: code ?? 0 } : { kind: 'signal', signal }),
    )
  })
}

type Limits = Disposable & { readonly reached: Promise<End> }

/** Watches a process, and says when it must be stopped: it is late, it writes too much, or the call was cancelled. */
function watch(child: ChildProcess, stdout: Capture, stderr: Capture, timeoutMs: number, signal: AbortSignal): Limits {
  const { promise: reached, resolve } = Promise.withResolvers<End>()
  const listen = (capture: Capture) => (chunk: Buffer) => {
    capture.add(chunk)
    if (stdout.bytes() + stderr.bytes() > FLOOD_BYTES) resolve({ kind: 'flood', bytes: FLOOD_BYTES })
  }
  // A broken pipe counts as ended.
  for (const [stream, capture] of [
    [child.stdout, stdout],
    [child.stderr, stderr],
  ] as const)
    stream?.on('data', listen(capture)).on('error', () => stream.destroy())
  const timer = setTimeout(() => resolve({ kind: 'timeout', afterMs: timeoutMs }), timeoutMs)
  const cancel = (): void => resolve({ kind: 'cancelled' })
  signal.addEventListener('abort', cancel)
  return {
    reached,
    [Symbol.dispose]: () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
    },
  }
}

async function stop(leader: number, exit: Promise<End>, { kind }: End): Promise<void> {
  const over = exit.then(() => true)
  if (kind !== 'flood') {
    signalGroup(leader, 'SIGTERM')
    if (await Promise.race([over, after(TERM_MS, false, QUIETLY)])) return
  }
  signalGroup(leader, 'SIGKILL')
  await Promise.race([over, after(KILL_MS, undefined, QUIETLY)])
}

/** Behind a wrapper, a program that could not be started looks like one that ended with the wrapper's complaint. */
function withStartFailure(ran: Ran, { wrapper }: ProcessCommand): Ran {
  if (ran.end.kind !== 'exit') return ran
  const code = unstartedBy(wrapper, ran.end.code, decoded(ran.stderr.front))
  return code === undefined ? ran : withoutOutput({ kind: 'unstarted', code })
}
