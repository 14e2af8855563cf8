/** Decides, from a turn's events alone, whether an unfinished turn goes on by itself and how it is closed if not. */
import { UNKNOWN_EFFECTS } from '../../context/stages/sanitize.ts'
import type { Checkpoint, OpenTurn } from '../../log/ports.ts'
import type { Event, Fact, Part, Recorded } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { isInternalVoice } from '../../model/settings/council.ts'
import type { VoiceId } from '../../model/voice.ts'
import { type FinishedReply, lastAsking } from '../tools/call-state.ts'

/** The settings for turns that were left without an end. */
export type Resume = {
  /** By themselves, or when a person says so. */
  readonly mode: 'auto' | 'ask'
  /** Older ones wait for a person in any case. */
  readonly withinMinutes: number
  /** How often one turn may be asked again by itself, after a crash or a cut in the middle of a reply. */
  readonly continuations: number
}

export const RESUME: Resume = { mode: 'auto', withinMinutes: 10, continuations: 1 }

/** How far a turn had come, as its own events tell it. */
export type Progress =
  /** Nothing was asked yet. */
  | { readonly is: 'new' }
  /** A model was asked, and nothing it said is known. */
  | { readonly is: 'asked'; readonly step: number }
  /** A reply was cut off. */
  | { readonly is: 'cut'; readonly step: number }
  /** A reply is there; its calls are to be seen to, if it made any. */
  | { readonly is: 'replied'; readonly reply: FinishedReply; readonly after: readonly Recorded[] }

export function progressOf(events: readonly Recorded[]): Progress {
  const last = events.findLast(
    event => event.type === 'context.planned' || event.type === 'reply.finished' || event.type === 'reply.broken',
  )
  if (last === undefined) return { is: 'new' }
  if (last.type === 'reply.broken') return { is: 'cut', step: last.step }
  if (last.type === 'context.planned') return { is: 'asked', step: last.step }
  const asking = lastAsking(events)
  return { is: 'replied', reply: last as FinishedReply, after: asking?.after ?? [] }
}

/** What the reply in flight had said becomes a reply that was cut off. */
export function brokenReply(
  { turn, voice }: OpenTurn,
  events: readonly Recorded[],
  checkpoint: Checkpoint | undefined,
): readonly Fact[] {
  const at = progressOf(events)
  if (at.is !== 'asked' || checkpoint === undefined || checkpoint.step !== at.step) return []
  const parts = withoutBlanks(checkpoint.parts)
  if (parts.length === 0) return []
  return [{ type: 'reply.broken', turn, step: checkpoint.step, parts, fault: STOPPED, ...internalOf(voice) }]
}

/** Marks what a voice says outside the conversation, such as a title. */
export const internalOf = (voice: VoiceId): { readonly internal?: true } => (isInternalVoice(voice) ? { internal: true } : {})

/** Drops blank text at a cut. A model that goes on does not see it, and would write it twice. */
export const withoutBlanks = (parts: readonly Part[]): readonly Part[] =>
  parts.filter(part => part.type !== 'text' || part.text.trim() !== '')

/** How often a model has been asked anew for what it was asked already: after each cut, and for each request without a reply. */
export function continuations(events: readonly Recorded[]): number {
  const cuts = events.filter(event => event.type === 'reply.broken').length
  const planned = events.filter((event): event is Extract<Event, { type: 'context.planned' }> => event.type === 'context.planned')
  return cuts + planned.length - new Set(planned.map(({ step }) => step)).size
}

/** Whether a turn that was left goes on by itself. */
export function goesOnByItself(
  events: readonly Recorded[],
  { mode, withinMinutes, continuations: most }: Resume,
  now: number,
): boolean {
  const started = events.find(event => event.type === 'turn.started')
  // A person can ask for a title again, and a fold that is still due is found again.
  if (started !== undefined && isInternalVoice(started.voice)) return false
  if (mode !== 'auto' || started === undefined || now - Date.parse(started.at) > withinMinutes * 60_000) return false
  const at = progressOf(events)
  // Between two steps every start makes progress, so this cannot go on forever.
  if (at.is === 'new' || at.is === 'replied') return true
  return continuations(events) + (at.is === 'asked' ? 1 : 0) <= most
}

/** What has to be written for a turn that does not go on: an end for every call that was started, and its own. */
export function closing({ turn, voice }: OpenTurn, events: readonly Recorded[]): readonly Fact[] {
  // In order, because a later reply may use the id of an earlier call again.
  const begun = new Map<string, string>()
  for (const event of events) {
    if (event.type === 'tool.started') begun.set(event.call, event.tool)
    if (event.type === 'tool.settled') begun.delete(event.call)
  }
  const unknown = [...begun].map(
    ([call, tool]): Fact => ({ type: 'tool.settled', turn, call, tool, ok: false, outcome: UNKNOWN_EFFECTS, ms: 0 }),
  )
  return [...unknown, { type: 'turn.ended', turn, voice, reason: 'interrupted' }]
}

export const STOPPED: Fault = fault('cancelled', 'the gateway stopped while this was being said')
