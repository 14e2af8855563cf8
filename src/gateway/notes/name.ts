// Turns a title into a safe file name, and suggests similar names.
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'

const MOST_CHARACTERS = 80
/** The longest name that every file system accepts with `.md`. */
const MOST_BYTES = 250
/** Longer than any title that could become a name, and short enough for every pattern below. */
const LONGEST_TITLE = 1000

/** The file name, without `.md`, that a title becomes: never a path, and unchanged if the title is already such a name. */
export function noteName(title: string): Result<string, Fault> {
  const given = title.trim()
  const why = whyNoTitle(given)
  if (why !== undefined) return err(fault('invalid', why))
  const name = given
    .replaceAll(/[\p{Default_Ignorable_Code_Point}'’]/gu, '')
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N}_.-]+/gu, '-')
    .replaceAll(/-{2,}/g, '-')
    .replace(/^[\p{M}.-]+/u, '')
    .replace(/(?:\.md|[.-])+$/i, '')
  const characters = [...name].length
  if (!/[\p{L}\p{N}]/u.test(name))
    return err(fault('invalid', `a note cannot be called ${quotedNote(given)}: no letter or digit in it`))
  if (characters > MOST_CHARACTERS || Buffer.byteLength(name) > MOST_BYTES) return err(fault('invalid', TOO_LONG))
  return ok(name)
}

/** The key that tells names apart. It ignores case, as some file systems do. */
export const noteKey = (name: string): string => name.normalize('NFC').toLowerCase().normalize('NFC')

/** The names most similar to the one asked for. */
export function nearestNames(asked: string, names: readonly string[], most: number): readonly string[] {
  const pairs = pairsOf(asked)
  return names
    .map(name => ({ name, share: likeness(pairs, pairsOf(name)) }))
    .filter(({ share }) => share >= LEAST_LIKENESS)
    .sort((a, b) => b.share - a.share)
    .slice(0, most)
    .map(({ name }) => name)
}

const LEAST_LIKENESS = 0.3

/** The share of letter pairs that two names have in common. */
function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const common = [...a].filter(pair => b.has(pair)).length
  return (2 * common) / (a.size + b.size || 1)
}

function pairsOf(name: string): ReadonlySet<string> {
  const letters = [...noteKey(name).slice(0, LONGEST_TITLE)]
  return new Set(letters.map((letter, index) => letter + (letters[index + 1] ?? '')))
}

const TOO_LONG = `the name of a note has at most ${MOST_CHARACTERS} characters; shorten it`

function whyNoTitle(title: string): string | undefined {
  if (title === '') return 'a note needs a name, such as "Shopping"'
  if (title.length > LONGEST_TITLE) return TOO_LONG
  if (/[/\\\0]/.test(title))
    return `a note cannot be called ${quotedNote(title)}: it is a name, not a path, so leave out "/" and "\\"`
  if (title.startsWith('.')) return `a note cannot be called ${quotedNote(title)}: it must not begin with "."`
  if (title.includes('..')) return `a note cannot be called ${quotedNote(title)}: leave out ".."`
  return undefined
}

/** The name as the person gave it, cut to fit a line. */
export const quotedNote = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text)
