/** Splits a Markdown text into sentences and headings. */

/** A sentence or heading by its place; sentences of one paragraph or bullet share its number. */
export type Span = {
  readonly from: number
  readonly to: number
  readonly paragraph: number
  readonly isHeading: boolean
}

/** The sentences of a Markdown text, without the marks of its lists; a break always ends one. */
export function sentencesIn(text: string, breaks: readonly number[]): readonly Span[] {
  return paragraphsIn(text).flatMap(({ from, to, isHeading }, paragraph) => {
    const inner = breaks.filter(at => at > from && at < to)
    const cuts = isHeading ? [] : [...new Set([...endings(text.slice(from, to)).map(at => from + at), ...inner])]
    const edges = [from, ...cuts.sort((a, b) => a - b), to]
    return edges.slice(1).flatMap((end, index) => {
      const span = trimmed(text, edges[index] ?? from, end)
      return /[\p{L}\p{N}]/u.test(text.slice(span.from, span.to)) ? [{ ...span, paragraph, isHeading }] : []
    })
  })
}

type Paragraph = { from: number; to: number; readonly isHeading: boolean }

/** The marks before the words of a line: a quotation, a bullet or number, a heading's signs. */
const MARKS = /^\s*(?:>\s*)*(?:(?:[-*+•]|\d{1,3}[.)])\s+)?(#{1,6}\s+)?/
/** Readers take a line that is all bold for a heading, unless it is a sentence. */
const BOLD = /^(\*\*|__)[^*_]*[^*_.!?…]\1:?\s*$/

/** A line that begins a list item or heading is a paragraph of its own. Other lines continue the one before, until a blank line. */
function paragraphsIn(text: string): readonly Paragraph[] {
  const paragraphs: Paragraph[] = []
  let open: Paragraph | undefined
  for (const { 0: line, index } of text.matchAll(/[^\n]+|\n/g)) {
    if (line === '\n') {
      if (text[index - 1] === '\n' || index === 0) open = undefined
      continue
    }
    const { 0: marks = '', 1: signs } = MARKS.exec(line) ?? []
    const isBold = BOLD.test(line)
    const isHeading = isBold || signs !== undefined
    const to = index + line.length
    if (line.trim() === '') open = undefined
    else if (open !== undefined && !isHeading && marks.trim() === '') open.to = to
    else {
      const begun: Paragraph = isBold
        ? { from: index + 2, to: index + line.search(/(?:\*\*|__):?\s*$/), isHeading }
        : { from: index + marks.length, to, isHeading }
      paragraphs.push(begun)
      open = isHeading ? undefined : begun
    }
  }
  return paragraphs
}

/** A dot behind these, or behind a single capital, ends no sentence. */
const SHORTENED = /(?:^|[^\p{L}])(?:(?!I)\p{Lu}|[DM]r|Mrs|Ms|Prof|St|No|vs|approx|cf|e\.g|i\.e)\.$/u

function endings(words: string): readonly number[] {
  return [...words.matchAll(/(?<![.!?…])[.!?…]+["'”’»)*_]*(?=\s+(\S))|[。！？]["”’」』）]*/gu)].flatMap(
    ({ 0: mark, 1: next, index }) => {
      const at = index + mark.length
      const goesOn = next !== undefined && (/\p{Ll}/u.test(next) || SHORTENED.test(words.slice(Math.max(0, at - 20), at)))
      return goesOn ? [] : [at]
    },
  )
}

function trimmed(text: string, from: number, to: number): { readonly from: number; readonly to: number } {
  const words = text.slice(from, to)
  const start = from + words.length - words.trimStart().length
  return { from: start, to: Math.max(start, from + words.trimEnd().length) }
}
