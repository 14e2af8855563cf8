// Runs functions over whole texts in a worker thread with a time limit.
import { Worker } from 'node:worker_threads'
import type { FromTextThread, ToTextThread } from './worker.ts'

/** Runs functions over whole texts in a thread of their own, one call at a time, each with a time limit. */
export type TextThread<Functions> = {
  /** Returns what the function returns, or undefined if it took too long or too much memory. Other calls are not affected. */
  readonly call: <Name extends keyof Functions & string>(
    name: Name,
    ...given: ArgumentsOf<Functions[Name]>
  ) => Promise<GivenBy<Functions[Name]> | undefined>
}

type ArgumentsOf<Function> = Function extends (...given: infer Given) => unknown ? Given : never
type GivenBy<Function> = Function extends (...given: never[]) => infer Value ? Awaited<Value> : never

export type TextThreadOptions = {
  /** The module with the functions. Arguments and results are copied between threads, so they must be plain data. */
  readonly module: URL
  /** How long one call may take. */
  readonly mostMs: number
  /** How much memory the thread may take. A thread that takes more ends, and the process goes on. */
  readonly mostMegabytes?: number
}

/** How long a thread may take to start on a busy machine. It has not looked at any text by then. */
const START_MS = 30_000
const MOST_MEGABYTES = 1024

type Call = { readonly request: ToTextThread; readonly settle: (answer: FromTextThread | undefined) => void }

/** The thread starts with its first call, and the process does not wait for it to end. */
export function createTextThread<Functions>({
  module,
  mostMs,
  mostMegabytes = MOST_MEGABYTES,
}: TextThreadOptions): TextThread<Functions> {
  const waiting: Call[] = []
  let worker: Worker | undefined
  let isBusy = false

  const work = async (): Promise<void> => {
    if (isBusy) return
    isBusy = true
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) next.settle(await answerTo(next.request))
    isBusy = false
    worker?.unref()
  }

  const answerTo = async (request: ToTextThread): Promise<FromTextThread | undefined> => {
    if (worker === undefined) {
      const started = startWorker(module, mostMegabytes)
      const first = await messageOf(started, START_MS)
      if (first === undefined) return undefined
      worker = started.once('exit', () => {
        if (worker === started) worker = undefined
      })
    }
    worker.ref()
    worker.postMessage(request)
    const answer = await messageOf(worker, mostMs)
    if (answer === undefined) worker = undefined
    return answer
  }

  return {
    call: async (name, ...given) => {
      const answer = await new Promise<FromTextThread | undefined>(settle => {
        waiting.push({ request: { name, given }, settle })
        void work()
      })
      if (answer !== undefined && 'bug' in answer) throw answer.bug
      return answer?.value as GivenBy<Functions[typeof name]> | undefined
    },
  }
}

/** The next message of a thread, or undefined if the thread ends or is stopped because it took too long. */
function messageOf(worker: Worker, mostMs: number): Promise<FromTextThread | undefined> {
  return new Promise(resolve => {
    const settle = (answer?: FromTextThread): void => {
      clearTimeout(timer)
      worker.off('message', settle).off('exit', end)
      if (answer === undefined) void worker.terminate()
      resolve(answer)
    }
    const end = (): void => settle()
    const timer = setTimeout(end, mostMs)
    worker.once('message', settle).once('exit', end)
  })
}

function startWorker(module: URL, mostMegabytes: number): Worker {
  const source = import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js'
  const worker = new Worker(new URL(source, import.meta.url), {
    workerData: module.href,
    resourceLimits: { maxOldGenerationSizeMb: mostMegabytes },
  })
  // A thread that runs out of memory reports it here and then exits. Only the exit matters.
  worker.on('error', () => {})
  return worker
}
