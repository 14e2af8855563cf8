/** Recalled messages as the model reads them: one bracketed block, oldest first, each with its day, speaker and text. */
import type { Recorded } from '../../model/event.ts'
import type { RecallQuote, TextSlice } from '../../model/recall.ts'
import { escapeQuoted } from './escape-quoted.ts'
import { type MessageText, messageTexts } from './message-texts.ts'

/** The events of a message, by its seqs; undefined if one of them was not read. */
export type EventsOf = (seqs: readonly number[]) => readonly Recorded[] | undefined

/** Finds events by seq. */
export function eventsBySeq(events: readonly Recorded[]): EventsOf {
  const bySeq = new Map(events.map(event => [event.seq, event]))
  return seqs => {
    const found = seqs.flatMap(seq => bySeq.get(seq) ?? [])
    return found.length === seqs.length ? found : undefined
  }
}

/** Parts of a text that do not touch have this between them. */
const GAP = ' … '

/** What is quoted of a message, letter for letter; undefined if its events were not read, or nothing of them can be quoted. */
export function quotedText({ seqs, slices }: RecallQuote, eventsOf: EventsOf): string | undefined {
  const events = eventsOf(seqs)
  if (events === undefined) return undefined
  const texts = messageTexts(events)
  const parts = texts.flatMap((text, index) => {
    const own = slices === undefined ? [text.text.trim()] : joined(slices, index).map(([, from, to]) => text.text.slice(from, to))
    const words = own.filter(each => each !== '').join(GAP)
    return words === '' ? [] : [named(text, words)]
  })
  return parts.length === 0 ? undefined : parts.join('\n')
}

const named = ({ name }: MessageText, words: string): string => (name === undefined ? words : `(${name}) ${words}`)

/** The slices of one text in their order; slices that touch, or have only space between, would read as one. */
function joined(slices: readonly TextSlice[], text: number): readonly TextSlice[] {
  return slices.filter(([which]) => which === text).toSorted((a, b) => a[1] - b[1])
}

/** Up to the first thing that some reader takes for the end of a line. */
const FIRST_LINE = /^[^\n\r\v\f\u0085\u2028\u2029]*/

/** One line of the block: the day, who said it, and what. `names` are those of the speakers, whom no quoted text may imitate. */
export function quotedLine(quote: RecallQuote, eventsOf: EventsOf, names: readonly string[]): string | undefined {
  const text = quotedText(quote, eventsOf)
  const at = eventsOf(quote.seqs)?.[0]?.at
  if (text === undefined || at === undefined) return undefined
  // A text that begins with its speaker keeps that line; only the lines after it could be taken for another speaker's.
  const own = quote.author === null ? (FIRST_LINE.exec(text)?.[0] ?? '') : ''
  const safe = own + escapeQuoted(text.slice(own.length), [...names, PERSON_NAME], beginsWithDay)
  return `${at.slice(0, 10)} ${quote.author === null ? '' : `${quote.author}: `}${safe}`
}

/** How a person is called who has no name in the text. */
export const PERSON_NAME = 'User'

/** A line of a quoted text that begins with a day could be taken for another quote. */
const beginsWithDay = (line: string): boolean => /^[\\\s]*\d{4}-\d{2}-\d{2}\s/.test(line.normalize('NFKC'))

/** The whole block. */
export const recallBlock = (lines: readonly string[]): string => `[From earlier in this conversation:\n\n${lines.join('\n\n')}]`
