/** Finds quoted words in a text, ignoring differences of space and quotation marks. */

/** A text made ready to be searched for quotes, with the original place of each letter. */
export type Searchable = { readonly plain: string; readonly places: readonly number[] }

/** In UTF-16 units of the text as it was. */
export type QuotePlace = { readonly at: number; readonly length: number }

/** Gaps as one space and quotes as straight ones: people see no difference, and models keep none. */
export function toSearchable(text: string): Searchable {
  const units: string[] = []
  const places: number[] = []
  for (let index = 0; index < text.length; index += 1) {
    const unit = plainUnit(text.charAt(index))
    if (unit === ' ' && units.at(-1) === ' ') continue
    units.push(unit)
    places.push(index)
  }
  return { plain: units.join(''), places }
}

/** Finds the first place with exactly these words; undefined if there is none, or if they are blank. */
export function findQuote(words: string, { plain, places }: Searchable): QuotePlace | undefined {
  const wanted = toSearchable(words.trim()).plain
  const found = wanted === '' ? -1 : plain.indexOf(wanted)
  const at = places[found]
  const last = places[found + wanted.length - 1]
  return at === undefined || last === undefined ? undefined : { at, length: last + 1 - at }
}

function plainUnit(unit: string): string {
  if (/\s/.test(unit)) return ' '
  if (/[“”„‟]/.test(unit)) return '"'
  return /[‘’‚‛]/.test(unit) ? "'" : unit
}
