/** Counts the tokens of texts and events, close enough to what models count. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import type { Attachment, Fact } from '../../model/event.ts'
import { tokensOfImages } from '../../model/message/attachment.ts'
import { beginsMessage } from './begins-message.ts'
import { resultText } from './result-text.ts'

/** How texts are measured. Callers pass counting and hashing in, so that this room runs anywhere. */
export type Measure = { readonly count: (text: string) => number; readonly hash: (text: string) => string }

/** No text of a conversation counts as a control token, even if it looks like one. */
const PLAIN = { disallowedSpecial: new Set<string>() }

/** Byte-pair merging is quadratic in an unbroken run, so longer runs are counted in slices of this many characters. */
const LONGEST_RUN = 256

const UNBROKEN = new RegExp(`\\S{${LONGEST_RUN + 1}}|\\s{${LONGEST_RUN + 1}}`)

/**
 * Up to this many characters are counted. Of a longer text only samples are, so that one long message does not delay
 * everyone: some texts take the tokenizer most of a microsecond for each character.
 */
const MOST_COUNTED = 1 << 15
const SAMPLE = 4096

/**
 * Of a longer text than this, so many characters are at least one token. Ordinary ones have two or three times as many; a
 * million blanks would else be next to nothing, and requests of any size would fit into a window.
 */
const LONG = 4096
const MOST_PER_TOKEN = 8

/**
 * How many o200k tokens a text has. Exact up to 32,768 characters, but for runs of more than 256 that are all space, or have
 * none; nearly right above. Never less than an eighth of a long text's characters.
 */
export const count = (text: string): number => countAll([text])

/** The same for several texts, of which together no more is counted than of one. */
function countAll(texts: readonly string[]): number {
  const characters = texts.reduce((sum, { length }) => sum + length, 0)
  const every = Math.ceil(characters / MOST_COUNTED)
  const tokens = every > 1 ? sampled(texts.join('\n'), every) : texts.reduce((sum, text) => sum + countWhole(text), 0)
  return characters > LONG ? Math.max(tokens, Math.ceil(characters / MOST_PER_TOKEN)) : tokens
}

/** The same, of the whole text however long it is: what the first version of the assembly counted by. */
export function countWhole(text: string): number {
  if (text.length === 0) return 0
  if (text.length <= LONGEST_RUN || !UNBROKEN.test(text)) return countTokens(text, PLAIN)
  let total = 0
  for (const slice of slices(text)) total += countTokens(slice, PLAIN)
  return total
}

/** Counts one of so many samples and takes the others to be like it. */
function sampled(text: string, every: number): number {
  let tokens = 0
  let characters = 0
  for (let start = 0; start < text.length; start += SAMPLE * every) {
    const sample = text.slice(start, start + SAMPLE)
    tokens += countWhole(sample)
    characters += sample.length
  }
  return Math.ceil((tokens / characters) * text.length)
}

/** Whether some of the event's text may have been counted otherwise than whole. */
const isLong = (fact: Fact): boolean => JSON.stringify(fact).length > LONG

/**
 * An event as the first version of the assembly weighed it, every text whole: those that came in later from an archive were
 * weighed by samples.
 */
export function weighedWhole<Weighed extends Fact & { readonly tokens: number }>(event: Weighed): Weighed {
  switch (event.type) {
    case 'message.received': {
      if (!isLong(event)) return event
      const files = (event.parts ?? []).map(file =>
        file.type === 'text' ? countWhole(file.name) + countWhole(file.text) : file.tokens,
      )
      return { ...event, tokens: files.reduce((sum, tokens) => sum + tokens, countWhole(event.text)) }
    }
    case 'reply.finished':
    case 'reply.broken': {
      if (event.internal === true || !isLong(event)) return event
      const texts = partTexts(event.parts)
      const calls = PER_CALL * event.parts.filter(({ type }) => type === 'call').length
      return { ...event, tokens: texts.reduce((sum, text) => sum + countWhole(text), calls) }
    }
    case 'tool.settled':
      return isLong(event) ? { ...event, tokens: countWhole(resultText(event)) + tokensOfImages(event.images) } : event
    default:
      return event
  }
}

/** What an event weighs: its tokens as history (thinking is never history) and how many messages begin with it. */
export function weigh(fact: Fact): { readonly tokens: number; readonly messages: number } {
  switch (fact.type) {
    case 'message.received':
      return { tokens: count(fact.text) + attachedTokens(fact.parts ?? []), messages: 1 }
    case 'reply.finished':
    case 'reply.broken':
      return {
        tokens: fact.internal === true ? 0 : partTokens(fact.parts),
        messages: beginsMessage(fact) ? 1 : 0,
      }
    case 'tool.settled':
      return { tokens: count(resultText(fact)) + tokensOfImages(fact.images), messages: 0 }
    case 'history.folded':
      return { tokens: count(fact.text), messages: 0 }
    case 'turn.started':
    case 'context.planned':
    case 'tool.started':
    case 'approval.asked':
    case 'approval.answered':
    case 'turn.ended':
    case 'message.marked':
    case 'session.changed':
      return { tokens: 0, messages: 0 }
  }
}

type Part = Extract<Fact, { type: 'reply.finished' }>['parts'][number]

/** A call is more than its words: a few tokens say that it is one. */
const PER_CALL = 8

const partTexts = (parts: readonly Part[]): readonly string[] =>
  parts.flatMap(part => {
    if (part.type === 'text') return [part.text]
    return part.type === 'call' ? [part.tool, part.raw ?? JSON.stringify(part.args) ?? ''] : []
  })

function partTokens(parts: readonly Part[]): number {
  const texts = partTexts(parts)
  return countAll(texts) + PER_CALL * parts.filter(({ type }) => type === 'call').length
}

function attachedTokens(attachments: readonly Attachment[]): number {
  const texts = attachments.flatMap(file => (file.type === 'text' ? [file.name, file.text] : []))
  return countAll(texts) + attachments.reduce((sum, file) => sum + (file.type === 'text' ? 0 : file.tokens), 0)
}

function* slices(text: string): Generator<string> {
  let start = 0
  while (start < text.length) {
    let end = Math.min(start + LONGEST_RUN, text.length)
    // Never through a surrogate pair: half a character would be counted as a broken one.
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1
    yield text.slice(start, end)
    start = end
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
