/** Splits a text into pieces that fit into messages of Telegram. */
import type { Entity, RichText } from '../channel/text/rich-text.ts'

/** The most one message may have, in UTF-16 units. */
export const MOST_UNITS = 4096
/** Telegram ignores more entities than this. */
const MOST_ENTITIES = 100

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/**
 * The text is cut between paragraphs, else lines, sentences, words, and at worst between two characters as people see them; the
 * white space at a cut is left out. Styles that go over a cut continue behind it, code as code of the same language. A text that
 * only grows at its end keeps all its pieces but the last.
 */
export function pieces({ text, entities }: RichText, most: number = MOST_UNITS): readonly RichText[] {
  const found: RichText[] = []
  let from = 0
  while (text.length - from > most) {
    const { to, next } = cut(text, from, most)
    found.push(piece(text, entities, from, to))
    from = next
  }
  found.push(piece(text, entities, from, text.length))
  return found.filter(each => each.text.trim() !== '')
}

function piece(text: string, entities: readonly Entity[], from: number, to: number): RichText {
  const inside = entities.flatMap(entity => {
    const begins = Math.max(entity.offset, from)
    const ends = Math.min(entity.offset + entity.length, to)
    return ends > begins ? [{ ...entity, offset: begins - from, length: ends - begins }] : []
  })
  return { text: text.slice(from, to), entities: inside.slice(0, MOST_ENTITIES) }
}

/**
 * Where white space between two paragraphs, lines, sentences, words is; the more wanted first. A run of spaces is looked
 * through once, from its beginning, and not from each of its spaces.
 */
const PLACES = [/\n[^\S\n]*\n\s*/g, /(?<![^\S\n])[^\S\n]*\n/g, /(?<=[.!?…:;。！？]["'”’)\]]?)\s+/g, /\s+/g]

/** The end of a piece, and where the next begins. */
function cut(text: string, from: number, most: number): { readonly to: number; readonly next: number } {
  // One more than fits: white space that would be the first unit too many is a good place.
  const window = text.slice(from, from + most + 1)
  const segments = SEGMENTER.segment(text.slice(from, from + most + 200))
  const isBetween = (index: number): boolean => segments.containing(index)?.index === index
  for (const [rank, place] of PLACES.entries()) {
    const least = rank === PLACES.length - 1 ? 1 : most / 2
    for (const match of [...window.matchAll(place)].reverse()) {
      const ends = match.index + match[0].length
      if (match.index < least || match.index > most) continue
      // White space beyond this window is not dropped: it begins the next piece.
      if (isBetween(match.index) && isBetween(ends)) return { to: from + match.index, next: from + ends }
    }
  }
  const sign = segments.containing(most)?.index ?? most
  // One character of combined signs may be longer than a message; then only its code points are kept whole.
  const end = sign > 0 ? sign : most - (/[\ud800-\udbff]/.test(window.charAt(most - 1)) ? 1 : 0)
  return { to: from + end, next: from + end }
}
