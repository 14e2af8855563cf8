import { isHouseVoice } from '../model/council.ts'
import type { Recorded, TurnStarted } from '../model/event.ts'
import type { Material } from '../model/plan.ts'
import type { Policy } from '../model/policy.ts'
import { type Aware, type Draft, endOf, leftOut, type Placed, type PlacedAside, type Said } from './draft.ts'
import type { Measure } from './render.ts'

/** The most that is quoted of one answer. */
const MOST_QUOTED_TOKENS = 2000

/** Puts beside the new message what was gathered for it, and what the other voices said in the last round. */
export function recall(placed: Placed, material: Material, policy: Policy, measure: Measure): Aware {
  const quoted = new Set(lastRound(placed.others, material, policy))
  const unheard = placed.others.filter(said => !quoted.has(said)).map(said => leftOut(said, 'out.other-voice'))
  return { ...placed, asides: asidesOf(placed, material, policy, measure), left: [...placed.left, ...unheard] }
}

/** References first, then notes; blank texts would only be noise. */
export function asidesOf(
  draft: Pick<Draft, 'others'>,
  material: Material,
  policy: Policy,
  measure: Measure,
): readonly PlacedAside[] {
  const round = lastRound(draft.others, material, policy)
  const given = material.asides.filter(aside => aside.text.trim() !== '')
  return round.length === 0 ? given : [reference(round, material, measure), ...given]
}

function reference(round: readonly Said[], material: Material, measure: Measure): PlacedAside {
  const quotes = [...Map.groupBy(round, said => said.turn).values()].map(beats => {
    const text = beats.flatMap(said => said.parts.flatMap(part => (part.type === 'text' ? [part.text] : []))).join('\n\n')
    return `${nameOf(beats[0], material)}: ${shortened(text, measure)}`
  })
  return {
    kind: 'reference',
    reason: 'reference.last-round',
    text: `[For reference, here's what the other perspectives said last turn:\n\n${quotes.join('\n\n')}]`,
    from: round.reduce((least, said) => Math.min(least, said.seq), Number.POSITIVE_INFINITY),
    to: round.reduce((most, said) => Math.max(most, endOf(said)), 0),
  }
}

/**
 * The others' answers to the last message this voice could hear before this one, in the order their turns started: chosen
 * by cause, never by place. Who has not answered yet hears nobody.
 */
function lastRound(others: readonly Said[], material: Material, policy: Policy): readonly Said[] {
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
  // A later round may be among what was not read: rather nobody than words of long ago.
  if (material.gaps.some(gap => gap.to >= last)) return []
  const order = earlier.filter(event => event.cause === last).map(event => event.turn)
  const isAnswer = (said: Said): boolean =>
    order.includes(said.turn) && !isFailed(said, material) && said.parts.some(part => part.type === 'text')
  return others.filter(isAnswer).sort((a, b) => order.indexOf(a.turn) - order.indexOf(b.turn) || a.seq - b.seq)
}

/** As it is called now; a voice that is gone, as it was called then. */
function nameOf(said: Said | undefined, { voices, events }: Material): string {
  const voice = said?.voice ?? ''
  const started = events.find(event => event.type === 'turn.started' && event.turn === said?.turn)
  return voices[voice] ?? (started?.type === 'turn.started' ? started.name : undefined) ?? voice
}

/** A turn that failed is no perspective, whatever it had said by then. */
const isFailed = (said: Said, { events }: Material): boolean =>
  events.some(
    event =>
      event.type === 'turn.ended' && event.turn === said.turn && (event.reason === 'failed' || event.reason === 'interrupted'),
  )

function shortened(text: string, measure: Measure): string {
  if (text.length <= MOST_QUOTED_TOKENS || measure.count(text) <= MOST_QUOTED_TOKENS) return text
  const characters = [...text]
  let low = 0
  let high = characters.length
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (measure.count(characters.slice(0, middle).join('')) < MOST_QUOTED_TOKENS) low = middle
    else high = middle - 1
  }
  return `${characters.slice(0, low).join('')}…`
}
