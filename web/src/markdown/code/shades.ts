/** A stretch of code in one colour, or without any. */
export type Shade = { readonly className: string | null; readonly children: readonly Shade[] | string }

/** What the highlighter gives, as far as it is looked at. */
export type Node = {
  readonly type: string
  readonly value?: string
  readonly properties?: { readonly className?: unknown }
  readonly children?: readonly Node[]
}

/** Nothing is taken over but letters and class names of the highlighter's own. */
export function shadesOf(nodes: readonly Node[]): readonly Shade[] {
  return nodes.map(({ value, properties, children }) =>
    children === undefined
      ? { className: null, children: value ?? '' }
      : { className: classOf(properties?.className), children: shadesOf(children) },
  )
}

function classOf(names: unknown): string | null {
  const own = Array.isArray(names) ? names.filter(name => /^hljs-[a-z_-]{1,30}$/.test(name)) : []
  return own.length === 0 ? null : own.join(' ')
}

/** Above this a block has no colours: it would take too long, and nobody reads that much for its colours. */
const MOST_COLOURED = 100_000
const MOST_WHILE_GROWING = 20_000

/** How much of a code is coloured: while it grows only whole lines, so that it is looked through once for each. */
export function colouredLength(code: string, growing: boolean): number {
  if (code.length > (growing ? MOST_WHILE_GROWING : MOST_COLOURED)) return 0
  return growing ? code.lastIndexOf('\n') + 1 : code.length
}
