/** Blocks of the recall index: facts about neighbouring messages and their passages, as bytes. */
import { amongTexts, type ByteReader, byteReader, byteWriter } from './bytes.ts'

/** So many passages are in one block. */
export const BLOCK = 64

export const blockOf = (passage: number): number => Math.floor(passage / BLOCK)

/** A message as the index knows it. */
export type IndexedMessage = {
  /** Its place among the indexed messages of its session. */
  readonly number: number
  /** The events it is made of. */
  readonly seqs: readonly number[]
  /** The seq with which it was complete: its own, or that of the end of its turn. */
  readonly completed: number
  /** When it was said, in minutes since 1970. */
  readonly minute: number
  readonly sitting: number
  /** The voice that said it; empty for a person. */
  readonly voice: string
  /** The name that it begins with, if it begins like a line of a play. */
  readonly name: string
  /** The voices that may hear it; empty if all may. */
  readonly to: readonly string[]
  readonly asks: boolean
  readonly statesRule: boolean
  readonly statesWish: boolean
  readonly speaksOfSelf: boolean
  readonly tokens: number
  /** How many terms its passages have. */
  readonly terms: number
  /** The number of its first passage, and how many there are. */
  readonly first: number
  readonly passages: number
}

/** A passage: which stretch of which text of its message, how many terms it has, and its place in the message. */
export type IndexedPassage = {
  readonly text: number
  readonly from: number
  readonly to: number
  readonly length: number
  /** How many passages of the same message come before it. */
  readonly behind: number
}

/** What all messages before a block come to. */
export type Totals = {
  readonly messages: number
  readonly passages: number
  /** Terms in all passages. */
  readonly terms: number
  /** Of the last message. */
  readonly completed: number
  readonly minute: number
  readonly sitting: number
  /** Tokens and messages of each voice; a person is the empty one. */
  readonly voices: ReadonlyMap<string, VoiceTotal>
  /** How often each name begins a message; at most one more name than a chat with named authors may have. */
  readonly names: ReadonlyMap<string, number>
}

type VoiceTotal = { readonly tokens: number; readonly messages: number }

export const NO_TOTALS: Totals = {
  ...{ messages: 0, passages: 0, terms: 0, completed: 0, minute: 0, sitting: 0 },
  ...{ voices: new Map(), names: new Map() },
}

/** A chat with more names than this has no named authors. */
export const MOST_NAMES = 20

/** A block: what came before, the passages in it, and the messages that begin in it. */
export type IndexBlock = {
  readonly before: Totals
  readonly messages: readonly IndexedMessage[]
  readonly passages: readonly IndexedPassage[]
}

/** What some totals and more messages come to. */
export function addMessages(totals: Totals, more: readonly IndexedMessage[]): Totals {
  const voices = new Map(totals.voices)
  const names = new Map(totals.names)
  for (const { voice, name, tokens } of more) {
    const known = voices.get(voice) ?? { tokens: 0, messages: 0 }
    voices.set(voice, { tokens: known.tokens + tokens, messages: known.messages + 1 })
    if (name !== '' && (names.has(name) || names.size <= MOST_NAMES)) names.set(name, (names.get(name) ?? 0) + 1)
  }
  const last = more.at(-1)
  return {
    messages: totals.messages + more.length,
    passages: totals.passages + more.reduce((sum, { passages }) => sum + passages, 0),
    terms: totals.terms + more.reduce((sum, { terms }) => sum + terms, 0),
    completed: last?.completed ?? totals.completed,
    minute: last?.minute ?? totals.minute,
    sitting: last?.sitting ?? totals.sitting,
    voices,
    names,
  }
}

