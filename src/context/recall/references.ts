/** What a voice learns of the other voices: their answers of the last round, quoted beside the new message. */
import type { Recorded, TurnStarted } from '../../model/event.ts'
import type { Material } from '../../model/plan.ts'
import { isHouseVoice } from '../../model/settings/council.ts'
import type { Policy } from '../../model/settings/policy.ts'
import { endOf, PER_MESSAGE, type PlacedAside, type SaidBeat } from '../stages/draft.ts'
import type { Measure } from '../text/tokens.ts'
import { fairShare, MOST_QUOTED_TOKENS, type Quotable, quotable, shortened } from './quote.ts'

/** An answer that would be cut to fewer tokens than this is not quoted at all. */
const LEAST_QUOTED_TOKENS = 40

/** The reference, and how many tokens of each answer it quotes at most. */
export type Reference = { readonly aside: PlacedAside; readonly most: number }

/** Makes a quoted text one that cannot be read as the words of another, or as the end of the quotes. */
export type QuoteText = (text: string, names: readonly string[]) => string

const AS_IT_IS: QuoteText = text => text

/** Quotes the other voices, each shortened so that all quotes fit. Undefined if too little would be left of each. */
export function reference(
  round: readonly SaidBeat[],
  room: number,
  material: Material,
  measure: Measure,
  quoteText: QuoteText = AS_IT_IS,
): Reference | undefined {
  const answers = answersOf(round, material, measure)
  const written = (most: number): string => textOf(answers, most, material, measure, quoteText)
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
  return most < LEAST_QUOTED_TOKENS ? undefined : { most, aside: asideOf(round, written(most)) }
}

/** The same reference as at the first step of the turn: at most so many tokens of each answer. */
export const sameReference = (
  round: readonly SaidBeat[],
  most: number,
  material: Material,
  measure: Measure,
  quoteText: QuoteText,
): Reference => ({ most, aside: asideOf(round, textOf(answersOf(round, material, measure), most, material, measure, quoteText)) })

type NamedAnswer = Quotable & { readonly name: string }

const answersOf = (round: readonly SaidBeat[], material: Material, measure: Measure): readonly NamedAnswer[] =>
  [...Map.groupBy(round, said => said.turn).values()].map(beats => ({
    name: nameOf(beats[0], material),
    ...quotable(beats, measure),
  }))

function textOf(
  answers: readonly NamedAnswer[],
  most: number,
  { voices }: Material,
  measure: Measure,
  quoteText: QuoteText,
): string {
  const names = [...new Set([...answers.map(({ name }) => name), ...Object.values(voices)])]
  const quotes = answers.map(
    ({ name, text, tokens }) => `${name}: ${quoteText(tokens <= most ? text : shortened(text, most, measure), names)}`,
  )
  return `[For reference, here's what the other perspectives said last turn:\n\n${quotes.join('\n\n')}]`
}

const asideOf = (round: readonly SaidBeat[], text: string): PlacedAside => ({
  kind: 'reference',
  reason: 'reference.last-round',
  text,
  from: round.reduce((least, said) => Math.min(least, said.seq), Number.POSITIVE_INFINITY),
  to: round.reduce((most, said) => Math.max(most, endOf(said)), 0),
})

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
