/** What a server adds to a call beside its name and arguments, and wants back with it, such as Gemini's seal of its thinking. */

/** Fields of a call that only its server understands, as plain JSON. */
export type CallExtra = Readonly<Record<string, unknown>>

/** A call with more than this is kept without it, in characters of JSON. */
const MOST_CHARACTERS = 64 * 1024

/** The fields of a call that every server knows. No other field may stand in for them. */
const OWN_FIELDS: ReadonlySet<string> = new Set(['index', 'id', 'type', 'function'])

/** The fields of a call that are its server's own. Null says nothing. */
export function extraIn(call: CallExtra): CallExtra | undefined {
  const fields = Object.entries(call).filter(([name, value]) => !OWN_FIELDS.has(name) && value !== null && value !== undefined)
  return fields.length === 0 ? undefined : Object.fromEntries(fields)
}

/** The fields of a call with those of a later piece of it. */
export const joinExtra = (before: CallExtra | undefined, more: CallExtra | undefined): CallExtra | undefined =>
  more === undefined ? before : { ...before, ...more }

/** The fields as they are kept with their call: nothing where they are too long. */
export const keptExtra = (extra: CallExtra | undefined): CallExtra | undefined =>
  extra === undefined || JSON.stringify(extra).length > MOST_CHARACTERS ? undefined : extra