export function encodeBlock({ before, messages, passages }: IndexBlock): Uint8Array {
  const writer = byteWriter()
  const { number, text } = writer
  writeTotals(writer, before)
  number(passages.length)
  let next = 0
  let seq = 0
  for (const { text: which, from, to, length, behind } of passages) {
    number(behind)
    if (behind === 0) {
      const message = messages[next++] as IndexedMessage
      number(message.seqs.length)
      let last = seq
      for (const each of message.seqs) {
        // An answer may have begun before a message that was complete earlier.
        number(each >= last ? (each - last) * 2 : (last - each) * 2 - 1)
        last = each
      }
      number(message.completed - (message.seqs.at(-1) ?? 0))
      seq = message.completed
      number(message.minute)
      number(message.sitting)
      text(message.voice)
      text(message.name)
      number(message.to.length)
      for (const voice of message.to) text(voice)
      number(
        (message.asks ? 1 : 0) + (message.statesRule ? 2 : 0) + (message.statesWish ? 4 : 0) + (message.speaksOfSelf ? 8 : 0),
      )
      number(message.tokens)
      number(message.terms)
      number(message.passages)
    }
    number(which)
    number(from)
    number(to - from)
    number(length)
  }
  return writer.done()
}

export function decodeBlock(body: Uint8Array, block: number): IndexBlock {
  const reader = byteReader(body)
  const { number } = reader
  const before = readTotals(reader)
  const messages: IndexedMessage[] = []
  const passages: IndexedPassage[] = []
  const count = number()
  let seq = 0
  for (let index = 0; index < count; index += 1) {
    const behind = number()
    if (behind === 0) {
      const message = readMessage(reader, seq, before.messages + messages.length, block * BLOCK + index)
      seq = message.completed
      messages.push(message)
    }
    passages.push(readPassage(reader, behind))
  }
  return { before, messages, passages }
}

/** A block of which only that is decoded which is asked for: of most blocks a question needs a few messages. */
export type ScannedBlock = {
  /** How many messages came before, and the seq with which the last of them was complete. */
  readonly messagesBefore: number
  readonly completedBefore: number
  /** How many passages of the same message come before one; undefined if there is no such passage. */
  readonly behind: (index: number) => number | undefined
  readonly passage: (index: number) => IndexedPassage | undefined
  /** The message that begins with a passage. */
  readonly message: (index: number) => IndexedMessage | undefined
  readonly whole: () => IndexBlock
}

/** By how much the numbers and sittings of a session's messages are moved where those of several sessions stand beside each other. */
export type MovedBy = { readonly number: number; readonly sitting: number }

export function scanBlock(body: Uint8Array, block: number, by: MovedBy = { number: 0, sitting: 0 }): ScannedBlock {
  const moved = (message: IndexedMessage): IndexedMessage => ({
    ...message,
    ...{ number: message.number + by.number, sitting: message.sitting + by.sitting },
  })
  const { number, skipNumbers, skipText, at } = byteReader(body)
  const messagesBefore = number()
  skipNumbers(2)
  const completedBefore = number()
  skipNumbers(2)
  for (let voices = number(); voices > 0; voices -= 1) {
    skipText()
    skipNumbers(2)
  }
  for (let names = number(); names > 0; names -= 1) {
    skipText()
    skipNumbers(1)
  }
  const count = number()
  /** Of each passage: how many are before it, where its bytes are, where those of its message are, and what these build on. */
  const behinds: number[] = []
  const passages: number[] = []
  const facts: number[] = []
  const seqs: number[] = []
  const numbers: number[] = []
  let [seq, next] = [0, messagesBefore]
  for (let index = 0; index < count; index += 1) {
    const behind = number()
    behinds.push(behind)
    facts.push(at())
    seqs.push(seq)
    numbers.push(next)
    if (behind === 0) {
      next += 1
      const parts = number()
      let last = parts === 0 ? 0 : seq
      for (let left = parts; left > 0; left -= 1) last += signed(number())
      seq = last + number()
      skipNumbers(2)
      skipText()
      skipText()
      for (let left = number(); left > 0; left -= 1) skipText()
      skipNumbers(4)
    }
    passages.push(at())
    skipNumbers(4)
  }
  const known = new Map<number, IndexedMessage>()
  return {
    ...{ messagesBefore: messagesBefore + by.number, completedBefore },
    behind: index => behinds[index],
    passage: index => {
      const behind = behinds[index]
      return behind === undefined ? undefined : readPassage(byteReader(body, passages[index]), behind)
    },
    message: index => {
      if (behinds[index] !== 0) return undefined
      const found =
        known.get(index) ??
        moved(readMessage(byteReader(body, facts[index]), seqs[index] ?? 0, numbers[index] ?? 0, block * BLOCK + index))
      known.set(index, found)
      return found
    },
    whole: () => {
      const whole = decodeBlock(body, block)
      return { ...whole, messages: whole.messages.map(moved) }
    },
  }
}

