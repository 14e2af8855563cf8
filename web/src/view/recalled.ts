/** The earlier messages that a request quoted, as the conversation shows them. */
import type { Mark } from '../../../src/model/event.ts'
import type { RecallQuote, SourceChat, TextSlice } from '../../../src/model/recall.ts'
import type { InLine, Receipt } from '../../../src/model/receipt.ts'
import { textsOf } from '../../../src/model/turn-view/join-cuts.ts'
import { markOf } from './shown.ts'
import type { MessageEntry, ReplyEntry, Step, ViewEntry } from './view.ts'

/** A message that was quoted, and where it is in the conversation. */
export type RecalledMessage = {
  readonly seq: number
  /** The other chat that it was said in; null if it was said here. */
  readonly chat: SourceChat | null
  /** When it was said; null if the conversation does not have it. */
  readonly at: string | null
  /** Whose reply it is; null if the person said it. */
  readonly speaker: Pick<ReplyEntry, 'voice' | 'name'> | null
  /** What was quoted of it, from its beginning. */
  readonly text: string
  readonly mark: Mark | null
  /** What a mark goes on: the message, or all finished replies of its answer. */
  readonly targets: readonly number[]
}

/** The receipt of a reply's first request; null in a stretch that begins later. */
export const firstReceipt = (steps: readonly Step[]): Receipt | null =>
  steps.find(({ step, receipt }) => step === 1 && receipt !== null)?.receipt ?? null

/** The lines of a receipt that quote an earlier message. */
export const recalledLines = ({ in: lines }: Pick<Receipt, 'in'>): readonly InLine[] =>
  lines.filter(({ kind }) => kind === 'recall')

/** The lines of a receipt with all quotes on one, as a table shows them. */
export function receiptRows({ in: lines }: Pick<Receipt, 'in'>): readonly InLine[] {
  const quotes = recalledLines({ in: lines })
  const [first] = quotes
  if (first === undefined) return lines
  const { from: _, to: __, ...rest } = first
  const together = { ...rest, count: quotes.length, tokens: quotes.reduce((sum, { tokens }) => sum + tokens, 0) }
  return lines.flatMap(line => (line === first ? [together] : line.kind === 'recall' ? [] : [line]))
}

/** What a request quoted, in its order. One pass over the conversation finds all of it, however long that is. */
export function recalledMessages(
  entries: readonly ViewEntry[],
  receipt: Pick<Receipt, 'in' | 'window'>,
): readonly RecalledMessage[] {
  const quotes = recalledLines(receipt).flatMap(line => (line.from === undefined ? [] : [quoteOf(receipt, line)]))
  const own = quotes.filter(({ chat }) => chat === undefined)
  const wanted = new Map(own.flatMap(quote => quote.seqs.map(seq => [seq, quote] as const)))
  const messages = new Map<RecallQuote, MessageEntry>()
  const replies = new Map<RecallQuote, { readonly entry: ReplyEntry; readonly steps: Step[] }>()
  for (const entry of entries) {
    if (entry.kind === 'message') {
      const quote = wanted.get(entry.seq)
      if (quote !== undefined) messages.set(quote, entry)
    }
    if (entry.kind !== 'reply') continue
    for (const step of entry.steps) {
      const quote = step.seq === null ? undefined : wanted.get(step.seq)
      if (quote === undefined) continue
      const known = replies.get(quote)
      if (known === undefined) replies.set(quote, { entry, steps: [step] })
      else known.steps.push(step)
    }
  }
  return quotes.map(quote => {
    const [message, reply] = [messages.get(quote), replies.get(quote)]
    if (message !== undefined) return ofMessage(quote, message)
    return reply === undefined ? unknown(quote) : ofReply(quote, reply.entry, reply.steps)
  })
}

/**
 * The window of a receipt says which parts of a message were quoted and from which chat, the line where it begins. Messages of
 * two chats may have the same seq.
 */
