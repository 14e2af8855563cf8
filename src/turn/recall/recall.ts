/** Recall as a turn uses it: looks up what matters for a new message, and keeps the index behind the log. */
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Log } from '../../log/ports.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import type { RecallFound } from '../../model/recall.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { FilledIndex } from './fill/fill-index.ts'
import type { AskedSource } from './look-up/asked-parts.ts'
import type { RecallQuery } from './look-up/look-up.ts'
import { createRecallThread } from './recall-thread.ts'

export type Recall = {
  /** Looks up messages for a new one. Events that are not indexed yet are indexed first, as far as there is time for that. */
  readonly look: (session: SessionId, query: RecallQuery, withinMs: number) => Promise<Result<RecallFound, Fault>>
  /** The log of a session has grown to this seq. */
  readonly grew: (session: SessionId, head: number) => void
  /** Sessions came in from elsewhere, or the process has just begun: what is not indexed yet is indexed in the background. */
  readonly catchUp: () => void
  /** Indexes a session anew. `progress` hears up to which seq. */
  readonly rebuild: (session: SessionId, progress: (indexedThrough: number) => void) => Promise<Result<null, Fault>>
  readonly close: () => Promise<void>
}

export type RecallOptions = {
  readonly log: Log
  /** Where the word vectors are; null for words alone. */
  readonly vectorsFile: string | null
  /** The encoder to use beside them, if one was switched on. */
  readonly encoder?: string | null
  /** Trouble in the background; the index is filled with the next look-up. */
  readonly onTrouble: (trouble: Fault) => void
}

/** The word vectors that come with Turnwise, beside the sources and beside what is built from them. */
export const WORD_VECTORS_FILE: string = fileURLToPath(new URL('../../../vectors/words-minilm-128.bin', import.meta.url))

/** So many events are indexed at a time: some tens of milliseconds, during which a look-up waits. */
const EVENTS_AT_ONCE = 400
/** A short session is indexed when it is first looked at: all of it is in its window until then. */
const LEAST_EVENTS = 60
/** In the background, so that many events of one turn are indexed together. */
const SOON_MS = 1000
const START_MS = 2000
/** In the background the thread rests as long as it worked. */
const REST = 1
const MOST_BEHIND = 100
/** Of the time that is left for a look-up in other chats: what reading their words may take. */
const SHARE_OF_READING = 0.6

