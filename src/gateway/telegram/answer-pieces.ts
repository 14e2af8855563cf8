/** Turns an answer or another text into Telegram messages, none longer than Telegram allows. */
import { createTextThread, type TextThread } from '../../archive/text-thread/text-thread.ts'
import { type AnswerText, titleLine, withRemarks } from '../channel/text/answer-text.ts'
import { footnotes } from '../channel/text/footnotes.ts'
import { joined, plain, type RichText } from '../channel/text/rich-text.ts'
import { escapeForTerminal } from '../cli/output/escape-for-terminal.ts'
import { formattedMarkdown } from './markdown.ts'
import { MOST_UNITS, pieces } from './split.ts'

export { pieces }

export const answerPieces = (answer: AnswerText): readonly RichText[] =>
  pieces(withRemarks(answer, formattedMarkdown(answer.text, { isWhole: answer.isFinal })))

/** Two hundred and fifty messages are more than anyone reads in a row, and each takes Telegram a second. */
const MOST_PLAIN = 1_000_000
const CUT = '\n\nThe rest is too long to be shown here.'

/** The same where `answerPieces` takes too long: the text as it is, cut where a message is full. */
export function plainPieces({ text, title, remarks }: AnswerText): readonly RichText[] {
  const words = text.length > MOST_PLAIN ? `${text.slice(0, MOST_PLAIN)}${CUT}` : text
  const whole = joined(...titleLine(title), plain(escapeForTerminal(words)))
  const found: RichText[] = []
  for (let from = 0; from < whole.text.length; ) {
    const full = from + MOST_UNITS
    const to = /[\ud800-\udbff]/.test(whole.text.charAt(full - 1)) ? full - 1 : full
    const piece = whole.text.slice(from, to)
    if (piece.trim() !== '') found.push({ text: piece, entities: from === 0 ? whole.entities : [] })
    from = to
  }
  const said = footnotes({ ...remarks, isSilent: found.length === 0 })
  return said.text === '' ? found : [...found, said]
}

/** An answer of so many characters fits into one message, and takes a few milliseconds at most. */
const SHORT = MOST_UNITS
/** A person waits for the answer; after this time it is shown without styles. */
const MOST_MS = 3000

const NOT_SHOWN = plain('This answer takes too long to be shown here. The page has it.')

const source = import.meta.url.endsWith('.ts') ? './answer-pieces.ts' : './answer-pieces.js'
const thread: TextThread<typeof import('./answer-pieces.ts')> = createTextThread({
  module: new URL(source, import.meta.url),
  mostMs: MOST_MS,
})

/** The messages of any other text, made in the same way. */
export async function textPieces(whole: RichText): Promise<readonly RichText[]> {
  if (whole.text.length <= SHORT) return pieces(whole)
  return (await thread.call('pieces', whole)) ?? [NOT_SHOWN]
}

/** A long answer is read in a thread of its own, so that no other chat waits for it. */
export async function messagesOf(answer: AnswerText): Promise<readonly RichText[]> {
  if (answer.text.length <= SHORT) return answerPieces(answer)
  return (await thread.call('answerPieces', answer)) ?? (await thread.call('plainPieces', answer)) ?? [NOT_SHOWN]
}
