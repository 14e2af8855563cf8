/** Window kind `tokens`: grows until a request has `high` tokens, then drops whole turns at once until it has `low`. */
import type { Window } from '../../model/settings/policy.ts'
import { givenAsides, isPartlyRead, omittedNote, PER_MESSAGE, weightOf } from '../stages/draft.ts'
import { canonical } from '../text/canonical.ts'
import { type Choosing, formatNumber, NOT_FOR_TRANSCRIPTS, repeated, type Unit, type WindowKind } from './window-kind.ts'

type Tokens = Extract<Window, { kind: 'tokens' }>

export const growAndDrop: WindowKind<Tokens> = window => ({
  whyRefused: ({ render, budget }) => {
    if (render === 'transcript') return NOT_FOR_TRANSCRIPTS
    const { low, high } = window
    if (low !== null && high !== null && low >= high) return `window: low ${low} must be less than high ${high}`
    if (high !== null && budget.tokens !== null && high > budget.tokens)
      return `window: high ${high} is more than budget.tokens ${budget.tokens}`
    return undefined
  },
  tokenBounds: window,
  showsEverything: false,
  continuesFromLast: true,
  read: ({ voice, policy, cause, turnBegan, began, bounds: { high }, enoughOrLow }) => {
    const seq = turnBegan ?? began
    return { from: seq === undefined ? { voice, policy, before: cause, orTokens: enoughOrLow(high) } : { seq } }
  },
  choose: (units, choosing) => ({ head: 0, recent: grown(units, choosing), note: omittedNote }),
  smaller: tokens => {
    const high = Math.min(window.high ?? tokens, tokens)
    return { kind: 'tokens', high, low: Math.min(window.low ?? high, Math.floor(high / 2)) }
  },
  asTranscript: () => window,
  words: {
    short: shortOf(window),
    sentence: sentenceOf(window),
    nearlyFull: 'soon the oldest turns will be left out, several at once. Pin what must stay.',
  },
  // How many messages so many tokens are depends on the messages, so this draws only the shape.
  picture: past => ['note', ...repeated('out', past - 25), ...repeated('sometimes', 12), ...repeated('kept', 12)],
})

function shortOf({ low, high }: Tokens): string {
  const most = high === null ? 'half the budget' : `${formatNumber(high)} tokens`
  const least = low === null ? 'half of that' : `${formatNumber(low)} tokens`
  return `grows to ${most}, then drops whole turns down to ${least}`
}

function sentenceOf({ low, high }: Tokens): string {
  const most = high === null ? 'half its budget (at most 60,000 tokens)' : `${formatNumber(high)} tokens`
  const least = low === null ? 'half of that remains' : `${formatNumber(low)} tokens remain`
  return `Sends everything until a request has ${most}; then drops the oldest turns at once until ${least}, so that prompt caches keep working.`
}

/** What a note costs, with room for its number. */
const NOTE_TOKENS = 16

/**
 * The index of the first message to send. A window begins where it began last time, until the whole request would have more
 * than `high` tokens; then whole turns are dropped from the front until it has at most `low`. It never moves after the first
 * step of a turn. If only part of the past was read and no earlier request says where to begin, there is more than `high`.
 */
function grown(units: readonly Unit[], choosing: Choosing): number {
  const { material, isPinned } = choosing
  const { high, low } = choosing.bounds
  const start = material.begins === null ? 0 : firstFrom(units, material.begins)
  if (material.turn.step > 1) return start

  const cost = (tokens: number): number => Math.ceil(tokens * material.model.factor)
  const costs = units.map(unit => unit.beats.reduce((sum, beat) => sum + cost(weightOf(beat)), 0))
  const fixed = fixedCost(choosing, cost)
  const suffix = runningSums(costs.toReversed())
  const fromHere = (index: number): number => suffix[units.length - index - 1] ?? 0
  const pinned = runningSums(units.map((unit, index) => (isPinned(unit) ? (costs[index] ?? 0) : 0)))
  const pinnedBefore = (index: number): number => pinned[index - 1] ?? 0
  const total = (index: number): number => fixed + fromHere(index) + pinnedBefore(index)

  const isOver = isPartlyRead(material) || total(start) > high
  if (!isOver || total(start) <= low) return start
  for (let index = start + 1; index < units.length; index += 1) if (beginsTurn(units, index) && total(index) <= low) return index
  return units.length
}

/** Everything in a request but the past. References are not counted: they take only the room that the past leaves. */
function fixedCost({ current, material, measure }: Choosing, cost: (tokens: number) => number): number {
  const system = material.system.reduce((sum, part) => sum + cost(measure.count(part.text)), 0)
  const tools = material.tools.length === 0 ? 0 : cost(measure.count(canonical(material.tools)))
  const asides = givenAsides(material).reduce((sum, aside) => sum + cost(measure.count(aside.text) + PER_MESSAGE), 0)
  return system + tools + asides + current.reduce((sum, beat) => sum + cost(weightOf(beat)), 0) + cost(NOTE_TOKENS)
}

const firstFrom = (units: readonly Unit[], seq: number): number => {
  const index = units.findIndex(unit => (unit.beats[0]?.seq ?? 0) >= seq)
  return index === -1 ? units.length : index
}

/** A turn begins where a person speaks after a voice did. */
function beginsTurn(units: readonly Unit[], index: number): boolean {
  return units[index]?.beats[0]?.kind === 'heard' && units[index - 1]?.beats[0]?.kind !== 'heard'
}

function runningSums(values: readonly number[]): readonly number[] {
  let sum = 0
  return values.map(value => {
    sum += value
    return sum
  })
}
