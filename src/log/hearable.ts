/** Which messages a voice could hear: those that assembly would make a part of its conversation, had it read everything. */

import type { Event, Part, Recorded } from '../model/event.ts'
import type { TurnId } from '../model/ids.ts'
import { isReply, type SpokenReply } from '../model/message/spoken.ts'
import { isHouseVoice } from '../model/settings/council.ts'
import { type CutStep, cutStepOf, goesOn } from '../model/turn-view/join-cuts.ts'
import { firstTurns } from '../model/turn-view/turn-view.ts'
import type { VoiceId } from '../model/voice.ts'

/** A voice, and what decides which messages it hears. */
export type Hearer = {
  readonly voice: VoiceId
  /** It hears no answers but its own. */
  readonly isOwn: boolean
  /** Each message is sent with its time, so that even a blank one is not empty. */
  readonly stamps: boolean
}

/** A message that can be heard: the seq it begins with, and all by which a person may mark it. */
export type HearableMessage = { readonly begins: number; readonly seqs: readonly number[] }

/** Events of these types decide which answers can be heard; others never do. */
export const HEARABLE_TYPES: readonly Event['type'][] = [
  'message.received',
  'turn.started',
  'reply.finished',
  'reply.broken',
  'turn.ended',
]

/** A reply with those that go on with its text. */
type Said = { readonly voice: VoiceId | undefined; hasContent: boolean; last: CutStep }
type Answer = { begins: number; readonly seqs: number[]; readonly said: Said[] }

/**
 * The messages that a voice could hear, of events that hold each answer whole. An answer begins with its last first step,
 * since only who has read that one reads the answer.
 */
export function hearableIn(events: readonly Recorded[], hearer: Hearer): readonly HearableMessage[] {
  const known = glance(events)
  const heard: HearableMessage[] = []
  const answers = new Map<TurnId, Answer>()
  for (const event of events) {
    if (event.type === 'message.received' && isHeard(event, hearer)) heard.push({ begins: event.seq, seqs: [event.seq] })
    if (!isReply(event)) continue
    const first = known.firsts.get(event.turn) ?? event.turn
    const answer = answers.get(first) ?? { begins: event.seq, seqs: [], said: [] }
    answers.set(first, answer)
    if (event.step === 1) answer.begins = event.seq
    const parts = partsSaid(event, known)
    if (parts !== null) say(answer, event, parts, known.voices.get(event.turn))
  }
  const isAudible = ({ voice, hasContent }: Said): boolean =>
    hasContent && !isHouseVoice(voice ?? '') && !(hearer.isOwn && voice !== hearer.voice)
  return [...heard, ...[...answers.values()].filter(({ said }) => said.some(isAudible))]
}

/** Whether a voice hears what one has said to all (undefined) or to some. The house hears only what it is asked about. */
export const isAmong = (voice: VoiceId, to: readonly VoiceId[] | undefined): boolean =>
  !isHouseVoice(voice) && (to === undefined || to.includes(voice))

const isHeard = ({ text, parts = [], to }: Extract<Event, { type: 'message.received' }>, { voice, stamps }: Hearer): boolean =>
  isAmong(voice, to) && (stamps || text.trim() !== '' || parts.length > 0)

type Glance = ReturnType<typeof glance>

/** What has to be known of a turn before its own events are reached. */
function glance(events: readonly Recorded[]) {
  const voices = new Map<TurnId, VoiceId>()
  const cancelled = new Set<TurnId>()
  const resumed = new Set<TurnId>()
  const lastFinished = new Map<TurnId, number>()
  for (const event of events) {
    if (event.type === 'turn.started') {
      voices.set(event.turn, event.voice)
      if (event.resumes !== undefined) resumed.add(event.resumes)
    }
    if (event.type === 'turn.ended') {
      if (event.reason === 'cancelled') cancelled.add(event.turn)
      else cancelled.delete(event.turn)
    }
    if (event.type === 'reply.finished') lastFinished.set(event.turn, event.seq)
  }
  return { voices, cancelled, resumed, lastFinished, firsts: firstTurns(events) }
}

/** What counts of a reply; null where it failed and no later turn is sent any of it. */
function partsSaid(reply: SpokenReply, { cancelled, resumed, lastFinished }: Glance): readonly Part[] | null {
  if (reply.type === 'reply.finished') return reply.parts
  // A call that was cut off has no whole arguments.
  const spoken = reply.parts.filter(part => part.type !== 'call')
  if ((lastFinished.get(reply.turn) ?? 0) > reply.seq && spoken.length > 0) return spoken
  const words = spoken.filter(part => part.type === 'text')
  return cancelled.has(reply.turn) && !resumed.has(reply.turn) && words.length > 0 ? words : null
}

function say(answer: Answer, reply: SpokenReply, parts: readonly Part[], voice: VoiceId | undefined): void {
  answer.seqs.push(reply.seq)
  // Thinking alone is not an answer.
  const hasContent = parts.some(part => part.type === 'call' || (part.type === 'text' && part.text.trim() !== ''))
  const cutOff = answer.said.at(-1)
  const last = cutStepOf(reply)
  if (cutOff === undefined || !goesOn(cutOff.last, reply)) answer.said.push({ voice, hasContent, last })
  else Object.assign(cutOff, { hasContent: cutOff.hasContent || hasContent, last })
}
