// The worker thread that runs one module's functions.
import { parentPort, workerData } from 'node:worker_threads'

/** From the main thread: which function of the module to call, and its arguments. */
export type ToTextThread = { readonly name: string; readonly given: readonly unknown[] }

/** From this thread: that it is ready (once, first), what a function returned, or what it threw, which is a bug. */
export type FromTextThread = { readonly value: unknown } | { readonly bug: unknown }

if (parentPort === null) throw new Error('this file runs as a worker')
const port = parentPort
const functions: Record<string, (...given: readonly unknown[]) => unknown> = await import(workerData as string)

port.on('message', ({ name, given }: ToTextThread) => {
  try {
    port.postMessage({ value: functions[name]?.(...given) } satisfies FromTextThread)
  } catch (bug) {
    port.postMessage({ bug } satisfies FromTextThread)
  }
})
port.postMessage({ value: 'ready' } satisfies FromTextThread)
