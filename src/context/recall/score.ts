/** Scores the messages that might be quoted: nine features, one formula for every chat. */
import type { DaySpan } from './language/dates.ts'

/** What is known of a message before it is compared with others. */
export type ComparedMessage = {
  /** Its place among the indexed messages. */
  readonly number: number
  /** Which sitting it belongs to: a pause of more than four hours begins another. */
  readonly sitting: number
  readonly author: string
  /** A person said it. */
  readonly isPerson: boolean
  /** Days since 1970. */
  readonly day: number
  readonly asks: boolean
  readonly statesRule: boolean
  readonly statesWish: boolean
  readonly speaksOfSelf: boolean
  /** BM25 of its best passage, as a share of what the question's terms are worth. */
  readonly lexical: number
  /** How much of the question is in that passage, related words counted in part. */
  readonly soft: number
  /** How similar it and its neighbours are to the question; null without vectors. */
  readonly similarity: number | null
  /** It is from a chat whose messages have named authors, where that does not hold for all. */
  readonly hasNamedAuthor?: boolean
}

/** What of the question and of the chat decides how messages are compared. */
export type Comparison = {
  /** Every message has a named author, so all are of one kind; else a person's and the model's are compared apart. */
  readonly hasNamedAuthors: boolean
  /** The authors that the question names. */
  readonly namedAuthors: ReadonlySet<string>
  /** The days that the question names. */
  readonly spans: readonly DaySpan[]
  /** Two messages are neighbours if their numbers differ by at most this. */
  readonly reach: number
}

/** The features of one message. */
export type Features = {
  readonly match: number
  readonly context: number
  readonly around: number
  readonly answers: number
  readonly author: number
  readonly date: number
  readonly rule: number
  readonly wish: number
  readonly self: number
}

/** Round numbers, set by hand: nothing of them was fitted to a set of conversations. */
export const WEIGHTS: Features = {
  match: 0.5,
  context: 0.5,
  around: 0.5,
  answers: 0.5,
  author: 1,
  date: 1,
  rule: 1,
  wish: 1,
  self: 1,
}

/** What is near counts for less with each message between. */
const DECAY = 0.8
const AROUND = 0.2
/** Messages of so many days before or after a day that the question names count, too. */
const NEAR_DAYS = 3

/** The features of all messages, in their order; the messages are in the order of their numbers. */
export function featuresOf(messages: readonly ComparedMessage[], comparison: Comparison): readonly Features[] {
  const kinds = messages.map(({ isPerson }) => (comparison.hasNamedAuthors || isPerson ? 0 : 1))
  const lexical = standardized(
    messages.map(({ lexical: value }) => value),
    kinds,
  )
  const soft = standardized(
    messages.map(({ soft: value }) => value),
    kinds,
  )
  const match = messages.map((_, index) => (lexical[index] ?? 0) + (soft[index] ?? 0))
  const context = messages.some(({ similarity }) => similarity !== null)
    ? standardized(
        messages.map(({ similarity }) => similarity ?? 0),
        kinds,
      )
    : messages.map(() => 0)
  const around = aroundOf(messages, match)
  const dates = datesOf(messages, comparison.spans)
  return messages.map((message, index) => {
    const isPersons = comparison.hasNamedAuthors || message.isPerson
    return {
      match: match[index] ?? 0,
      context: context[index] ?? 0,
      around: around[index] ?? 0,
      answers: answersAt(messages, match, index, comparison),
      author: comparison.namedAuthors.size === 0 ? 0 : comparison.namedAuthors.has(message.author) ? 1 : -1,
      date: dates[index] ?? 0,
      rule: isPersons && message.statesRule ? 1 : 0,
      wish: isPersons && message.statesWish ? 1 : 0,
      self: isPersons && message.speaksOfSelf ? 1 : 0,
    }
  })
}

export const FEATURES: readonly (keyof Features)[] = Object.keys(WEIGHTS) as (keyof Features)[]

/** The weighted sum of a message's features. */
export const scoreOf = (features: Features, weights: Features = WEIGHTS): number =>
  FEATURES.reduce((sum, name) => sum + weights[name] * features[name], 0)

/** Each value less the mean of its kind, divided by the deviation; 0 where all are the same. */
function standardized(values: readonly number[], kinds: readonly number[]): readonly number[] {
  const result = values.map(() => 0)
  for (const kind of new Set(kinds)) {
    const own = values.filter((_, index) => kinds[index] === kind)
    const mean = own.reduce((sum, value) => sum + value, 0) / own.length
    const deviation = Math.sqrt(own.reduce((sum, value) => sum + (value - mean) ** 2, 0) / own.length)
    if (deviation < 1e-9) continue
    for (const [index, value] of values.entries()) if (kinds[index] === kind) result[index] = (value - mean) / deviation
  }
  return result
}

/** How well the other messages of the same sitting match, less with each message between. */
function aroundOf(messages: readonly ComparedMessage[], match: readonly number[]): readonly number[] {
  const sums = messages.map(() => 0)
  const walk = (order: readonly number[]): void => {
    let carried = 0
    let before: number | undefined
    for (const index of order) {
      const [message, last] = [messages[index], before === undefined ? undefined : messages[before]]
      if (message === undefined) continue
      if (last === undefined || last.sitting !== message.sitting) carried = 0
      else
        carried =
          (carried + Math.max(0, match[before ?? index] ?? 0)) * DECAY ** Math.max(1, Math.abs(message.number - last.number))
      sums[index] = (sums[index] ?? 0) + carried
      before = index
    }
  }
  const forward = messages.map((_, index) => index)
  walk(forward)
  walk(forward.toReversed())
  return sums.map(sum => AROUND * sum)
}

/** The match of the question that a message answers: the message before, by another author, in the same sitting. */
function answersAt(
  messages: readonly ComparedMessage[],
  match: readonly number[],
  index: number,
  { hasNamedAuthors, reach }: Comparison,
): number {
  const [message, before] = [messages[index], messages[index - 1]]
  if (message === undefined || before === undefined || !(hasNamedAuthors || message.hasNamedAuthor === true)) return 0
  const isAnswer = before.asks && before.author !== message.author && before.sitting === message.sitting
  return isAnswer && message.number - before.number <= reach ? Math.max(0, match[index - 1] ?? 0) : 0
}

function datesOf(messages: readonly ComparedMessage[], spans: readonly DaySpan[]): readonly number[] {
  const isIn = (day: number, by: number): boolean => spans.some(({ from, to }) => day >= from - by && day <= to + by)
  if (!messages.some(({ day }) => isIn(day, 0))) return messages.map(() => 0)
  return messages.map(({ day }) => (isIn(day, 0) ? 1 : isIn(day, NEAR_DAYS) ? 0.5 : -1))
}
