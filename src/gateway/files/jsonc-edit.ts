// Changes one value in a text of JSON with comments, and leaves every other byte as it is.
import { createScanner, type Node, parseTree } from 'jsonc-parser'

const BYTE_ORDER_MARK = '\uFEFF'
const STEP = '  '

/** The kinds of tokens as the library numbers them; its own names for them are erased with its types. */
const TOKENS = { comma: 5, lineComment: 12, blockComment: 13, lineBreak: 14, spaces: 15 } as const

/**
 * Sets the value at a path, or takes its key out if the value is undefined. Every object above it must be there. Comments, the
 * order of keys, line ends and trailing commas stay.
 */
export function withValue(text: string, path: readonly string[], value: unknown): string {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  const plain = text.slice(mark.length)
  const root = parseTree(plain, [], { allowTrailingComma: true, allowEmptyContent: true })
  return mark + (root === undefined ? appended(plain, path, value) : edited(plain, root, path, value))
}

function edited(text: string, root: Node, path: readonly string[], value: unknown): string {
  const key = path.at(-1)
  const object = path.slice(0, -1).reduce<Node | undefined>((node, name) => propertyOf(node, name)?.children?.[1], root)
  if (key === undefined || object?.type !== 'object') throw new TypeError(`there is no object at ${path.slice(0, -1).join('.')}`)
  const property = propertyOf(object, key)
  if (value === undefined) return property === undefined ? text : removed(text, object, property)
  return property === undefined ? inserted(text, object, key, value) : replaced(text, object, property, value)
}

const propertyOf = (node: Node | undefined, name: string): Node | undefined =>
  node?.type === 'object' ? node.children?.find(each => each.children?.[0]?.value === name) : undefined

const endOf = ({ offset, length }: Node): number => offset + length

/** A text without any value, such as an empty file or one that has only comments. */
function appended(text: string, [key = '', ...rest]: readonly string[], value: unknown): string {
  if (value === undefined || rest.length > 0) throw new TypeError('there is no object')
  const eol = lineEndIn(text)
  const gap = text === '' || /[\r\n]$/.test(text) ? '' : eol
  return `${text}${gap}{${eol}${STEP}${printedProperty(key, value, { indent: STEP, eol })}${eol}}${eol}`
}

function replaced(text: string, object: Node, property: Node, value: unknown): string {
  const old = property.children?.[1]
  if (old === undefined) throw new TypeError('a property without a value')
  const form = { indent: indentAt(text, property.offset), eol: lineEndIn(text), isFlat: isFlat(text, object) }
  return text.slice(0, old.offset) + printed(value, form) + text.slice(endOf(old))
}

/** Behind the last property and the comment beside it, which is a comment on that property. */
function inserted(text: string, object: Node, key: string, value: unknown): string {
  const eol = lineEndIn(text)
  const [first] = object.children ?? []
  const last = object.children?.at(-1)
  const from = last === undefined ? object.offset + 1 : endOf(last)
  const { comma, behind } = restOfLine(text, from)
  const isRoot = object.parent === undefined
  const isOneLine = isFlat(text, object) && !(isRoot && last === undefined)
  const own = indentAt(text, object.offset)
  const indent = first !== undefined && isFirstOnLine(text, first.offset) ? indentAt(text, first.offset) : own + STEP
  const property = printedProperty(key, value, { indent, eol, isFlat: isOneLine })
  const before = isOneLine ? ' ' : eol + indent
  const after = comma !== undefined ? ',' : ''
  // An object on one line is closed with a space, one without any line gets lines of its own.
  const close = last !== undefined ? '' : isOneLine ? ' ' : isFlat(text, object) ? eol + own : ''
  const tail = last === undefined && isFlat(text, object) ? text.slice(spacesAfter(text, behind)) : text.slice(behind)
  const separator = last === undefined || comma !== undefined ? '' : ','
  return text.slice(0, from) + separator + text.slice(from, behind) + before + property + after + close + tail
}

