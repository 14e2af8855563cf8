/** Recalled messages as the model reads them: one bracketed block, oldest first, each with its day, speaker and text. */
import type { Recorded } from '../../model/event.ts'
import type { RecallQuote, SourceChat, TextSlice } from '../../model/recall.ts'
import { escapeQuoted } from './escape-quoted.ts'
import { type MessageText, messageTexts } from './message-texts.ts'

/** The events of a message, by its seqs and the other chat that it was said in; undefined if one of them was not read. */
export type EventsOf = (seqs: readonly number[], chat?: SourceChat) => readonly Recorded[] | undefined

/** Finds events by seq. */
export function eventsBySeq(events: readonly Recorded[]): EventsOf {
  const bySeq = new Map(events.map(event => [event.seq, event]))
  return seqs => {
    const found = seqs.flatMap(seq => bySeq.get(seq) ?? [])
    return found.length === seqs.length ? found : undefined
  }
}

/** Finds events by seq, those of other chats by their own session and seq. */
export function eventsOfChats(events: readonly Recorded[], elsewhere: readonly Recorded[]): EventsOf {
  const here = eventsBySeq(events)
  const chats = new Map(
    [...Map.groupBy(elsewhere, ({ session }) => session)].map(([session, own]) => [session, eventsBySeq(own)]),
  )
  return (seqs, chat) => (chat === undefined ? here(seqs) : chats.get(chat.session)?.(seqs))
}

/** Parts of a text that do not touch have this between them. */
const GAP = ' … '

/** What is quoted of a message, letter for letter; undefined if its events were not read, or nothing of them can be quoted. */
export function quotedText({ seqs, slices, chat }: RecallQuote, eventsOf: EventsOf): string | undefined {
  const events = eventsOf(seqs, chat)
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
  const at = eventsOf(quote.seqs, quote.chat)?.[0]?.at
  if (text === undefined || at === undefined) return undefined
  // A text that begins with its speaker keeps that line; only the lines after it could be taken for another speaker's.
  const own = quote.author === null ? (FIRST_LINE.exec(text)?.[0] ?? '') : ''
  const safe = own + escapeQuoted(text.slice(own.length), [...names, PERSON_NAME], beginsWithDay)
  const chat = quote.chat === undefined ? '' : `${shownTitle(quote.chat.title)} · `
  return `${at.slice(0, 10)} ${chat}${quote.author === null ? '' : `${quote.author}: `}${safe}`
}

/** So many characters of a chat's title are shown. */
const MOST_TITLE = 60
const NO_TITLE = 'another chat'

/** The title of a chat as a quote has it: one short line that neither ends the block nor passes for a speaker or for another line of it. */
export function shownTitle(title: string): string {
  const plain = [...title]
    .map(sign => {
      const seen = sign.normalize('NFKC')
      if (/[[{]/.test(seen)) return '('
      if (/[\]}]/.test(seen)) return ')'
      if (/[:\\·•∙⋅・]/u.test(seen) || COLONS.test(sign)) return ' - '
      return /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(sign) ? ' ' : sign
    })
    .join('')
    .replace(/\s+/gu, ' ')
    .replace(/(?: -)+(?= )/g, ' -')
    .replace(/^[\s-]+|[\s-]+$/g, '')
  const signs = [...plain]
  const short =
    signs.length <= MOST_TITLE
      ? plain
      : `${signs
          .slice(0, MOST_TITLE - 1)
          .join('')
          .trimEnd()}…`
  return short === '' ? NO_TITLE : short
}

/** Signs that look like a colon and stay themselves under every normal form. */
const COLONS = /[\u02D0\u02D1\u05C3\u0589\u0703\u0704\u16EC\u1803\u1809\u2236\u205A\uA789\uFE30]/u

/** How a person is called who has no name in the text. */
export const PERSON_NAME = 'User'

/** A line of a quoted text that begins with a day could be taken for another quote. */
const beginsWithDay = (line: string): boolean => /^[\\\s]*\d{4}-\d{2}-\d{2}\s/.test(line.normalize('NFKC'))

/** The whole block. */
export const recallBlock = (lines: readonly string[]): string => `[From earlier in this conversation:\n\n${lines.join('\n\n')}]`