function quoteOf(
  { window: { recalled = [], pinned = [] } }: Pick<Receipt, 'window'>,
  { from = 0, session }: QuoteLine,
): RecallQuote {
  const here = [...recalled, ...pinned].filter(({ seqs }) => seqs[0] === from)
  const elsewhere = here.find(({ chat }) => chat !== undefined && chat.session === session)
  return elsewhere ?? here.find(({ chat }) => chat === undefined) ?? { seqs: [from], author: null }
}

type QuoteLine = Pick<InLine, 'from' | 'session'>

/** The other chat that a line of a receipt quotes or has a pin from; null if it is from this one. */
export const quotedChat = (receipt: Pick<Receipt, 'window'>, line: QuoteLine): SourceChat | null =>
  line.from === undefined ? null : (quoteOf(receipt, line).chat ?? null)

const unknown = ({ seqs: [seq = 0], chat }: RecallQuote): RecalledMessage => ({
  ...{ seq, chat: chat ?? null, at: null, speaker: null, text: '', mark: null, targets: [] },
})

/** A quote from another chat as a request has it: its day, who said it, and the words. */
export type ForeignQuote = { readonly day: string; readonly who: string; readonly words: string }

/** Reads a quote of the form `2024-01-14 Chat title · Name: words`; null if it has another form. */
export function foreignQuote(text: string, title: string): ForeignQuote | null {
  const [, day, rest] = /^(\d{4}-\d{2}-\d{2}) ([\s\S]*)$/.exec(text.trim()) ?? []
  const start = `${title} · `
  if (day === undefined || rest === undefined || !rest.startsWith(start)) return null
  const [, who = '', words = ''] = /^([^:\n]{1,120}): ([\s\S]*)$/.exec(rest.slice(start.length)) ?? []
  return who === '' ? { day, who, words: rest.slice(start.length) } : { day, who, words }
}

function ofMessage(quote: RecallQuote, { seq, at, text, mark, files = [] }: MessageEntry): RecalledMessage {
  const texts = [text, ...files.flatMap(file => file.text ?? [])]
  return { seq, chat: null, at, speaker: null, text: quotedWords(quote, texts), mark, targets: [seq] }
}

function ofReply(quote: RecallQuote, { voice, name, at }: ReplyEntry, steps: readonly Step[]): RecalledMessage {
  const words = textsOf(steps)
    .filter(text => text !== '')
    .join('\n\n')
  const results = steps.flatMap(({ parts }) =>
    parts.flatMap(part => (part.type === 'call' && part.run.state === 'settled' ? [resultOf(part.run)] : [])),
  )
  const finished = steps.flatMap(({ state, seq }) => (state === 'finished' && seq !== null ? [seq] : []))
  // Calls that ran beside each other may have settled in another order than they are shown in.
  const texts = results.length > 1 ? [words] : [words, ...results]
  return {
    ...{ seq: quote.seqs[0] ?? 0, chat: null, at, speaker: { voice, name }, text: quotedWords(quote, texts) },
    ...{ mark: markOf(steps), targets: finished },
  }
}

/** A result as a model reads it. */
const resultOf = ({ outcome, content }: { readonly outcome: string; readonly content?: string }): string =>
  content === undefined ? outcome : `${outcome}\n\n${content}`

/** What was quoted of a message, its words before the texts of its files and results. */
function quotedWords({ slices }: Pick<RecallQuote, 'slices'>, texts: readonly string[]): string {
  const [words = ''] = texts
  if (slices === undefined) return words.trim() === '' ? (texts[1] ?? '').trim() : words.trim()
  const known = slices.filter(([text]) => text < texts.length).toSorted(inTheirOrder)
  const parts = known.map(([text, from, to]) => texts[text]?.slice(from, to) ?? '')
  const isFromStart = known[0] === undefined || known[0][1] === 0
  return `${isFromStart ? '' : '… '}${parts.length === 0 ? words.trim() : parts.join(' … ')}`
}

const inTheirOrder = ([text, from]: TextSlice, [other, start]: TextSlice): number => text - other || from - start
