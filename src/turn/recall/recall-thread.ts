/** The thread of the recall index as the main thread sees it: it starts when it is first needed. */
import { Worker } from 'node:worker_threads'
import type { Log } from '../../log/ports.ts'
import { packedPostings } from '../../log/sqlite/recall-bytes.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import type { RecallFound } from '../../model/recall.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { EncodedIndex } from './fill/encode-messages.ts'
import type { EventSource, EventsAt, FilledIndex } from './fill/fill-index.ts'
import type { RecallQuery } from './look-up/look-up.ts'
import type {
  ForRecallThread,
  FromRecallThread,
  Made,
  RecallAnswer,
  RecallRequest,
  RecallThreadSettings,
  StoreMethod,
} from './messages.ts'

export type RecallThread = {
  readonly made: () => Promise<Result<Made, Fault>>
  readonly fill: (session: SessionId, limit: number) => Promise<Result<FilledIndex, Fault>>
  /** Makes some vectors with the encoder. */
  readonly encode: (session: SessionId) => Promise<Result<EncodedIndex, Fault>>
  readonly look: (session: SessionId, query: RecallQuery, withinMs: number) => Promise<Result<RecallFound, Fault>>
  /** Reads the words of sessions that are asked beside others. */
  readonly warm: (sessions: readonly SessionId[]) => Promise<Result<EncodedIndex, Fault>>
  readonly close: () => Promise<void>
}

/** Events as the index reads them: without receipts, which are most of the bytes. */
export const eventSource = (log: Log): EventSource & EventsAt => ({
  events: (id, range) => log.read(id, { ...range, only: 'conversation' }),
  eventsOfTurn: (id, turn, through) => log.read(id, { turn, through, only: 'conversation' }),
  eventsAt: (id, seqs) => log.read(id, { seqs }),
  head: async id => {
    const standing = await log.standing(id)
    return standing.ok ? ok(standing.value.head) : standing
  },
})

export function createRecallThread(log: Log, settings: RecallThreadSettings): RecallThread {
  const source = eventSource(log)
  const calls = new Map<number, (result: Result<RecallAnswer, Fault>) => void>()
  let worker: Worker | undefined
  let last = 0
  let isClosed = false

  const store = async (method: StoreMethod, args: readonly unknown[]): Promise<Result<unknown, Fault>> => {
    // The one place where types are taken on trust: the thread calls by the same signatures.
    const [id, ...rest] = args as readonly [SessionId, ...never[]]
    switch (method) {
      case 'events':
        return source.events(id, ...(rest as unknown as [Parameters<EventSource['events']>[1]]))
      case 'eventsOfTurn':
        return source.eventsOfTurn(id, ...(rest as unknown as [TurnId, number]))
      case 'eventsAt':
        return source.eventsAt(id, ...(rest as unknown as [readonly number[]]))
      case 'head':
        return source.head(id)
      case 'postings': {
        const found = await log.recall.postings(id, ...(rest as unknown as [readonly string[], number | undefined]))
        return found.ok ? ok(packedPostings(found.value)) : found
      }
      default:
        return (log.recall[method] as (...given: readonly unknown[]) => Promise<Result<unknown, Fault>>)(...args)
    }
  }

  const started = (): Worker => {
    if (worker !== undefined) return worker
    const file = import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js'
    const fresh = new Worker(new URL(file, import.meta.url), { workerData: settings })
    // The index can be filled later: a process that is done does not wait for it.
    fresh.unref()
    fresh.on('message', (message: FromRecallThread) => {
      if (message.type === 'answer') {
        calls.get(message.id)?.(message.result)
        calls.delete(message.id)
        if (calls.size === 0) fresh.unref()
        return
      }
      const answer = (result: Result<unknown, Fault>): void =>
        fresh.postMessage({ type: 'result', call: message.call, result } satisfies ForRecallThread)
      store(message.method, message.args).then(answer, (cause: unknown) => answer(err(fault('store', String(cause)))))
    })
    const end = (why: string): void => {
      // After an error comes an exit: by then another thread may have been started, and been asked.
      if (worker !== fresh) return
      worker = undefined
      for (const settle of calls.values()) settle(err(fault('store', why)))
      calls.clear()
    }
    fresh.on('error', cause => end(`the thread of the recall index stopped: ${cause instanceof Error ? cause.message : cause}`))
    fresh.on('exit', () => end('the recall index is closed'))
    worker = fresh
    return fresh
  }

  const ask = <Answer extends RecallAnswer>(request: RecallRequest): Promise<Result<Answer, Fault>> =>
    new Promise(resolve => {
      if (isClosed) return resolve(err(fault('store', 'the recall index is closed')))
      last += 1
      calls.set(last, resolve as (result: Result<RecallAnswer, Fault>) => void)
      const thread = started()
      thread.ref()
      thread.postMessage({ type: 'ask', id: last, request } satisfies ForRecallThread)
    })

  return {
    made: () => ask<Made>({ type: 'made' }),
    fill: (session, limit) => ask<FilledIndex>({ type: 'fill', session, limit }),
    encode: session => ask<EncodedIndex>({ type: 'encode', session }),
    look: (session, query, withinMs) => ask<RecallFound>({ type: 'look', session, query, withinMs }),
    warm: sessions => ask<EncodedIndex>({ type: 'warm', sessions }),
    close: async () => {
      isClosed = true
      await worker?.terminate()
    },
  }
}
