/** Names that come from outside, such as those of voices and turns, as PostgreSQL can keep and index them: different ones stay different. */

import { createHash } from 'node:crypto'

const SIGN = '\u0001'
/** Equals no name that is kept. */
export const NO_NAME: string = SIGN
/** PostgreSQL keeps no NUL, and UTF-8 no half of a surrogate pair. */
const UNKEEPABLE = new RegExp(`[\\0${SIGN}\\p{Cs}]`, 'gu')
const KEPT_UNIT = new RegExp(`${SIGN}([0-9a-f]{4})`, 'g')
const SHORTENED = new RegExp(`${SIGN}~[0-9a-f]{64}$`)
/** An index of PostgreSQL takes 2704 bytes for a row, and some have two names; each unit here may become five bytes. */
const LONGEST = 250
const BEGINNING = 100

/** A text as it is, with signs that cannot be kept written out. */
export const encodeText = (text: string): string =>
  text.replaceAll(UNKEEPABLE, unit => `${SIGN}${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** A name as it is, with signs that cannot be kept written out. A very long one is kept as its beginning and its hash. */
export function encodeName(name: string): string {
  const [end] = SHORTENED.exec(name) ?? []
  if (end !== undefined) return `${encodeText(name.slice(0, -end.length))}${end}`
  if (name.length <= LONGEST) return encodeText(name)
  const hash = createHash('sha256').update(JSON.stringify(name)).digest('hex')
  return `${encodeText(name.slice(0, BEGINNING))}${SIGN}~${hash}`
}

/** The text or the name; of a very long name what is kept of it. */
export const decodeName = (kept: string): string =>
  kept.includes(SIGN) ? kept.replaceAll(KEPT_UNIT, (_, unit) => String.fromCharCode(Number.parseInt(unit, 16))) : kept
