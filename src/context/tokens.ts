import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import type { Attachment, Fact } from '../model/event.ts'
import { beginsMessage } from './begins.ts'
import { resultText } from './result-text.ts'

/** Nothing in a conversation is a control token, whatever it looks like. */
const PLAIN = { disallowedSpecial: new Set<string>() }

/** Byte-pair merging is quadratic in an unbroken run, so longer runs are counted in slices of this many characters. */
const LONGEST_RUN = 256

const UNBROKEN = new RegExp(`\\S{${LONGEST_RUN + 1}}|\\s{${LONGEST_RUN + 1}}`)

/** How many o200k tokens a text has; exact but for runs of more than 256 characters that are all space, or have none. */
export function count(text: string): number {
  if (text.length === 0) return 0
  if (text.length <= LONGEST_RUN || !UNBROKEN.test(text)) return countTokens(text, PLAIN)
  let total = 0
  for (const slice of slices(text)) total += countTokens(slice, PLAIN)
  return total
}

/** What an event weighs: its tokens as history (thinking is never history) and how many messages begin with it. */
export function weigh(fact: Fact): { readonly tokens: number; readonly messages: number } {
  switch (fact.type) {
    case 'message.received':
      return { tokens: count(fact.text) + attachedTokens(fact.parts ?? []), messages: 1 }
    case 'reply.finished':
    case 'reply.broken':
      return {
        tokens: fact.internal === true ? 0 : fact.parts.reduce((sum, part) => sum + partTokens(part), 0),
        messages: beginsMessage(fact) ? 1 : 0,
      }
    case 'tool.settled':
      return { tokens: count(resultText(fact)), messages: 0 }
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

function partTokens(part: Extract<Fact, { type: 'reply.finished' }>['parts'][number]): number {
  switch (part.type) {
    case 'text':
      return count(part.text)
    case 'think':
      return 0
    case 'call':
      return count(part.tool) + count(part.raw ?? JSON.stringify(part.args) ?? '') + 8
  }
}

/** Texts of more than this many characters are counted by samples: whoever is admitted must not keep everyone waiting. */
const MOST_COUNTED = 1 << 20
const SAMPLE = 4096

function attachedTokens(attachments: readonly Attachment[]): number {
  const characters = attachments.reduce((sum, file) => sum + (file.type === 'text' ? file.text.length : 0), 0)
  const every = Math.max(1, Math.ceil(characters / MOST_COUNTED))
  return attachments.reduce(
    (sum, file) => sum + (file.type === 'text' ? count(file.name) + sampled(file.text, every) : file.tokens),
    0,
  )
}

/** Counts one of so many samples and takes the others to be like it. */
function sampled(text: string, every: number): number {
  if (every === 1 || text.length <= SAMPLE) return count(text)
  let tokens = 0
  let characters = 0
  for (let start = 0; start < text.length; start += SAMPLE * every) {
    const sample = text.slice(start, start + SAMPLE)
    tokens += count(sample)
    characters += sample.length
  }
  return Math.ceil((tokens / characters) * text.length)
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
