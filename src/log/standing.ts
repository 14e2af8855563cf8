import { labelOf } from '../model/attachment.ts'
import type { Fact, SessionChange } from '../model/event.ts'
import type { Session } from '../model/session.ts'
import type { Standing, Weigh } from './log.ts'

export const NOTHING_YET: Standing = { head: 0, messages: 0, tokens: 0, heard: 0, said: 0, turns: 0 }

/** Where a session stands after one more fact; every store keeps its running totals by this rule. */
export function advance(standing: Standing, fact: Fact, weight: ReturnType<Weigh>): Standing {
  const head = standing.head + 1
  return {
    head,
    messages: standing.messages + weight.messages,
    tokens: standing.tokens + weight.tokens,
    heard: Math.max(standing.heard, heardBy(fact)),
    said: fact.type === 'message.received' ? head : standing.said,
    turns: standing.turns + (fact.type === 'turn.started' ? 1 : 0),
  }
}

/** A message counts as heard once a turn names it as its cause, or once a request was built from a log that held it. */
function heardBy(fact: Fact): number {
  if (fact.type === 'turn.started') return fact.cause
  // A degraded request held only its own message, whatever else the log had by then.
  if (fact.type === 'context.planned' && fact.receipt.degraded === null) return fact.receipt.through
  return 0
}

/** A session after what a fact says about it. */
export function changed(session: Session, fact: Fact, at: string): Session {
  const changes: SessionChange = fact.type === 'session.changed' ? fact.changes : {}
  const preview = session.preview ?? (fact.type === 'message.received' ? previewOf(fact) : null)
  return { ...session, ...changes, preview, updatedAt: fact.type === 'session.changed' ? session.updatedAt : at }
}

/** What a message begins with; one without words is known by its files. */
const previewOf = ({ text, parts = [] }: Extract<Fact, { type: 'message.received' }>): string =>
  beginning(text.trim() === '' ? parts.map(labelOf).join(' ') : text)

/** The first words, on one line, whole characters only. */
const beginning = (text: string): string => [...text.slice(0, 200).replace(/\s+/g, ' ').trim()].slice(0, 80).join('')
