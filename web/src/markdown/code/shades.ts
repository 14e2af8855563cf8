// Turns the highlighter's nodes into colored stretches of code.

/** A stretch of code in one color, or without any. */
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

/** Longer blocks get no colors: it would take too long, and people do not read that much for its colors. */
const MOST_COLOURED = 100_000
const MOST_WHILE_GROWING = 20_000

/** How much of a code is colored: while it grows only whole lines, so that it is looked through once for each. */
export function colouredLength(code: string, growing: boolean): number {
  if (code.length > (growing ? MOST_WHILE_GROWING : MOST_COLOURED)) return 0
  return growing ? code.lastIndexOf('\n') + 1 : code.length
}