/** How a seq differs from the one before it: even numbers are forward. */
const signed = (coded: number): number => (coded % 2 === 0 ? coded / 2 : -(coded + 1) / 2)

function readMessage({ number, text }: ByteReader, before: number, place: number, first: number): IndexedMessage {
  const seqs: number[] = []
  for (let left = number(), last = before; left > 0; left -= 1) {
    last += signed(number())
    seqs.push(last)
  }
  const completed = (seqs.at(-1) ?? 0) + number()
  const minute = number()
  const sitting = number()
  const voice = text()
  const name = text()
  const to = Array.from({ length: number() }, text)
  const flags = number()
  return {
    ...{ number: place, seqs, completed, minute, sitting, voice, name, to },
    asks: (flags & 1) !== 0,
    statesRule: (flags & 2) !== 0,
    statesWish: (flags & 4) !== 0,
    speaksOfSelf: (flags & 8) !== 0,
    tokens: number(),
    terms: number(),
    first,
    passages: number(),
  }
}

function readPassage({ number }: ByteReader, behind: number): IndexedPassage {
  const [text, from] = [number(), number()]
  const to = from + number()
  return { text, from, to, length: number(), behind }
}

function writeTotals({ number, text }: ReturnType<typeof byteWriter>, totals: Totals): void {
  const { messages, passages, terms, completed, minute, sitting } = totals
  for (const each of [messages, passages, terms, completed, minute, sitting]) number(each)
  number(totals.voices.size)
  for (const [voice, total] of totals.voices) {
    text(voice)
    number(total.tokens)
    number(total.messages)
  }
  number(totals.names.size)
  for (const [name, many] of totals.names) {
    text(name)
    number(many)
  }
}

function readTotals({ number, text }: ByteReader): Totals {
  const [messages, passages, terms] = [number(), number(), number()]
  const [completed, minute, sitting] = [number(), number(), number()]
  const voices = new Map(Array.from({ length: number() }, () => [text(), { tokens: number(), messages: number() }]))
  const names = new Map(Array.from({ length: number() }, () => [text(), number()]))
  return { messages, passages, terms, completed, minute, sitting, voices, names }
}

/** The terms of the passages of a block, each with how often it occurs. */
export type PassageTerms = readonly (readonly [term: string, count: number])[]

export function encodeTerms(passages: readonly PassageTerms[]): Uint8Array {
  const { number, text, done } = byteWriter()
  number(passages.length)
  for (const terms of passages) {
    number(terms.length)
    for (const [term, count] of terms) {
      text(term)
      number(count)
    }
  }
  return done()
}

export function decodeTerms(body: Uint8Array): readonly PassageTerms[] {
  const { number, text } = byteReader(body)
  return Array.from({ length: number() }, () => Array.from({ length: number() }, () => [text(), number()] as const))
}

/** Calls back for the terms that are looked for; the others are passed over without being made into texts. */
export function eachTerm(
  body: Uint8Array,
  wanted: ReadonlySet<string>,
  visit: (passage: number, term: string, count: number) => void,
): void {
  const { number, textAmong } = byteReader(body)
  const among = amongTexts(wanted)
  for (let passage = 0, passages = number(); passage < passages; passage += 1)
    for (let left = number(); left > 0; left -= 1) {
      const term = textAmong(among)
      const count = number()
      if (term !== undefined) visit(passage, term, count)
    }
}

/** Messages that no longer count from a seq on, because their turn was tried again or went on in another one. */
export type Replaced = readonly (readonly [seq: number, since: number])[]

export function encodeReplaced(replaced: Replaced): Uint8Array {
  const { number, done } = byteWriter()
  for (const [seq, since] of replaced) {
    number(seq)
    number(since)
  }
  return done()
}

export function decodeReplaced(body: Uint8Array): Replaced {
  const { number, isAtEnd } = byteReader(body)
  const replaced: [number, number][] = []
  while (!isAtEnd()) replaced.push([number(), number()])
  return replaced
}
