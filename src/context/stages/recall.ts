/** Stage 5, recall: puts references and gathered texts beside the new message. */
import type { Material } from '../../model/plan.ts'
import { escapeQuoted } from '../recall/escape-quoted.ts'
import { lastRoundAnswers, type Reference, reference, sameReference } from '../recall/references.ts'
import type { SettledPolicy } from '../reply-limit.ts'
import type { Measure } from '../text/tokens.ts'
import {
  givenAsides,
  isOptional,
  type LeftOut,
  leftOut,
  PER_MESSAGE,
  type PlacedAside,
  type SaidBeat,
  weightOf,
} from './draft.ts'
import { type RoomForQuotes, recalledBeside, withoutQuoted } from './recall-quotes.ts'
import type { AwareWindow } from './running-turn.ts'
import type { Windowed } from './window.ts'

/**
 * Puts beside the new message what was gathered for it, what the other voices said in the last round, and earlier messages that
 * matter for it. `over` is by how many tokens the request was too long with more of it.
 */
export function recall(
  beside: RoomForQuotes,
  material: Material,
  policy: SettledPolicy,
  over: number,
  measure: Measure,
): AwareWindow {
  const { near: placed, budget } = beside
  const round = lastRoundAnswers(placed.others, material, policy)
  let room = roomFor(placed, material, policy, measure) - over
  const cost = ({ text }: PlacedAside): number => Math.ceil((measure.count(text) + PER_MESSAGE) * material.model.factor)
  const spend = (asides: readonly PlacedAside[]): void => {
    room -= asides.reduce((sum, aside) => sum + cost(aside), 0)
  }
  // Quotes that came before references come before them again when the request is built again.
  const isFirst = budget === undefined ? typeof policy.recall?.tokens === 'number' : budget.isFirst
  const early = isFirst ? recalledBeside(beside, material, room, measure) : undefined
  spend(early?.asides ?? [])
  const given = givenAsides(material).filter(aside => {
    if (!isOptional(aside)) return true
    if (placed.state.quoted === 0 || (material.turn.step === 1 && cost(aside) > room)) return false
    spend([aside])
    return true
  })
  const missed = givenAsides(material).filter(aside => !given.includes(aside))
  const quotes = round.length === 0 ? undefined : quotesOf(round, room, placed, material, measure)
  spend(quotes === undefined ? [] : [quotes.aside])
  const recalled = early ?? recalledBeside(beside, material, room, measure)
  const quoted = new Set(round)
  const unheard = placed.others.map(said => leftOut(said, quoted.has(said) ? 'out.budget' : 'out.other-voice'))
  const left = quotes === undefined ? unheard : unheard.filter((_, index) => !quoted.has(placed.others[index] as SaidBeat))
  const state = round.length + missed.length === 0 ? placed.state : { ...placed.state, quoted: quotes?.most ?? 0 }
  return {
    ...placed,
    asides: [...recalled.asides, ...(quotes === undefined ? given : [quotes.aside, ...given])],
    left: [
      ...withoutQuoted(placed.left, recalled.quotes),
      ...left,
      ...missed.map((): LeftOut => ({ from: 0, to: 0, messages: [], more: 1, reason: 'out.budget' })),
    ],
    state: recalled.quotes.length === 0 ? state : { ...state, recalled: recalled.quotes },
    ...(recalled.receipt === undefined ? {} : { recall: recalled.receipt }),
  }
}

/** The reference of a turn stays the same in all of its steps. */
function quotesOf(
  round: readonly SaidBeat[],
  room: number,
  { state: { quoted } }: Windowed,
  material: Material,
  measure: Measure,
): Reference | undefined {
  if (quoted === 0) return undefined
  if (quoted !== undefined) return sameReference(round, quoted, material, measure, escapeQuoted)
  return reference(round, room, material, measure, escapeQuoted)
}

/** What the past leaves free: what others said gives way before what was said here does. */
function roomFor(placed: Windowed, { model: { factor } }: Material, policy: SettledPolicy, measure: Measure): number {
  const { limit, fixed, head, pins, past, note, pinned, folds } = placed
  const most = policy.window.grows?.({ limit, fixed: fixed.cost }).request ?? limit
  const said = [...head, ...pins, ...past].reduce((sum, beat) => sum + weightOf(beat), 0)
  const noted = note === null ? 0 : measure.count(note.text) + PER_MESSAGE
  const front = [pinned, folds].flatMap(block => block ?? [])
  const before = front.reduce((sum, { text }) => sum + measure.count(text) + PER_MESSAGE, 0)
  const lines = front.reduce((sum, { parts }) => sum + parts.length, 0)
  return most - fixed.cost - Math.ceil((said + noted + before) * factor) - 4 - lines
}
