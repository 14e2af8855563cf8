// Starts an MCP server as a process and talks through its pipes.
import { type ChildProcess, spawn } from 'node:child_process'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'

/** How a server's process is started: without a shell, and only with the given environment. */
export type Launch = {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly directory: string
  /** Receives what the process writes to its error output, and nothing once the process is gone. */
  readonly onComplaint?: (chunk: Buffer) => void
}

/** The library tells a pipe from a network by `pid` and `stderr`. */
export type ProcessTransport = Transport & {
  readonly pid: number | null
  readonly stderr: null
  /** How the process ended, once it has. */
  readonly ending: () => string | undefined
}

type Library = typeof import('@modelcontextprotocol/client')

/** The longest message, which is one line. A longer one ends the connection. */
const MOST_BYTES = 8 * 1024 * 1024
/** A pipe gives far less at once. */
const MOST_AT_ONCE = 1024 * 1024
const LINE_FEED = 10
const GRACE_MS = 1000
const CHATTY_BYTES = 16 * 1024
const CHATTY_PAUSE_MS = 20

/**
 * Talks with a server through the pipes of a process. The library's own transport hands more of our environment to the child
 * than its caller asked for, starts no process group, and does not wait for the processes it kills.
 */
export function createProcessTransport({ ReadBuffer, serializeMessage }: Library, launch: Launch): ProcessTransport {
  let child: ChildProcess | undefined
  let ending: string | undefined
  let isGone = false
  const gone = Promise.withResolvers<void>()
  const incoming = new ReadBuffer({ maxBufferSize: MOST_BYTES + MOST_AT_ONCE })
  // The library copies all it has with every piece, so it is given whole lines.
  let pieces: Buffer[] = []
  let waiting = 0

  const hear = (chunk: Buffer): void => {
    pieces.push(chunk)
    waiting += chunk.length
    try {
      if (waiting > MOST_BYTES) throw new Error('a message is too long')
      if (!chunk.includes(LINE_FEED)) return
      incoming.append(Buffer.concat(pieces))
    } catch (cause) {
      ending = 'it sent a message that is too long'
      transport.onerror?.(cause as Error)
      killGroup(child)
      return
    }
    pieces = []
    waiting = 0
    for (let message = next(); message !== null; message = next()) transport.onmessage?.(message)
  }
  const next = (): JSONRPCMessage | null => {
    for (;;) {
      try {
        return incoming.readMessage()
      } catch (cause) {
        // The line is JSON but no message; the next one may be.
        transport.onerror?.(cause as Error)
      }
    }
  }
  const end = (): void => {
    if (isGone) return
    isGone = true
    LIVING.delete(child)
    incoming.clear()
    gone.resolve()
    transport.onclose?.()
  }

  const transport: ProcessTransport = {
    stderr: null,
    get pid() {
      return child?.pid ?? null
    },
    ending: () => ending,
    start: () =>
      new Promise((resolve, reject) => {
        const { command, args, env, directory, onComplaint = () => undefined } = launch
        const started = spawn(command, args, { env, cwd: directory, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
        child = started
        started.once('spawn', () => {
          LIVING.add(started)
          resolve()
        })
        started.on('error', cause => {
          reject(cause)
          if (started.pid === undefined) end()
        })
        started.once('exit', (code, signal) => {
          ending ??= signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`
          // The process's helpers end with it. One that left the group and still has the pipe open is not waited for.
          killGroup(started)
          const patience = setTimeout(() => {
            started.stdout?.destroy()
            started.stderr?.destroy()
          }, GRACE_MS)
          started.once('close', () => clearTimeout(patience))
        })
        started.once('close', end)
        started.stdin.on('error', () => undefined)
        started.stdout.on('error', () => undefined)
        started.stdout.on('data', hear)
        // It is read even if it is not kept, because a process whose pipe is full stands still.
        started.stderr.on('error', () => undefined)
        started.stderr.on('data', (chunk: Buffer) => {
          onComplaint(chunk)
          if (chunk.length < CHATTY_BYTES) return
          // One that writes without end must not keep everyone else waiting.
          started.stderr.pause()
          setTimeout(() => started.stderr.resume(), CHATTY_PAUSE_MS).unref()
        })
      }),
    send: message =>
      new Promise((resolve, reject) => {
        if (child?.stdin?.writable !== true) reject(new Error('it reads no more'))
        else child.stdin.write(serializeMessage(message), cause => (cause ? reject(cause) : resolve()))
      }),
    close: async () => {
      if (child === undefined || isGone) return
      child.stdin?.end()
      if (await isWithin(gone.promise, GRACE_MS)) return
      killGroup(child, 'SIGTERM')
      if (await isWithin(gone.promise, GRACE_MS)) return
      killGroup(child)
      await gone.promise
    },
  }
  return transport
}

/** Processes that must end when we do, however that happens. */
const LIVING = {
  children: new Set<ChildProcess>(),
  add(child: ChildProcess): void {
    if (this.children.size === 0) {
      process.on('exit', killAll)
      for (const signal of DEADLY) process.on(signal, dieWithAll)
    }
    this.children.add(child)
  },
  delete(child: ChildProcess | undefined): void {
    if (child === undefined || !this.children.delete(child) || this.children.size > 0) return
    process.off('exit', killAll)
    for (const signal of DEADLY) process.off(signal, dieWithAll)
  },
}
const killAll = (): void => {
  for (const child of LIVING.children) killGroup(child)
}

const DEADLY = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** A signal without other listeners would end us without an `exit` event. With our listener we must still end. */
function dieWithAll(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) > 1) return
  killAll()
  process.off(signal, dieWithAll)
  process.kill(process.pid, signal)
}

function killGroup(child: ChildProcess | undefined, signal: NodeJS.Signals = 'SIGKILL'): void {
  if (child?.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // The group is already empty.
  }
}

async function isWithin(promise: Promise<void>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>(resolve => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const isOver = await Promise.race([promise.then(() => true), late])
  clearTimeout(timer)
  return isOver
}
