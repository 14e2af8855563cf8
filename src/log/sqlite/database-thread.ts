/** A thread with its own connection to the database file, as the main thread sees it. */

import { Worker } from 'node:worker_threads'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type {
  Answers,
  Arguments,
  AskThread,
  CloseRequest,
  Greeting,
  Operation,
  ThreadReply,
  ThreadRequest,
  WorkerSettings,
} from './messages.ts'

/** A worker answers by itself at the deadline; this much later it is taken to hang. */
const GRACE_MS = 1000

export type DatabaseThread = { readonly ask: AskThread; readonly close: () => Promise<void> }

type Call = {
  readonly answer: (result: Result<never, Fault>) => void
  readonly fail: (bug: Error) => void
  readonly timer: NodeJS.Timeout
}

/** Starts a thread and waits until it has opened the file. */
export function openThread(settings: WorkerSettings, patienceMs: number): Promise<Result<DatabaseThread, Fault>> {
  const source = import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js'
  const worker = new Worker(new URL(source, import.meta.url), { workerData: settings })
  const calls = new Map<number, Call>()
  let last = 0
  let gone: Fault | undefined

  const settle = (id: number, result: Result<never, Fault>): void => {
    const call = calls.get(id)
    if (call === undefined) return
    calls.delete(id)
    clearTimeout(call.timer)
    if (!result.ok && result.fault.kind === 'bug') call.fail(new Error(`in the database thread: ${result.fault.message}`))
    else call.answer(result)
  }
  const post = <Value>(messageOf: (id: number) => unknown): Promise<Result<Value, Fault>> => {
    if (gone !== undefined) return Promise.resolve(err(gone))
    last += 1
    const id = last
    return new Promise((answer, fail) => {
      const late = err(fault('store', 'the database does not answer'))
      worker.postMessage(messageOf(id))
      calls.set(id, { answer, fail, timer: setTimeout(settle, patienceMs + GRACE_MS, id, late) })
    })
  }
  const ask: AskThread = <Name extends Operation>(operation: Name, ...args: Arguments[Name]) =>
    post<Answers[Name]>(id => ({ id, operation, args, deadline: Date.now() + patienceMs }) satisfies ThreadRequest<Name>)
  const end = (why: string): void => {
    gone = fault('store', why)
    for (const id of [...calls.keys()]) settle(id, err(gone))
  }

  return new Promise(resolve => {
    worker.once('message', (greeting: Greeting) => {
      if (!greeting.ready) return resolve(err(fault('store', greeting.why)))
      worker.on('message', (replies: readonly ThreadReply[]) => {
        // The one place where a type is taken on trust: the worker answers each id with what its operation gives.
        for (const { id, result } of replies) settle(id, result as Result<never, Fault>)
      })
      const close = async (): Promise<void> => {
        await post<null>(id => ({ id, operation: 'close' }) satisfies CloseRequest)
        await worker.terminate()
      }
      resolve(ok({ ask, close }))
    })
    worker.on('error', cause => {
      const why = `the database thread stopped: ${cause instanceof Error ? cause.message : String(cause)}`
      end(why)
      resolve(err(fault('store', why)))
    })
    worker.on('exit', () => end('the database is closed'))
  })
}
