/** The sentences of a text, where a day such as `8. Mai` ends none. */
import { type Span, sentencesIn } from '../synthesis/sentences.ts'

/** A number of one or two digits and a dot at the end of what looks like a sentence. */
const ORDINAL = /(?:^|[\s(])\d{1,2}\.$/

/** The sentences and headings of a Markdown text by their places. */
export function wholeSentences(text: string): readonly Span[] {
  const whole: Span[] = []
  for (const span of sentencesIn(text, [])) {
    const before = whole.at(-1)
    const goesOn =
      before !== undefined &&
      before.paragraph === span.paragraph &&
      !before.isHeading &&
      ORDINAL.test(text.slice(Math.max(before.from, before.to - 5), before.to))
    if (goesOn) whole[whole.length - 1] = { ...before, to: span.to }
    else whole.push(span)
  }
  return whole
}