/** Takes a property out with its comma, and its line if nothing else is on it. Comments stay, also those about it. */
function removed(text: string, object: Node, property: Node): string {
  const siblings = object.children ?? []
  const previous = siblings[siblings.indexOf(property) - 1]
  const own = commaAfter(text, endOf(property))
  // The last property has no comma of its own, so the one before it must not have one either.
  const comma = own ?? (previous === undefined ? undefined : commaAfter(text, endOf(previous)))
  const isBeside = own !== undefined && text.slice(endOf(property), own).trim() === ''
  const rest = withoutRange(text, property.offset, isBeside ? own + 1 : endOf(property), own !== undefined)
  if (comma === undefined || isBeside) return rest
  if (own === undefined) return rest.slice(0, comma) + rest.slice(comma + 1)
  // What is behind the property has moved.
  const place = own - (text.length - rest.length)
  return withoutRange(rest, place, place + 1, true)
}

/** The spaces on one side go with a range, and so does a line that has nothing left. */
function withoutRange(text: string, start: number, end: number, isFollowed: boolean): string {
  const [from, to] = [spacesBefore(text, start), spacesAfter(text, end)]
  const lineEnd = text.startsWith('\r\n', to) ? 2 : isLineEnd(text[to]) ? 1 : 0
  const isLineStart = from === lineStart(text, from)
  if (lineEnd > 0) return text.slice(0, from) + text.slice(isLineStart ? to + lineEnd : to)
  return isFollowed || isLineStart ? text.slice(0, start) + text.slice(to) : text.slice(0, from) + text.slice(end)
}

/** Where the next comma is, if nothing but comments and spaces is before it. */
function commaAfter(text: string, from: number): number | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(from)
  return (scanner.scan() as number) === TOKENS.comma ? scanner.getTokenOffset() : undefined
}

/** The end of the comments on the rest of a line, and the comma that may come before them or between them. */
function restOfLine(text: string, from: number): { readonly comma: number | undefined; readonly behind: number } {
  const scanner = createScanner(text, false)
  scanner.setPosition(from)
  // A comma may follow on a later line; then the new property comes behind it all the same.
  const comma = commaAfter(text, from)
  let behind = from
  for (let token: number = scanner.scan(); ; token = scanner.scan()) {
    const isPast = comma === undefined || scanner.getTokenOffset() > comma
    if (token === TOKENS.comma || token === TOKENS.lineComment || token === TOKENS.blockComment)
      behind = scanner.getTokenOffset() + scanner.getTokenLength()
    else if (token === TOKENS.lineBreak ? isPast : token !== TOKENS.spaces) return { comma, behind }
  }
}

const isFlat = (text: string, { offset, length }: Node): boolean => !/[\r\n]/.test(text.slice(offset, offset + length))

const lineEndIn = (text: string): string => /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'

const isLineEnd = (letter: string | undefined): boolean => letter === '\n' || letter === '\r'
const isSpace = (letter: string | undefined): boolean => letter === ' ' || letter === '\t'

function lineStart(text: string, offset: number): number {
  let at = offset
  while (at > 0 && !isLineEnd(text[at - 1])) at -= 1
  return at
}

function spacesBefore(text: string, offset: number): number {
  let at = offset
  while (isSpace(text[at - 1])) at -= 1
  return at
}

function spacesAfter(text: string, offset: number): number {
  let at = offset
  while (isSpace(text[at])) at += 1
  return at
}

/** The spaces at the start of the line on which a place is. */
function indentAt(text: string, offset: number): string {
  const start = lineStart(text, offset)
  return text.slice(start, Math.min(offset, spacesAfter(text, start)))
}

const isFirstOnLine = (text: string, offset: number): boolean => spacesBefore(text, offset) === lineStart(text, offset)

type Form = { readonly indent: string; readonly eol: string; readonly isFlat?: boolean }

const printedProperty = (key: string, value: unknown, form: Form): string => `${JSON.stringify(key)}: ${printed(value, form)}`

/** A list is on one line, an object on lines of its own where there is room. */
function printed(value: unknown, { indent, eol, isFlat: flat = false }: Form): string {
  if (flat || typeof value !== 'object' || value === null || Array.isArray(value)) return onOneLine(value)
  return JSON.stringify(value, null, STEP).replaceAll('\n', eol + indent)
}

function onOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(onOneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}: ${onOneLine(each)}`)
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`
}
