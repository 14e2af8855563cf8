/** A thread that fills the recall index and looks things up in it, so that neither holds up the thread that answers. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { scoreOf } from '../../context/recall/score.ts'
import { readWordVectors } from '../../context/recall/word-vectors.ts'
import type { RecallStore } from '../../log/ports.ts'
import { type PackedPostings, unpackedPostings } from '../../log/sqlite/recall-bytes.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { type Encoder, openEncoder } from './encoder.ts'
import { encodeMessages } from './fill/encode-messages.ts'
import { type EventSource, type EventsAt, fillIndex, INDEX_VERSION, type LoadedVectors } from './fill/fill-index.ts'
import { lookUp } from './look-up/look-up.ts'
import { createSharedWords, isShared } from './look-up/shared-words.ts'
import type {
  ForRecallThread,
  FromRecallThread,
  RecallAnswer,
  RecallRequest,
  RecallThreadSettings,
  StoreMethod,
} from './messages.ts'

if (parentPort === null) throw new Error('this file runs as a worker')
const port = parentPort
const { vectorsFile, encoder: encoderModel } = workerData as RecallThreadSettings

let loaded: { readonly value: LoadedVectors | undefined } | undefined

/** Loaded when they are first needed; without the file, or with a damaged one, words alone are compared. */
function vectors(): LoadedVectors | undefined {
  loaded ??= { value: load() }
  return loaded.value
}

function load(): LoadedVectors | undefined {
  if (vectorsFile === null) return undefined
  try {
    const bytes = readFileSync(vectorsFile)
    const found = readWordVectors(bytes)
    return found === undefined
      ? undefined
      : { hash: `sha256:${createHash('sha256').update(bytes).digest('hex')}`, vectors: found }
  } catch {
    return undefined
  }
}

let encoder: Promise<Encoder | undefined> | undefined

/** Without its packages, the vectors of words serve. `turnwise doctor` says so. */
const openedEncoder = (): Promise<Encoder | undefined> => {
  encoder ??=
    encoderModel === null
      ? Promise.resolve(undefined)
      : openEncoder(encoderModel).then(found => (found.ok ? found.value : undefined))
  return encoder
}

/** The store is on the other side: each call is a message there, and one back. */
const waiting = new Map<number, (result: Result<unknown, Fault>) => void>()
let calls = 0

const call = (method: StoreMethod, args: readonly unknown[]): Promise<Result<never, Fault>> =>
  new Promise(resolve => {
    calls += 1
    waiting.set(calls, resolve as (result: Result<unknown, Fault>) => void)
    port.postMessage({ type: 'call', call: calls, method, args } satisfies FromRecallThread)
  })

const rows: RecallStore = {
  state: id => call('state', [id]),
  postings: async (id, ...rest) => {
    const found: Result<PackedPostings, Fault> = await call('postings', [id, ...rest])
    return found.ok ? ok(unpackedPostings(found.value)) : found
  },
  blocks: (id, ...rest) => call('blocks', [id, ...rest]),
  states: ids => call('states', [ids]),
  allPostings: ids => call('allPostings', [ids]),
  blocksOf: (kind, wanted) => call('blocksOf', [kind, wanted]),
  excluded: ids => call('excluded', [ids]),
  write: (id, change) => call('write', [id, change]),
  clear: id => call('clear', [id]),
  behind: (made, limit) => call('behind', [made, limit]),
  size: () => call('size', []),
}

const source: EventSource & EventsAt = {
  events: (id, range) => call('events', [id, range]),
  eventsOfTurn: (id, turn, through) => call('eventsOfTurn', [id, turn, through]),
  eventsAt: (id, seqs) => call('eventsAt', [id, seqs]),
  head: id => call('head', [id]),
}

port.on('message', (message: ForRecallThread) => {
  if (message.type === 'result') {
    waiting.get(message.call)?.(message.result)
    waiting.delete(message.call)
    return
  }
  const { id, request } = message
  answer(request).then(
    result => port.postMessage({ type: 'answer', id, result } satisfies FromRecallThread),
    (cause: unknown) => {
      // The message ends up on a receipt, where people read it.
      const result = err(fault('bug', cause instanceof Error ? cause.message : String(cause)))
      port.postMessage({ type: 'answer', id, result } satisfies FromRecallThread)
    },
  )
})

/** The words of other sessions, which stay here between look-ups. */
const shared = createSharedWords()

/** Reads what the last look-up had no time for, so that the next one has it. */
async function warm(sessions: readonly SessionId[]): Promise<Result<RecallAnswer, Fault>> {
  const states = await rows.states(sessions)
  if (!states.ok) return states
  const wanted = [...states.value].flatMap(([id, state]) => (isShared(state) ? [{ id, state }] : []))
  const loaded = await shared.load(rows, wanted, Number.POSITIVE_INFINITY)
  return loaded.ok ? ok({ isDone: true }) : loaded
}

async function answer(request: RecallRequest): Promise<Result<RecallAnswer, Fault>> {
  switch (request.type) {
    case 'made':
      return ok({ version: INDEX_VERSION, vectors: vectors()?.hash ?? null })
    case 'fill':
      return fillIndex(rows, source, request.session, { vectors: vectors(), limit: request.limit })
    case 'encode': {
      const opened = await openedEncoder()
      return opened === undefined ? ok({ isDone: true }) : encodeMessages(rows, source, request.session, opened)
    }
    case 'look':
      return lookUp(rows, request.session, request.query, vectors(), scoreOf, await openedEncoder(), {
        ...{ shared, withinMs: request.withinMs },
      })
    case 'warm':
      return warm(request.sessions)
  }
}
