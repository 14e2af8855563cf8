import type { Fact } from '../model/event.ts'
import type { TurnId } from '../model/ids.ts'
import type { Session } from '../model/session.ts'
import type { ImportedFact, OpenTurn, Standing } from './ports.ts'
import { advance, changed, NOTHING_YET } from './standing.ts'

/** A session from elsewhere, as far as it has come. */
export type Arrival = {
  readonly session: Session
  readonly standing: Standing
  /** Turns that have begun in it and not ended. */
  readonly open: ReadonlyMap<TurnId, OpenTurn>
}

/** A fact from elsewhere in its place, with what had been said by then. */
export type Arrived = ImportedFact & { readonly seq: number; readonly totals: Pick<Standing, 'messages' | 'tokens'> }

export const arrivalOf = (session: Session): Arrival => ({ session, standing: NOTHING_YET, open: new Map() })

/**
 * One more piece has come: the session as it is to be, and what was said. Nobody waits for an answer there, and nothing
 * that was said changes how the session is in the end.
 */
export function arrived(
  before: Arrival,
  session: Session,
  facts: readonly ImportedFact[],
): { readonly arrival: Arrival; readonly placed: readonly Arrived[] } {
  const open = new Map(before.open)
  let standing = before.standing
  let preview = session.preview ?? before.session.preview
  const placed = facts.map(each => {
    const { fact, at } = each
    standing = { ...advance(standing, fact, each), due: [] }
    preview ??= changed({ ...session, preview }, fact, at).preview
    followTurn(open, session, fact, standing.head)
    return { ...each, seq: standing.head, totals: { messages: standing.messages, tokens: standing.tokens } }
  })
  const { head, messages } = standing
  return { arrival: { session: { ...session, preview, messages, brought: head }, standing, open }, placed }
}

function followTurn(open: Map<TurnId, OpenTurn>, { id }: Session, fact: Fact, seq: number): void {
  if (fact.type === 'turn.started') open.set(fact.turn, { session: id, turn: fact.turn, voice: fact.voice, started: seq })
  if (fact.type === 'turn.ended') open.delete(fact.turn)
}
