/** Copies the beginning of a session in memory into a fork. */

import type { Event } from '../../model/event.ts'
import type { Session } from '../../model/session.ts'
import type { KeepEvents, Weigh } from '../ports.ts'
import { advance, dueIn, forkedSession, inOrder, standingAfter } from '../standing.ts'
import { emptyRow, eventsOfTurn, openTurnsOf, pushEvent, type Row } from './memory-rows.ts'

/** A fork up to and including a seq, with what `keep` chooses of the turns that were running there. */
export function forkOf(row: Row, at: number, session: Session, weigh: Weigh, keep?: KeepEvents): Row {
  const copy = copyOf(row, at, session)
  const kept = keep === undefined ? [] : openTurnsOf(copy).map(open => keep(open, eventsOfTurn(row, open.turn)))
  addKept(copy, row, inOrder(kept), weigh)
  return copy
}

/** The beginning of a session under another name, with the texts that were needed by then. */
function copyOf(row: Row, at: number, session: Session): Row {
  const copy = emptyRow(session)
  for (const event of row.events.slice(0, at)) {
    const totals = { messages: row.messages[event.seq - 1] ?? 0, tokens: row.tokens[event.seq - 1] ?? 0 }
    copy.standing = { ...standingAfter(copy.standing, event), ...totals }
    pushEvent(copy, { ...event, session: session.id }, copy.standing)
  }
  copy.standing = { ...copy.standing, due: dueIn(session, copy.standing.due) }
  copy.session = forkedSession(session, copy.standing, 0)
  copy.texts = new Map([...row.texts].filter(([, { since }]) => since <= at))
  return copy
}

/** Adds what is kept of running turns, with its times and under the fork's own seqs. */
function addKept(copy: Row, { texts }: Row, kept: readonly Event[], weigh: Weigh): void {
  const at = copy.standing.head
  for (const event of kept) {
    copy.standing = advance(copy.standing, event, { tokens: event.tokens, messages: weigh(event).messages })
    pushEvent(copy, { ...event, session: copy.session.id, seq: copy.standing.head }, copy.standing)
    for (const [hash, { text, since }] of texts) if (since === event.seq) copy.texts.set(hash, { text, since: at })
  }
  copy.session = forkedSession(copy.session, copy.standing, kept.length)
}
