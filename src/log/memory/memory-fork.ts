/** Copies the beginning of a session in memory into a fork. */

import type { Event } from '../../model/event.ts'
import type { Session } from '../../model/session.ts'
import type { KeepEvents, Weigh } from '../ports.ts'
import { advance, dueIn, EMPTY_STANDING, forkedSession, inOrder, standingAfter } from '../standing.ts'
import { eventsOfTurn, openTurnsOf, type Row } from './memory-rows.ts'

/** A fork up to and including a seq, with what `keep` chooses of the turns that were running there. */
export function forkOf(row: Row, at: number, session: Session, weigh: Weigh, keep?: KeepEvents): Row {
  const copy = copyOf(row, at, session)
  const kept = keep === undefined ? [] : openTurnsOf(copy).map(open => keep(open, eventsOfTurn(row, open.turn)))
  addKept(copy, row, inOrder(kept), weigh)
  return copy
}

/** The beginning of a session under another name, with the texts that were needed by then. */
function copyOf(row: Row, at: number, session: Session): Row {
  const events = row.events.slice(0, at)
  const totals = { head: at, messages: row.messages[at - 1] ?? 0, tokens: row.tokens[at - 1] ?? 0 }
  const stood = events.reduce(standingAfter, EMPTY_STANDING)
  const standing = { ...stood, ...totals, due: dueIn(session, stood.due) }
  return {
    session: forkedSession(session, standing, 0),
    standing,
    events: events.map(event => ({ ...event, session: session.id })),
    messages: row.messages.slice(0, at),
    tokens: row.tokens.slice(0, at),
    keys: new Map(),
    ids: new Map(),
    fence: 0,
    texts: new Map([...row.texts].filter(([, { since }]) => since <= at)),
    checkpoints: new Map(),
  }
}

/** Adds what is kept of running turns, with its times and under the fork's own seqs. */
function addKept(copy: Row, { texts }: Row, kept: readonly Event[], weigh: Weigh): void {
  const at = copy.standing.head
  for (const event of kept) {
    copy.standing = advance(copy.standing, event, { tokens: event.tokens, messages: weigh(event).messages })
    copy.events.push({ ...event, session: copy.session.id, seq: copy.standing.head })
    copy.messages.push(copy.standing.messages)
    copy.tokens.push(copy.standing.tokens)
    for (const [hash, { text, since }] of texts) if (since === event.seq) copy.texts.set(hash, { text, since: at })
  }
  copy.session = forkedSession(copy.session, copy.standing, kept.length)
}