export function createRecall({ log, vectorsFile, encoder = null, onTrouble }: RecallOptions): Recall {
  const thread = createRecallThread(log, { vectorsFile, encoder })
  /** One after the other for each session: two that fill at once would write the same rows. */
  const filling = new Map<SessionId, Promise<Result<FilledIndex, Fault>>>()
  const encoding = new Map<SessionId, Promise<unknown>>()
  const waiting = new Set<SessionId>()
  /** Short sessions that grew and are not indexed up to their end. */
  const short = new Set<SessionId>()
  /** Sessions that have been indexed, and have no index if there was nothing to be found. */
  const empty = new Set<SessionId>()
  let isWorking = false
  let isClosed = false
  let mayBeBehind = false
  let timer: NodeJS.Timeout | undefined

  const fill = (session: SessionId): Promise<Result<FilledIndex, Fault>> => {
    const running = filling.get(session)
    if (running !== undefined) return running
    const begun = Promise.resolve(encoding.get(session))
      .then(() => thread.fill(session, EVENTS_AT_ONCE))
      .finally(() => filling.delete(session))
    filling.set(session, begun)
    return begun
  }

  /** Indexes until a seq, or until the time is up. */
  const fillUntil = async (session: SessionId, through: number, deadline: number): Promise<Result<null, Fault>> => {
    for (;;) {
      const filled = await fill(session)
      if (!filled.ok) return filled
      if (filled.value.isDone || filled.value.indexedThrough >= through || performance.now() >= deadline) return ok(null)
    }
  }

  const work = async (): Promise<void> => {
    if (isWorking || isClosed) return
    isWorking = true
    while (!isClosed) {
      const [session] = waiting.size > 0 ? waiting : await moreBehind()
      if (session === undefined) break
      waiting.delete(session)
      const began = performance.now()
      const filled = await fill(session)
      if (!filled.ok && filled.fault.kind !== 'not-found') onTrouble(filled.fault)
      if (filled.ok && !filled.value.isDone) waiting.add(session)
      if (filled.ok && filled.value.isDone && encoder !== null) await encodeSome(session)
      await pause((performance.now() - began) * REST, undefined, { ref: false })
    }
    isWorking = false
  }

  /** Vectors of whole messages are made when nothing else is to do, and never beside a fill of the same session. */
  const encodeSome = async (session: SessionId): Promise<void> => {
    const begun = thread.encode(session)
    encoding.set(session, begun)
    const encoded = await begun.finally(() => encoding.delete(session))
    if (!encoded.ok && encoded.fault.kind !== 'not-found') onTrouble(encoded.fault)
    if (encoded.ok && !encoded.value.isDone) waiting.add(session)
  }

  /** Asked once after each start or import: what grows later is told. */
  const moreBehind = async (): Promise<readonly SessionId[]> => {
    if (!mayBeBehind) return []
    const made = await thread.made()
    const behind = made.ok ? await log.recall.behind(made.value, MOST_BEHIND) : made
    mayBeBehind = behind.ok && behind.value.length === MOST_BEHIND
    if (!behind.ok) {
      onTrouble(behind.fault)
      return []
    }
    for (const session of behind.value) waiting.add(session)
    return [...waiting].slice(0, 1)
  }

  const later = (ms: number): void => {
    if (timer !== undefined || isClosed) return
    timer = setTimeout(() => {
      timer = undefined
      work().catch((cause: unknown) => onTrouble(fault('bug', String(cause))))
    }, ms)
    timer.unref()
  }

  const look: Recall['look'] = async (session, query, withinMs) => {
    const deadline = performance.now() + withinMs
    const state = await log.recall.state(session)
    if (!state.ok) return state
    if ((state.value?.indexedThrough ?? 0) < query.through) {
      const filled = await fillUntil(session, query.through, deadline)
      // An index that cannot be written can still be asked.
      if (!filled.ok && state.value === undefined) return filled
    }
    if (query.sources === undefined || query.sources.length === 0) return thread.look(session, query, withinMs)
    await fillSources(query.sources, performance.now() + (deadline - performance.now()) / 2)
    const found = await thread.look(session, query, Math.max(0, (deadline - performance.now()) * SHARE_OF_READING))
    if (found.ok && (found.value.elsewhere?.chats ?? 0) < query.sources.length) warm(query.sources)
    return found
  }

  /** Other chats that grew since they were indexed, last used first, as far as there is time; the rest in the background. */
  const fillSources = async (sources: readonly AskedSource[], deadline: number): Promise<void> => {
    const states = await log.recall.states(sources.map(({ id }) => id))
    if (!states.ok) return
    const behind = sources.filter(({ id }) => short.has(id) || waiting.has(id) || !(states.value.has(id) || empty.has(id)))
    for (const [index, { id }] of behind.entries()) {
      if (performance.now() >= deadline || isClosed) {
        for (const left of behind.slice(index)) waiting.add(left.id)
        return later(SOON_MS)
      }
      const filled = await fillUntil(id, Number.POSITIVE_INFINITY, deadline)
      if (!filled.ok) continue
      short.delete(id)
      empty.add(id)
    }
  }

  let isWarming = false
  const warm = (sources: readonly AskedSource[]): void => {
    if (isWarming || isClosed) return
    isWarming = true
    thread.warm(sources.map(({ id }) => id)).then(
      () => {
        isWarming = false
      },
      () => {},
    )
  }

  return {
    // A bug costs a request its quotes, not its turn.
    look: (session, query, withinMs) =>
      look(session, query, withinMs).catch((cause: unknown) => {
        const trouble = fault('bug', cause instanceof Error ? cause.message : String(cause))
        onTrouble(trouble)
        return err(trouble)
      }),
    grew: (session, head) => {
      empty.delete(session)
      // In its own chat all of it is in the window; another chat that asks has it indexed then.
      if (head < LEAST_EVENTS) {
        short.add(session)
        return
      }
      waiting.add(session)
      later(SOON_MS)
    },
    catchUp: () => {
      mayBeBehind = true
      later(START_MS)
    },
    rebuild: async (session, progress) => {
      const cleared = await log.recall.clear(session)
      if (!cleared.ok) return cleared
      for (;;) {
        if (isClosed) return err(fault('store', 'the recall index is closed'))
        const filled = await fill(session)
        if (!filled.ok) return filled
        progress(filled.value.indexedThrough)
        if (filled.value.isDone) return ok(null)
      }
    },
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await thread.close()
    },
  }
}
