/** An answer as the layer gives it to a channel's format: its Markdown, and what there is to say about it. */
import { footnotes, type Remarks } from './footnotes.ts'
import { joined, plain, type RichText, styled } from './rich-text.ts'

export type AnswerText = {
  /** Markdown, as far as the model has written it. */
  readonly text: string
  readonly isFinal: boolean
  /** Who gives the answer, where several do. */
  readonly title: string | null
  readonly remarks: Omit<Remarks, 'isSilent'>
}

/** The name in bold, in front of what that voice says. */
export const titleLine = (title: string | null): readonly RichText[] =>
  title === null ? [] : [styled(title, { type: 'bold' }), plain('\n')]

/** The whole answer: who gives it, its words as the channel formats them, and the remarks. Without words and remarks it is empty. */
export function withRemarks({ isFinal, title, remarks: { degraded, window, ...rest } }: AnswerText, words: RichText): RichText {
  const isSilent = words.text.trim() === ''
  // While an answer is being written, only remarks that cannot change any more are shown.
  const remarks = footnotes({
    degraded: isSilent && !isFinal ? undefined : degraded,
    // A later step may have more to say.
    window: isFinal ? window : undefined,
    ...rest,
    isSilent,
  })
  if (isSilent && remarks.text === '') return plain('')
  return joined(...titleLine(title), words, ...(remarks.text === '' ? [] : [plain(isSilent ? '' : '\n\n'), remarks]))
}
