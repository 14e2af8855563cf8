/** Shows part of a message that is too long to be sent whole. */
import type { Part, ResultImage } from '../../model/event.ts'
import { textOfFile, tokensOfImages } from '../../model/message/attachment.ts'
import { fairShare } from '../recall/quote.ts'
import { type Beat, type CallAnswer, type Heard, isCall, PER_MESSAGE, type SaidBeat, weightOf } from '../stages/draft.ts'
import { excerptText } from '../text/excerpt.ts'
import type { Measure } from '../text/tokens.ts'
import type { Unit } from './window-kind.ts'

/** Said with what is missing of a result, so that the model knows how to get at it. */
const READ_ON = 'to read on, call the tool again for a smaller part or a range'

/** What is shown of a message, and the steps of an answer that are not. */
export type MessageExcerpt = { readonly unit: Unit; readonly hidden: readonly SaidBeat[] }

/** A message in at most so many tokens; nothing if so little says nothing. */
export function excerptMessage(unit: Unit, most: number, measure: Measure): MessageExcerpt | undefined {
  const [first] = unit.beats
  if (first === undefined) return undefined
  const known = excerpts.get(first)
  if (known !== undefined && known.most === most && known.measure === measure && isSameUnit(known.unit, unit)) return known.found
  const found = madeOf(unit, most, measure)
  excerpts.set(first, { unit, most, measure, found })
  return found
}

/** Made once for each message and length: the next request shows the same. */
const excerpts = new WeakMap<
  Beat,
  { readonly unit: Unit; readonly most: number; readonly measure: Measure; readonly found: MessageExcerpt | undefined }
>()

const isSameUnit = (a: Unit, b: Unit): boolean =>
  a.beats.length === b.beats.length && a.beats.every((beat, index) => beat === b.beats[index])

function madeOf({ key, beats }: Unit, most: number, measure: Measure): MessageExcerpt | undefined {
  const said = beats.filter(beat => beat.kind === 'said')
  if (said.length === beats.length) return excerptAnswer(key, said, most, measure)
  const [heard] = beats
  const shown = heard?.kind === 'heard' ? excerptHeard(heard, most, measure) : undefined
  return shown === undefined ? undefined : { unit: { key, beats: [shown] }, hidden: [] }
}

function excerptHeard(heard: Heard, most: number, measure: Measure): Heard | undefined {
  const files = heard.attachments.map(file =>
    file.type === 'text' ? textOfFile(file) : `[${file.type} ${file.name}, not shown]`,
  )
  const whole = [...files, ...(heard.text.trim() === '' ? [] : [heard.text])].join('\n')
  const text = excerptText(whole, most - PER_MESSAGE, measure)
  return text === '' ? undefined : { ...heard, text, attachments: [], tokens: measure.count(text), isExcerpt: true }
}

/** What the words about missing steps take. */
const STEPS_TOKENS = 12

/** Of an answer with steps the oldest whole steps go first; of the last one texts and results are shortened, calls never. */
function excerptAnswer(key: string, said: readonly SaidBeat[], most: number, measure: Measure): MessageExcerpt | undefined {
  const room = most - STEPS_TOKENS
  let first = 0
  let total = said.reduce((sum, beat) => sum + weightOf(beat), 0)
  while (first < said.length - 1 && total > room) {
    total -= weightOf(said[first] as SaidBeat)
    first += 1
  }
  const kept = said.slice(first)
  const [only] = kept
  const shown = total <= room || only === undefined ? kept : [shortenStep(only, room, measure)]
  const whole = shown.flatMap(beat => beat ?? [])
  // An answer of which only calls are left that cannot be shortened is not shown at all.
  if (whole.length < shown.length) return undefined
  const hidden = said.slice(0, first)
  const marked = withMarker(whole, hidden.length, measure)
  if (marked.reduce((sum, beat) => sum + weightOf(beat), 0) > most) return undefined
  return { unit: { key, beats: marked.map(beat => ({ ...beat, isExcerpt: true as const })) }, hidden }
}

/** Says in the answer's own first words how many of its steps are missing. */
function withMarker(shown: readonly SaidBeat[], hidden: number, measure: Measure): readonly SaidBeat[] {
  const [first, ...others] = shown
  if (hidden === 0 || first === undefined) return shown
  const marker = `[… ${hidden.toLocaleString('en')} ${hidden === 1 ? 'step' : 'steps'} not shown …]`
  const [part, ...parts] = first.parts
  const begun: readonly Part[] =
    part?.type === 'text'
      ? [{ ...part, text: `${marker}\n\n${part.text}` }, ...parts]
      : [{ type: 'text', text: marker }, ...first.parts]
  return [{ ...first, parts: begun, tokens: first.tokens + measure.count(`${marker}\n\n`) }, ...others]
}

/** One step in at most so many tokens; nothing if its calls alone have more. */
function shortenStep(step: SaidBeat, most: number, measure: Measure): SaidBeat | undefined {
  const texts = step.parts.flatMap(part => (part.type === 'text' ? [measure.count(part.text)] : []))
  const results = step.answers.map(answer => tokensOf(answer, measure))
  const sum = [...texts, ...results].reduce((all, each) => all + each, 0)
  const calls = Math.max(0, weightOf(step) - sum)
  const room = most - calls
  if (room < LEAST_TOKENS * (texts.length + results.length)) return undefined
  const share = fairShare([...texts, ...results], room, Number.POSITIVE_INFINITY)
  const parts = step.parts.flatMap((part): readonly Part[] => {
    if (part.type !== 'text') return [part]
    const text = excerptText(part.text, share, measure)
    return text === '' ? [] : [{ ...part, text }]
  })
  const answers = step.answers.map(answer => shortenAnswer(answer, share, measure))
  const isSilent = !parts.some(part => part.type === 'text' || isCall(part))
  if (isSilent) return undefined
  const tokens =
    step.tokens -
    sum +
    parts.reduce((all, part) => all + (part.type === 'text' ? measure.count(part.text) : 0), 0) +
    answers.reduce((all, answer) => all + tokensOf(answer, measure), 0)
  return { ...step, parts, answers, tokens }
}

/** Less than this of a text says nothing. */
const LEAST_TOKENS = 20

/** A result in at most so many tokens, with how to read on. */
export function shortenAnswer(answer: CallAnswer, most: number, measure: Measure): CallAnswer {
  const before = tokensOf(answer, measure)
  if (before <= most) return answer
  if (answer.images !== undefined) return withFewerImages(answer, answer.images, most, measure)
  const advised = excerptText(answer.text, most, measure, READ_ON)
  const text = advised === '' ? excerptText(answer.text, most, measure) : advised
  return { ...answer, text: text === '' ? NOT_SHOWN : text, tokens: measure.count(text === '' ? NOT_SHOWN : text) }
}

/** Images go before words do. From the first on, so many stay as there is room for beside the whole text. */
function withFewerImages(
  { images: _, ...answer }: CallAnswer,
  images: readonly ResultImage[],
  most: number,
  measure: Measure,
): CallAnswer {
  const kept: ResultImage[] = []
  let tokens = tokensOf(answer, measure) - tokensOfImages(images)
  for (const image of images) {
    if (tokens + image.tokens > most) break
    tokens += image.tokens
    kept.push(image)
  }
  return kept.length === 0 ? shortenAnswer({ ...answer, tokens }, most, measure) : { ...answer, tokens, images: kept }
}

/** What is left of a result where there is room for nothing of it; a call must have one. */
const NOT_SHOWN = '[not shown]'

export const tokensOf = ({ tokens, text }: CallAnswer, measure: Measure): number => tokens ?? measure.count(text)
