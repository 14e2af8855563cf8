// Parses the frontmatter of a SKILL.md.
import { type Document, isMap, isScalar, parseDocument } from 'yaml'
import { err, ok, type Result } from '../model/result.ts'
import { forbidden } from './characters.ts'

/** The parts of a skill's file that are used: the fields of its frontmatter, and the text after it. */
export type Frontmatter = {
  /** Empty if the file has no name of its own. */
  readonly name: string
  readonly description: string
  /** Programs that the skill cannot work without. */
  readonly bins: readonly string[]
  readonly body: string
}

/** What is wrong with a file, and on which line. */
export type Wrong = { readonly line: number; readonly message: string }

/** Frontmatter must begin on the first line. If it does not, or never ends, the content stays as it is. */
export function parseFrontmatter(content: string): Result<Frontmatter, Wrong> {
  const block = blockOf(content)
  if (block === undefined) return ok({ name: '', description: '', bins: [], body: content })
  if (block.yaml.length > LONGEST) return err({ line: 1, message: `the frontmatter is longer than ${LONGEST} characters` })
  const document = parseDocument(block.yaml, OPTIONS)
  const [first] = [...document.errors, ...document.warnings]
  if (first !== undefined) return err({ line: lineAt(block.yaml, first.pos[0]), message: reasonOf(first.message) })
  const fields = fieldsIn(document)
  return fields.ok ? judged(fields.value, block, document) : fields
}

type Block = { readonly yaml: string; readonly body: string }

/** The longest block. Checking keys against each other is quadratic, so a longer one would take seconds. */
const LONGEST = 8192

const OPTIONS = {
  version: '1.2',
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  stringKeys: true,
  prettyErrors: false,
} as const

const isRule = (line: string): boolean => /^---[ \t]*\r?$/.test(line)

function blockOf(content: string): Block | undefined {
  const [first = '', ...rest] = content.split('\n')
  const end = rest.findIndex(isRule)
  if (!isRule(first) || end === -1) return undefined
  const yaml = rest.slice(0, end).map(line => `${line}\n`)
  return {
    yaml: yaml.join(''),
    body: rest
      .slice(end + 1)
      .join('\n')
      .trim(),
  }
}

/** The line in the file. The block begins on line 2, and an error at the very end counts for its last line. */
const lineAt = (yaml: string, offset: number): number => yaml.trimEnd().slice(0, offset).split('\n').length + 1

/** The parser's message. For the most common one it adds the usual cause. */
const reasonOf = (message: string): string =>
  /^Nested mappings/.test(message) ? 'a text with a colon in it needs quotes' : message.replaceAll(/\s+/g, ' ')

/** Uses maps instead of objects, so that a key such as `constructor` is a key like any other. */
function fieldsIn(document: Document): Result<ReadonlyMap<unknown, unknown>, Wrong> {
  try {
    const value: unknown = document.toJS({ mapAsMap: true, maxAliasCount: 16 })
    if (value === null) return ok(new Map())
    return value instanceof Map ? ok(value) : err({ line: 2, message: 'the frontmatter must be lines of "key: value"' })
  } catch (cause) {
    // The parser throws this for aliases to nothing, and for aliases that expand without end.
    if (cause instanceof ReferenceError) return err({ line: 2, message: cause.message })
    throw cause
  }
}

function judged(fields: ReadonlyMap<unknown, unknown>, { yaml, body }: Block, document: Document): Result<Frontmatter, Wrong> {
  const wrong = (key: string, message: string) => err({ line: lineAt(yaml, offsetOf(document, key)), message })
  const name = fields.get('name') ?? ''
  if (typeof name !== 'string') return wrong('name', 'the name must be text; put it in quotes')
  const description = fields.get('description') ?? ''
  if (typeof description !== 'string') return wrong('description', 'the description must be text; put it in quotes')
  // Only now has an escape in quotes become a character.
  const hidden = forbidden(description)
  if (hidden !== undefined) return wrong('description', `the description holds ${hidden.character}, which is invisible`)
  const bins = at(fields, 'metadata', 'requires', 'bins') ?? []
  if (!isNames(bins)) return wrong('metadata', 'metadata.requires.bins must be a list of programs by their bare names')
  return ok({ name: name.trim(), description: description.trim(), bins, body })
}

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every(each => typeof each === 'string' && /^[^/\\\0]+$/.test(each) && !/^\.+$/.test(each))

const at = (value: unknown, ...keys: readonly string[]): unknown =>
  keys.reduce<unknown>((inside, key) => (inside instanceof Map ? inside.get(key) : undefined), value)

function offsetOf(document: Document, key: string): number {
  const pairs = isMap(document.contents) ? document.contents.items : []
  const found = pairs.map(pair => pair.key).find(each => isScalar(each) && each.value === key)
  return isScalar(found) ? (found.range?.[0] ?? 0) : 0
}
