/** Forks a session at a seq, and closes the turns that were running there. */
import type { CloseTurn, KeepEvents } from '../../log/ports.ts'
import type { Event, Fact } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { err, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import { closing } from '../recovery/decide.ts'
import { openQuestions, unsettled } from '../recovery/pick-up.ts'
import type { Services } from '../services.ts'
import { callState, lastAsking } from '../tools/call-state.ts'

/**
 * A session that shares everything with another up to and including a seq, and goes its own way from there. It answers
 * nothing by itself: what was left unanswered waits for a person's word.
 *
 * Turns that were running there are cut off, unless `redo` names the message that a person wants to reword or to have answered
 * again. Then they keep what they said without having heard it.
 */
export async function fork(
  { log, mint, clock }: Services,
  id: SessionId,
  at: number,
  redo?: number,
): Promise<Result<Session, Fault>> {
  if (redo !== undefined && redo !== at && redo !== at + 1) return err(NOT_THERE)
  const parent = await log.session(id)
  if (!parent.ok) return parent
  const now = new Date(clock()).toISOString()
  // Up to where it forks everything is its parent's, wherever that came from.
  const { family, importedThrough: _, ...rest } = parent.value
  const times = { createdAt: now, updatedAt: now }
  // A person who forks an archived session wants to work with the fork.
  const session = { ...rest, ...times, id: mint('ses'), family, parent: { session: id, at }, archived: false }
  return log.fork(id, at, session, leftBy('forked'), redo === undefined ? undefined : without(redo))
}

const NOT_THERE: Fault = fault('invalid', 'redo: must be the message at `at`, or the one right after it')

/**
 * What a turn did after a message came in and before it heard it. A turn hears a message with the first request that is built from
 * a log which has it; what it says from there on may be an answer to it. A row that cannot be read may be that request.
 */
const without =
  (message: number): KeepEvents =>
  (_, events) => {
    const later = events.filter(({ seq }) => seq > message)
    const hears = later.findIndex(
      event => event.type === 'damaged' || (event.type === 'context.planned' && event.receipt.through >= message),
    )
    return (hears === -1 ? later : later.slice(0, hears)) as readonly Event[]
  }

/**
 * How turns end that a session was left with when it was copied, or came from elsewhere. As after a crash, but nothing goes
 * on: questions are withdrawn, and calls that had not begun are not run.
 */
export const leftBy =
  (deed: 'forked' | 'imported'): CloseTurn =>
  (open, events) => {
    const { turn } = open
    const withdrawn = openQuestions(events).map(
      ({ approval, call, tool }): Fact => ({
        type: 'approval.answered',
        ...{ approval, turn, call, tool, answer: 'deny', reason: `the session was ${deed} before this was answered` },
      }),
    )
    const after = lastAsking(events)?.after ?? []
    const left = unsettled(events)
      .filter(({ call }) => callState(call, after).is !== 'started')
      .map(({ call, tool }): Fact => ({ type: 'tool.settled', turn, call, tool, ok: false, outcome: notRun(deed), ms: 0 }))
    return [...withdrawn, ...left, ...closing(open, events)]
  }

const notRun = (deed: string): string => `not run: the session was ${deed} before it began`
