/** The standing of a session: its totals, what is due in it and how often each voice spoke. Every store keeps it by these rules. */

import type { Event, Fact, FactType, Recorded, SessionChange } from '../model/event.ts'
import { type Fault, fault } from '../model/fault.ts'
import { labelOf } from '../model/message/attachment.ts'
import { isSameAudience } from '../model/message/audience.ts'
import type { Session } from '../model/session.ts'
import { EXCHANGE, isAfterRound, isHouseVoice } from '../model/settings/council.ts'
import { ANYONE, type Due, type Standing, type Weigh } from './ports.ts'

export const EMPTY_STANDING: Standing = { head: 0, messages: 0, tokens: 0, due: [], voices: {} }

/** The standing of a session after one more fact. */
export function advance(standing: Standing, fact: Fact, weight: ReturnType<Weigh>): Standing {
  const head = standing.head + 1
  return {
    head,
    messages: standing.messages + weight.messages,
    tokens: standing.tokens + weight.tokens,
    due: dueAfter(standing.due, fact, head),
    voices: voicesAfter(standing.voices, fact),
  }
}

/** The types that say who has heard what, and who spoke. */
export const STANDING_TYPES: readonly FactType[] = ['message.received', 'turn.started', 'context.planned', 'turn.ended']

/** The standing after an event that is in the log already, without the totals: the store has those beside the event. */
export const standingAfter = (standing: Standing, event: Recorded): Standing =>
  event.type === 'damaged' ? standing : advance({ ...standing, head: event.seq - 1 }, event, { tokens: 0, messages: 0 })

/** The session of a new fork. It has a preview only if it includes the first message. */
export const forkedSession = ({ parent, ...session }: Session, { messages }: Standing, kept: number): Session => ({
  ...session,
  ...(parent === undefined ? {} : { parent: kept === 0 ? parent : { ...parent, kept } }),
  preview: messages === 0 ? null : session.preview,
  messages,
})

/** What is kept of several turns, in the order in which it happened. */
export const inOrder = (kept: readonly (readonly Event[])[]): readonly Event[] => kept.flat().sort((a, b) => a.seq - b.seq)

/**
 * What waits for an answer in a fork. Who answers there may have changed since it was said: a single agent takes the place
 * of a council that was asked, and does not hear what was said to some of its members.
 */
export function dueIn({ council }: Session, due: readonly Due[]): readonly Due[] {
  if (council !== null) return due
  const open = due.filter(({ voice, to }) => !isAfterRound(voice) && to === undefined)
  return [...new Set(open.map(({ seq }) => seq))].map(seq => ({ voice: ANYONE, seq }))
}

/** A fork can share no more than there is. */
export const beyondEnd = (at: number, head: number): Fault =>
  fault('invalid', `at: there is nothing at ${at}; this session ends at ${head}, so give a seq from 0 to ${head}`)

/** A new message ends an exchange among advisors, or begins its next round. */
function dueAfter(due: readonly Due[], fact: Fact, head: number): readonly Due[] {
  if (fact.type === 'message.received') {
    const voices = fact.voices ?? [ANYONE]
    return [
      ...due.filter(({ voice }) => voice !== EXCHANGE),
      ...voices.map(voice => ({ voice, seq: head, ...(fact.to === undefined ? {} : { to: fact.to }) })),
    ]
  }
  const heard = heardBy(fact)
  return heard === undefined || due.length === 0 ? due : due.filter(each => !heard(each))
}

function voicesAfter(voices: Standing['voices'], fact: Fact): Standing['voices'] {
  if (fact.type !== 'turn.started' && fact.type !== 'turn.ended') return voices
  const { turns, answers } = voices[fact.voice] ?? { turns: 0, answers: 0 }
  if (fact.type === 'turn.started') return { ...voices, [fact.voice]: { turns: turns + 1, answers } }
  return fact.reason === 'done' ? { ...voices, [fact.voice]: { turns, answers: answers + 1 } } : voices
}

/** A message counts as heard once a turn names it as its cause, or once a request was built from a log that had it. */
function heardBy(fact: Fact): ((due: Due) => boolean) | undefined {
  if (fact.type === 'turn.started') {
    const { voice, cause } = fact
    // The house looks at one round at a time.
    if (isHouseVoice(voice)) return due => due.voice === voice && due.seq === cause
    return due => (due.voice === voice || due.voice === ANYONE) && due.seq <= cause
  }
  // A degraded request had only its own message, even if the log had more by then.
  if (fact.type !== 'context.planned' || fact.receipt.degraded !== null) return undefined
  const { voice, through, inputs } = fact.receipt
  if (isHouseVoice(voice)) return undefined
  return due => (due.voice === voice || due.voice === ANYONE) && due.seq <= through && isSameAudience(due.to, inputs.to)
}

/** A session after what a fact says about it. */
export function sessionAfter(session: Session, fact: Fact, at: string): Session {
  const changes: SessionChange = fact.type === 'session.changed' ? fact.changes : {}
  const preview = session.preview ?? (fact.type === 'message.received' ? previewOf(fact) : null)
  return {
    ...{ ...session, ...changes, preview, updatedAt: fact.type === 'session.changed' ? session.updatedAt : at },
    ...(isAdvisors(session, fact) ? { hadCouncil: true } : {}),
  }
}

/** Whether an advisor of a session's council begins to answer. */
const isAdvisors = ({ council }: Session, fact: Fact): boolean =>
  council !== null && fact.type === 'turn.started' && !isHouseVoice(fact.voice)

/** What a message begins with; one without words is known by its files. */
const previewOf = ({ text, parts = [] }: Extract<Fact, { type: 'message.received' }>): string =>
  beginning(text.trim() === '' ? parts.map(labelOf).join(' ') : text)

/** The first words, on one line, whole characters only. */
const beginning = (text: string): string => [...text.slice(0, 200).replace(/\s+/g, ' ').trim()].slice(0, 80).join('')
