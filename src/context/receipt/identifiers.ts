/** Finds identifiers in texts: the words that a model cannot guess and has to see. */

/** A run without spaces; punctuation at its ends does not belong to it. */
const RUN = /\S+/g
const ENDS = /^[^\p{L}\p{N}_]+|[^\p{L}\p{N}_]+$/gu
/** A digit, or one of these signs inside, or a capital inside. */
const TELLING = /\d|^.+[_/.@#:-].+$|^.+\p{Lu}/u

/** Identifiers in a text, each once: 4 to 80 characters with a digit, a sign as in a path or a capital inside. */
export function identifiersIn(text: string): readonly string[] {
  const runs = (text.match(RUN) ?? []).map(run => run.replace(ENDS, ''))
  return [...new Set(runs.filter(run => run.length >= 4 && run.length <= 80 && TELLING.test(run)))]
}

/** Every string in a value, at any depth. */
export function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}
