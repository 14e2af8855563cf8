/** What a voice learns of the other voices: their answers of the last round, quoted beside the new message. */
import type { Recorded, TurnStarted } from '../../model/event.ts'
import type { Material } from '../../model/plan.ts'
import { isHouseVoice } from '../../model/settings/council.ts'
import type { Policy } from '../../model/settings/policy.ts'
import { boundsOf } from '../bounds.ts'
import type { SettledPolicy } from '../reply-limit.ts'
import { endOf, givenAsides, PER_MESSAGE, type PlacedAside, type PlacedDraft, type SaidBeat, weightOf } from '../stages/draft.ts'
import { canonical } from '../text/canonical.ts'
import type { Measure } from '../text/tokens.ts'
import { fairShare, MOST_QUOTED_TOKENS, quotable, shortened } from './quote.ts'

/** An answer that would be cut to fewer tokens than this is not quoted at all. */
const LEAST_QUOTED_TOKENS = 40

/** Quotes the other voices, each shortened so that all quotes fit. Undefined if too little would be left of each. */
export function reference(
  round: readonly SaidBeat[],
  room: number,
  material: Material,
  measure: Measure,
): PlacedAside | undefined {
  const answers = [...Map.groupBy(round, said => said.turn).values()].map(beats => ({
    name: nameOf(beats[0], material),
    ...quotable(beats, measure),
  }))
  const written = (most: number): string => {
    const quotes = answers.map(({ name, text, tokens }) => `${name}: ${tokens <= most ? text : shortened(text, most, measure)}`)
    return `[For reference, here's what the other perspectives said last turn:\n\n${quotes.join('\n\n')}]`
  }
  const fits = (text: string): boolean => Math.ceil((measure.count(text) + PER_MESSAGE) * material.model.factor) <= room
  const around = answers.reduce((sum, { name }) => sum + measure.count(name) + 4, 24)
  let most =
    room === Number.POSITIVE_INFINITY
      ? MOST_QUOTED_TOKENS
      : fairShare(
          answers.map(({ tokens }) => tokens),
          room / material.model.factor - around,
        )
  // Names and breaks weigh a little more or less than they were taken for.
  while (most >= LEAST_QUOTED_TOKENS && room !== Number.POSITIVE_INFINITY && !fits(written(most))) most = Math.floor(most * 0.9)
  if (most < LEAST_QUOTED_TOKENS) return undefined
  return {
    kind: 'reference',
    reason: 'reference.last-round',
    text: written(most),
    from: round.reduce((least, said) => Math.min(least, said.seq), Number.POSITIVE_INFINITY),
    to: round.reduce((most, said) => Math.max(most, endOf(said)), 0),
  }
}

/**
 * What the past leaves free below `high`: what others said gives way before what was said here does. Measured as the turn
 * began, so that its later steps quote the same words.
 */
export function roomFor(placed: PlacedDraft, material: Material, policy: SettledPolicy, measure: Measure): number {
  if (policy.window.tokenBounds === null) return Number.POSITIVE_INFINITY
  const { factor } = material.model
  const cost = (tokens: number): number => Math.ceil(tokens * factor)
  const texts = [
    ...material.system.map(part => cost(measure.count(part.text))),
    ...(material.tools.length === 0 ? [] : [cost(measure.count(canonical(material.tools)))]),
    ...givenAsides(material).map(aside => cost(measure.count(aside.text) + PER_MESSAGE)),
    ...(placed.note === null ? [] : [cost(measure.count(placed.note.text) + PER_MESSAGE)]),
  ]
  const caused = placed.current.filter(beat => beat.seq === material.turn.cause)
  const beats = [...placed.head, ...placed.pins, ...placed.past, ...caused].map(beat => cost(weightOf(beat)))
  return boundsOf(policy, material.model.window).high - [...texts, ...beats].reduce((sum, each) => sum + each, 0)
}

/**
 * The others' answers to the last message this voice could hear before this one, in the order their turns started: chosen
 * by cause, never by place. A voice that has not answered yet hears no other.
 */
export function lastRoundAnswers(
  others: readonly SaidBeat[],
  material: Material,
  policy: Pick<Policy, 'references'>,
): readonly SaidBeat[] {
  if (policy.references === 'none') return []
  const earlier = material.events.filter(
    (event): event is Recorded & TurnStarted =>
      event.type === 'turn.started' && event.cause < material.turn.cause && !isHouseVoice(event.voice),
  )
  if (!earlier.some(event => event.voice === material.voice)) return []
  const unheard = new Set(
    material.events.flatMap(event =>
      event.type === 'message.received' && event.to?.includes(material.voice) === false ? [event.seq] : [],
    ),
  )
  const last = earlier.filter(event => !unheard.has(event.cause)).reduce((most, event) => Math.max(most, event.cause), 0)
  // A later round may be in the part that was not read. Quoting nothing is better than quoting an old round.
  if (material.gaps.some(gap => gap.to >= last)) return []
  const order = earlier.filter(event => event.cause === last).map(event => event.turn)
  const isAnswer = (said: SaidBeat): boolean =>
    order.includes(said.turn) && !isFailed(said, material) && said.parts.some(part => part.type === 'text')
  return others.filter(isAnswer).sort((a, b) => order.indexOf(a.turn) - order.indexOf(b.turn) || a.seq - b.seq)
}

/** The current name of a voice, or its name at the time if the voice is gone. */
function nameOf(said: SaidBeat | undefined, { voices, events }: Material): string {
  const voice = said?.voice ?? ''
  const started = events.find(event => event.type === 'turn.started' && event.turn === said?.turn)
  return voices[voice] ?? (started?.type === 'turn.started' ? started.name : undefined) ?? voice
}

/** A turn that failed is not quoted, even if it had said something by then. */
const isFailed = (said: SaidBeat, { events }: Material): boolean =>
  events.some(
    event =>
      event.type === 'turn.ended' && event.turn === said.turn && (event.reason === 'failed' || event.reason === 'interrupted'),
  )
