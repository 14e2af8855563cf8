// Parses JSON with comments.
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'

/**
 * Parses the object in a file of JSON with comments. Refuses a key that is there twice or that no object may have, by its path.
 */
export function parseJsonc(text: string): Result<Record<string, unknown>, Fault> {
  const errors: ParseError[] = []
  const tree = treeOf(text.replace(/^\uFEFF/, ''), errors)
  if (tree === 'too deep') return err(fault('invalid', 'the file nests too deeply'))
  const [first] = errors
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split('\n').length
    return err(fault('invalid', `line ${line}: ${printParseErrorCode(first.error)}; the file is JSON with // comments`))
  }
  if (tree === undefined) return ok({})
  if (tree.type !== 'object') return err(fault('invalid', 'the file must hold one JSON object'))
  const strange = strangeKeys(tree)
  return strange.length === 0 ? ok(plain(tree) as Record<string, unknown>) : err(fault('invalid', strange.join('\n')))
}

function treeOf(text: string, errors: ParseError[]): Node | undefined | 'too deep' {
  try {
    return parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  } catch (cause) {
    if (cause instanceof RangeError) return 'too deep'
    throw cause
  }
}

/** As deep as a request's body may nest. Real settings are never deeper. */
const DEEPEST = 64

function strangeKeys(node: Node, path: readonly string[] = []): string[] {
  if (path.length > DEEPEST) return [`${path[0]}: nests deeper than ${DEEPEST}`]
  const seen = new Set<string>()
  return (node.children ?? []).flatMap((child, index) => {
    const key = node.type === 'object' ? keyOf(child) : String(index)
    const here = [...path, key]
    const isAgain = seen.has(key)
    seen.add(key)
    if (key === '__proto__') return [`${here.join('.')}: there is no such setting; take it out`]
    if (isAgain) return [`${here.join('.')}: stands there twice; keep one`]
    return strangeKeys(node.type === 'object' ? (child.children?.[1] ?? child) : child, here)
  })
}

function plain(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(plain)
  if (node.type !== 'object') return node.value
  const entries = (node.children ?? []).map(property => [keyOf(property), property.children?.[1]] as const)
  return Object.fromEntries(entries.map(([key, value]) => [key, value === undefined ? undefined : plain(value)]))
}

const keyOf = (property: Node): string => String(property.children?.[0]?.value)
