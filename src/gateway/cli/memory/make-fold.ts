/** Has a fold made and waits until it is there. */
import type { Fold, FoldBegun } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import type { SessionId, TurnId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import type { Verbs } from '../talk/answering-engine.ts'
import { signalsOfTurns } from '../talk/heard-of.ts'

type FoldVerbs = Pick<Verbs, 'folds' | 'follow'>

/** Waits until what has begun is done. `after` is a seq before the turn of the fold. */
export async function foldMade(
  verbs: FoldVerbs,
  session: SessionId,
  { fold, turn }: FoldBegun,
  after: number,
  abort: AbortSignal,
): Promise<Result<Fold, Fault>> {
  if (fold !== undefined) return ok(fold)
  return turn === undefined ? err(NOT_MADE) : turnOver(verbs, session, turn, after, abort)
}

const NOT_MADE: Fault = fault('conflict', 'no summary was made')

async function turnOver(
  { folds, follow }: FoldVerbs,
  session: SessionId,
  turn: TurnId,
  after: number,
  abort: AbortSignal,
): Promise<Result<Fold, Fault>> {
  let why: Fault | undefined
  for await (const signal of signalsOfTurns([turn], follow(session, after, abort))) {
    if (signal.type === 'fault') return err(signal.fault)
    if (signal.type === 'event' && signal.event.type === 'turn.ended') why = signal.event.fault
  }
  if (abort.aborted) return err(fault('cancelled', 'stopped waiting; the summary may still be made'))
  const listed = await folds(session)
  if (!listed.ok) return listed
  const made = listed.value.findLast(each => each.turn === turn)
  return made === undefined ? err(why ?? NOT_MADE) : ok(made)
}
