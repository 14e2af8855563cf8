// Measures how much of the evidence for each question is in the request that a method would send.
import { count } from '../../src/context/text/tokens.ts'
import type { Message, Question, RecallConversation } from './conversation.ts'

/** Builds the request for a question about one conversation: its texts, the question last. */
export type Ask = (question: Question, budget: number) => Promise<readonly string[]>

export type Method = { readonly name: string; readonly ask: (conversation: RecallConversation) => Ask | Promise<Ask> }

/** The share of a question's evidence that is in the request. */
export type Score = {
  readonly conversation: string
  readonly category: string
  /** Messages count if their whole text is there. */
  readonly whole: number
  /** The same, and long messages also count if the passage that matters is there. */
  readonly passages: number
  /** A request above its budget shows nothing. */
  readonly isOver: boolean
}

export type Summary = { readonly whole: number; readonly passages: number; readonly questions: number; readonly over: number }

/** What each message costs beside its text. */
const PER_MESSAGE = 4
/** Messages with more tokens are quoted in parts. */
const LONG = 250
const PASSAGE_CHARACTERS = 500

const counts = new Map<string, number>()

/** What a message with this text takes of a budget. */
export function costOf(text: string): number {
  const known = counts.get(text)
  if (known !== undefined) return known
  const tokens = count(text) + PER_MESSAGE
  counts.set(text, tokens)
  return tokens
}

export const costOfAll = (texts: readonly string[]): number => texts.reduce((sum, text) => sum + costOf(text), 0)

/** Every question of a conversation, asked by one method with one budget. */
export async function scoresOf(conversation: RecallConversation, ask: Ask, budget: number): Promise<readonly Score[]> {
  const byId = new Map(conversation.messages.map(message => [message.id, message]))
  const scores: Score[] = []
  for (const question of conversation.questions) {
    const texts = await ask(question, budget)
    const isOver = costOfAll(texts) > budget
    const request = isOver ? '' : texts.join('\n\n')
    const found = question.evidence.map(id => {
      const message = byId.get(id)
      if (message === undefined) throw new Error(`${question.id} names ${id}, which is no message`)
      const whole = request.includes(message.text)
      return { whole, passage: whole || hasPassage(request, question, message) }
    })
    const share = (many: number): number => (found.length === 0 ? 0 : many / found.length)
    scores.push({
      ...{ conversation: conversation.id, category: question.category, isOver },
      whole: share(found.filter(({ whole }) => whole).length),
      passages: share(found.filter(({ passage }) => passage).length),
    })
  }
  return scores
}

export function summaryOf(scores: readonly Score[]): Summary {
  const mean = (value: (score: Score) => number): number =>
    scores.length === 0 ? 0 : scores.reduce((sum, score) => sum + value(score), 0) / scores.length
  return {
    ...{ whole: mean(({ whole }) => whole), passages: mean(({ passages }) => passages) },
    ...{ questions: scores.length, over: scores.filter(({ isOver }) => isOver).length },
  }
}

/** Whether the part of a long message that matters is in the request. */
function hasPassage(request: string, { text, passages }: Question, message: Message): boolean {
  if (count(message.text) <= LONG) return false
  const known = passages?.[message.id]
  return request.includes(known ?? bestPassage(text, message.text))
}

/** The passage that shares most words with the question; rare words, which are mostly long, weigh more. */
export function bestPassage(question: string, text: string): string {
  const asked = wordsOf(question)
  const weightOf = (passage: string): number =>
    [...wordsOf(passage)].reduce((sum, word) => sum + (asked.has(word) ? word.length : 0), 0)
  const passages = passagesOf(text).map(passage => ({ passage, weight: weightOf(passage) }))
  return passages.reduce((best, each) => (each.weight > best.weight ? each : best), { passage: text, weight: -1 }).passage
}

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set((text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter(word => word.length > 2))

/** Whole sentences and lines, as many as fit into the length of a passage. */
function passagesOf(text: string): readonly string[] {
  const passages: string[] = []
  for (const sentence of text.match(/[^\n.!?。！？]+[.!?。！？]*\s*|\n+/g) ?? [text]) {
    const last = passages.at(-1)
    if (last === undefined || last.length + sentence.length > PASSAGE_CHARACTERS) passages.push(sentence)
    else passages[passages.length - 1] = last + sentence
  }
  return passages.map(passage => passage.trim()).filter(passage => passage !== '')
}
