/** Appends facts to sessions: those that wait for each other go in one transaction, except for sessions that somebody else has locked. */

import { type Fault, fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err } from '../../../model/result.ts'
import type { Database } from '../database.ts'
import { type AppendAnswer, LOCKED, type PreparedAppend, TRY_ALONE, writeBatch } from './write-batch.ts'

type Waiting = {
  readonly request: PreparedAppend
  readonly settle: (answer: AppendAnswer) => void
  readonly fail: (cause: unknown) => void
  /** Whether it has found its session locked already: from now on it waits for it, and keeps no other session waiting. */
  readonly isPatient?: boolean
}

/** So many transactions of appends at once; a session is in one of them only. */
const MOST_BATCHES = 4
/** And so many of them that wait for a session which somebody else has locked: the others must go on. */
const MOST_PATIENT = 2
const MOST_REQUESTS = 64
const MOST_ENTRIES = 1000

export type Appender = (request: PreparedAppend) => Promise<AppendAnswer>

export function createAppender(db: Database): Appender {
  const queue: Waiting[] = []
  const busy = new Set<SessionId>()
  let batches = 0
  let patientBatches = 0

  /** The next requests whose sessions are free; those of one session stay in their order. */
  const nextBatch = (): readonly Waiting[] => {
    const taken: Waiting[] = []
    const passed = new Set<SessionId>()
    let entries = 0
    for (const waiting of queue) {
      const { session } = waiting.request
      if (busy.has(session) || passed.has(session)) continue
      const [first] = taken
      const isOther = first !== undefined && first.request.session !== session
      const mustWait = waiting.isPatient === true && patientBatches >= MOST_PATIENT
      if (mustWait || (isOther && (waiting.isPatient === true || first.isPatient === true))) {
        passed.add(session)
        continue
      }
      if (taken.length >= MOST_REQUESTS || (entries > 0 && entries + waiting.request.entries.length > MOST_ENTRIES)) {
        passed.add(session)
        continue
      }
      entries += waiting.request.entries.length
      taken.push(waiting)
    }
    return taken
  }

  const pump = (): void => {
    while (batches < MOST_BATCHES && queue.length > 0) {
      const taken = nextBatch()
      if (taken.length === 0) return
      const sessions = new Set(taken.map(({ request }) => request.session))
      const isTaken = new Set(taken)
      queue.splice(0, queue.length, ...queue.filter(waiting => !isTaken.has(waiting)))
      for (const session of sessions) busy.add(session)
      const patience = taken[0]?.isPatient === true ? 1 : 0
      batches += 1
      patientBatches += patience
      settleAll(taken)
        // A bug belongs to those that asked; the others go on.
        .catch((cause: unknown) => {
          for (const { fail } of taken) fail(cause)
        })
        .finally(() => {
          batches -= 1
          patientBatches -= patience
          for (const session of sessions) busy.delete(session)
          pump()
        })
    }
  }

  const settleAll = async (taken: readonly Waiting[]): Promise<void> => {
    const requests = taken.map(({ request }) => request)
    const skipsLocked = taken[0]?.isPatient !== true
    const locked: Waiting[] = []
    const settle = (waiting: Waiting, answer: AppendAnswer): void => {
      if (!answer.ok && answer.fault === LOCKED) locked.push({ ...waiting, isPatient: true })
      else waiting.settle(answer)
    }
    const answers = await db.transaction(query => writeBatch(query, requests, { isCareful: false, skipsLocked }), {
      isPlannedOnce: true,
    })
    if (answers.ok || answers.fault !== TRY_ALONE) {
      for (const [index, waiting] of taken.entries())
        settle(waiting, answers.ok ? (answers.value[index] ?? err(NO_ANSWER)) : answers)
    } else {
      // An id or a key that is known already undoes the whole batch. Alone, each is judged with more care.
      for (const waiting of taken) {
        const isBehind = locked.some(({ request }) => request.session === waiting.request.session)
        settle(waiting, isBehind ? err(LOCKED) : await writeAlone(waiting.request, skipsLocked))
      }
    }
    // They go before those of the same session that came later.
    queue.unshift(...locked)
  }

  const writeAlone = (request: PreparedAppend, skipsLocked: boolean): Promise<AppendAnswer> =>
    db.transaction(async query => {
      const written = await writeBatch(query, [request], { isCareful: true, skipsLocked })
      return written.ok ? (written.value[0] ?? err(NO_ANSWER)) : written
    })

  return request =>
    new Promise((resolve, reject) => {
      queue.push({ request, settle: resolve, fail: reject })
      pump()
    })
}

const NO_ANSWER: Fault = fault('bug', 'an append got no answer')
