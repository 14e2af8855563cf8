import { createTextThread, type TextThread } from '../../../archive/text-thread/text-thread.ts'
import { harmless } from '../../cli/output/escape-for-terminal.ts'
import { footnotes, type Remarks } from './footnotes.ts'
import { type Formatted, joined, plain, styled } from './formatted.ts'
import { formattedMarkdown } from './markdown.ts'
import { MOST_UNITS, pieces } from './split.ts'

export { pieces }

/** An answer as far as it was given, and what there is to say about it. */
export type AnswerText = {
  readonly text: string
  readonly isFinal: boolean
  /** Who gives it, where several do. */
  readonly title: string | null
  readonly remarks: Omit<Remarks, 'isSilent'>
}

/** An answer as the messages of a chat. */
export function answerPieces({ text, isFinal, title, remarks: { degraded, ...rest } }: AnswerText): readonly Formatted[] {
  const words = formattedMarkdown(text, { isWhole: isFinal })
  const isSilent = words.text.trim() === ''
  // While something is being said, only what is known to stay is said about it.
  const remarks = footnotes({ degraded: isSilent && !isFinal ? undefined : degraded, ...rest, isSilent })
  if (isSilent && remarks.text === '') return []
  return pieces(
    joined(
      ...(title === null ? [] : [styled(title, { type: 'bold' }), plain('\n')]),
      words,
      ...(remarks.text === '' ? [] : [plain(isSilent ? '' : '\n\n'), remarks]),
    ),
  )
}

/** Nobody reads two hundred and fifty messages in a row, and each takes Telegram a second. */
const MOST_PLAIN = 1_000_000
const CUT = '\n\nThe rest is too long to be shown here.'

/** The same where `answerPieces` takes too long: the text as it is, cut where a message is full. */
export function plainPieces({ text, title, remarks }: AnswerText): readonly Formatted[] {
  const words = text.length > MOST_PLAIN ? `${text.slice(0, MOST_PLAIN)}${CUT}` : text
  const whole = joined(...(title === null ? [] : [styled(title, { type: 'bold' }), plain('\n')]), plain(harmless(words)))
  const found: Formatted[] = []
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
/** A person waits for it, and what is plain can be read too. */
const MOST_MS = 3000

const NOT_SHOWN = plain('This answer takes too long to be shown here. The page has it.')

const source = import.meta.url.endsWith('.ts') ? './answer-pieces.ts' : './answer-pieces.js'
const thread: TextThread<typeof import('./answer-pieces.ts')> = createTextThread({
  module: new URL(source, import.meta.url),
  mostMs: MOST_MS,
})

/** Any other text as messages, in the same way. */
export async function piecesOf(whole: Formatted): Promise<readonly Formatted[]> {
  if (whole.text.length <= SHORT) return pieces(whole)
  return (await thread.call('pieces', whole)) ?? [NOT_SHOWN]
}

/** The messages of an answer; those of a long one are made in a thread of its own, so that nobody else waits for them. */
export async function messagesOf(answer: AnswerText): Promise<readonly Formatted[]> {
  if (answer.text.length <= SHORT) return answerPieces(answer)
  return (await thread.call('answerPieces', answer)) ?? (await thread.call('plainPieces', answer)) ?? [NOT_SHOWN]
}
