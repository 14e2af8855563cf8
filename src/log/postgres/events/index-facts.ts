/** What an append derives from its facts: numbers of messages, late turns, counts of voices, and odd messages. Pure. */

import type { Fact, Part } from '../../../model/event.ts'
import type { Standing } from '../../ports.ts'
import { encodeName } from '../encode-name.ts'
import type { IndexState, OpenTurnState } from '../rows.ts'

/** A fact with its place, and the standing of its session after it. */
export type IndexedFact = {
  readonly fact: Fact
  readonly seq: number
  readonly messages: number
  readonly voices: Standing['voices']
}

/** The rows that follow from facts, beside their events. */
export type FactRows = {
  readonly numbers: readonly { readonly speaker: string; readonly seq: number; readonly number: number }[]
  readonly late: readonly { readonly seq: number; readonly turn: string }[]
  readonly counts: readonly {
    readonly voice: string
    readonly seq: number
    readonly turns: number
    readonly answers: number
  }[]
  readonly state: IndexState
}

/** The columns that only some events have: the voice of a start or request, the turn it resumes, the step of a reply, and whether it is odd. */
export type FactColumns = {
  readonly voice: string | null
  readonly resumes: string | null
  readonly step: number | null
  readonly isOdd: boolean
}

export function columnsOf(fact: Fact): FactColumns {
  const voice = fact.type === 'turn.started' ? fact.voice : fact.type === 'context.planned' ? fact.receipt.voice : undefined
  const resumes = fact.type === 'turn.started' ? fact.resumes : undefined
  return {
    voice: typeof voice === 'string' ? encodeName(voice) : null,
    resumes: typeof resumes === 'string' ? encodeName(resumes) : null,
    step: (fact.type === 'reply.finished' || fact.type === 'reply.broken') && Number.isSafeInteger(fact.step) ? fact.step : null,
    isOdd: isOdd(fact),
  }
}

/** Whether an event may not begin the message that it seems to, since it seems blank. */
function isOdd(fact: Fact): boolean {
  if (fact.type === 'message.received') return !(fact.text.trim() !== '' && (fact.parts === undefined || fact.parts.length > 0))
  return fact.type === 'reply.finished' && fact.step === 1 && !fact.parts.some(hasContent)
}

const hasContent = (part: Part): boolean => part.type === 'call' || (part.type === 'text' && part.text.trim() !== '')

/** Follows facts of one session in their order, from the state before them. */
export function indexFacts(before: IndexState, facts: readonly IndexedFact[]): FactRows {
  const turns: Record<string, OpenTurnState> = Object.assign(Object.create(null), before.turns)
  const speakers: Record<string, number> = Object.assign(Object.create(null), before.speakers)
  const numbers: FactRows['numbers'][number][] = []
  const late: FactRows['late'][number][] = []
  const counts: FactRows['counts'][number][] = []
  for (const { fact, seq, messages, voices } of facts) {
    if (fact.type === 'turn.started') turns[fact.turn] = { voice: fact.voice, started: seq, isNumbered: false }
    const turn = 'turn' in fact ? fact.turn : undefined
    const open = turn === undefined ? undefined : turns[turn]
    if (turn !== undefined && isLate(fact, messages) && open?.isNumbered !== true) late.push({ seq, turn: encodeName(turn) })
    if (messages > 0 && (fact.type === 'message.received' || fact.type === 'reply.finished')) {
      const speaker = speakerOf(fact, open?.voice)
      const number = (speakers[speaker] ?? 0) + 1
      speakers[speaker] = number
      numbers.push({ speaker: encodeName(speaker), seq, number })
      if (turn !== undefined && open !== undefined) turns[turn] = { ...open, isNumbered: true }
    }
    if (fact.type === 'turn.started' || (fact.type === 'turn.ended' && fact.reason === 'done')) {
      const { turns: started = 0, answers = 0 } = voices[fact.voice] ?? {}
      counts.push({ voice: encodeName(fact.voice), seq, turns: started, answers })
    }
    if (fact.type === 'turn.ended') delete turns[fact.turn]
  }
  return { numbers, late, counts, state: { turns, speakers } }
}

/** Whether an event gives words to a turn of which nothing has a number: it was gone on with, or stopped by a person. */
const isLate = (fact: Fact, messages: number): boolean =>
  (fact.type === 'reply.finished' && messages === 0) || (fact.type === 'turn.ended' && fact.reason === 'cancelled')

/** Whom a message is counted for: said to all, said to some, or answered by a voice. */
function speakerOf(fact: Extract<Fact, { type: 'message.received' | 'reply.finished' }>, voice: string | undefined): string {
  if (fact.type === 'reply.finished') return `by:${voice ?? ''}`
  return fact.to === undefined ? '' : `to:${JSON.stringify(fact.to)}`
}
