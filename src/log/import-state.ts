/** How far the import of a session has come; every store adds pieces by this rule. */

import type { Fact } from '../model/event.ts'
import type { TurnId } from '../model/ids.ts'
import type { Session } from '../model/session.ts'
import type { ImportedFact, OpenTurn, Standing } from './ports.ts'
import { advance, EMPTY_STANDING, sessionAfter } from './standing.ts'

/** An imported session so far. */
export type ImportState = {
  readonly session: Session
  readonly standing: Standing
  /** Its turns without an end. */
  readonly open: ReadonlyMap<TurnId, OpenTurn>
}

/** An imported fact with its seq, and the session's totals by then. */
export type PlacedFact = ImportedFact & {
  readonly seq: number
  readonly totals: Pick<Standing, 'messages' | 'tokens' | 'voices'>
}

export const startOfImport = (session: Session): ImportState => ({ session, standing: EMPTY_STANDING, open: new Map() })

/** Adds a piece: the session as it will be, and its next facts. Imported messages wait for no answer, and facts do not change the session. */
export function addPiece(
  before: ImportState,
  session: Session,
  facts: readonly ImportedFact[],
): { readonly state: ImportState; readonly placed: readonly PlacedFact[] } {
  const open = new Map(before.open)
  let standing = before.standing
  let preview = session.preview ?? before.session.preview
  let hadCouncil = before.session.hadCouncil === true
  const placed = facts.map(each => {
    const { fact, at } = each
    standing = { ...advance(standing, fact, each), due: [] }
    const after = sessionAfter({ ...session, preview }, fact, at)
    preview = after.preview
    hadCouncil ||= after.hadCouncil === true
    followTurn(open, session, fact, standing.head)
    const { head: seq, messages, tokens, voices } = standing
    return { ...each, seq, totals: { messages, tokens, voices } }
  })
  const { head, messages } = standing
  const known = { ...session, preview, messages, importedThrough: head, ...(hadCouncil ? { hadCouncil: true as const } : {}) }
  return { state: { session: known, standing, open }, placed }
}

function followTurn(open: Map<TurnId, OpenTurn>, { id }: Session, fact: Fact, seq: number): void {
  if (fact.type === 'turn.started') open.set(fact.turn, { session: id, turn: fact.turn, voice: fact.voice, started: seq })
  if (fact.type === 'turn.ended') open.delete(fact.turn)
}
