/** Searches for texts that a function takes longest to read: short fragments, repeated, nested and prefixed, and changed a little. */

/** How a text is made: a beginning, a middle that is repeated until the text is long enough, and an end. */
export type Recipe = { readonly before: string; readonly unit: string; readonly after: string; readonly isNested: boolean }

/** What has a meaning for one of the readers, or ends what has one. */
const FRAGMENTS: readonly string[] = [
  ...'*_~`[]()<>!#|\\$&:;"\'=+-.,@/{}a1 \n\t\r§“”…。é😀\u2028\u0301',
  ...[
    '**',
    '__',
    '~~',
    '``',
    '```',
    '~~~',
    '\n\n',
    '\n> ',
    '\n- ',
    '\n1. ',
    '\n  ',
    '\n    ',
    '\n# ',
    '\n=',
    '\n-\n',
    '\n|',
    '|-|\n',
  ],
  ...[
    '](',
    '![',
    '[a]',
    '[a]: ',
    '](<',
    '<!--',
    '-->',
    '<a ',
    '</',
    '<a href="',
    'http://',
    'www.',
    'a@',
    'a.',
    '&#',
    '&amp;',
    '\\(',
    '\\[',
    '$$',
  ],
  ...[
    '- ',
    '> ',
    '* ',
    'a ',
    ' a',
    'a\n',
    '. ',
    '["',
    '"]',
    '[A',
    '[A: "',
    '"; ',
    '§think:',
    '§call:',
    '$user:',
    '===',
    '\n\n$result: ',
    '{"',
    'title:',
  ],
]

/** Numbers that look like chance and are the same every time (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A text of at most so many characters. */
export function textOf({ before, unit, after, isNested }: Recipe, size: number): string {
  const room = Math.max(unit.length, size - before.length - after.length)
  if (!isNested) return `${before}${unit.repeat(Math.floor(room / unit.length))}${after}`.slice(0, size)
  const mirrored = [...unit]
    .reverse()
    .map(sign => MIRROR[sign] ?? sign)
    .join('')
  const times = Math.floor(room / (2 * unit.length))
  return `${before}${unit.repeat(times)}x${mirrored.repeat(times)}${after}`.slice(0, size)
}

const MIRROR: Readonly<Record<string, string>> = { '[': ']', '(': ')', '<': '>', '{': '}' }

export type Slowest = { readonly recipe: Recipe; readonly size: number; readonly ms: number }

export type SearchOptions = {
  /** Reads a text, and gives how many milliseconds that took. */
  readonly read: (text: string) => number
  /** The longest text that it is ever given. */
  readonly limit: number
  readonly seed: number
  readonly budgetMs: number
}

/** Nothing is tried at a larger size once it takes this long. */
const LONG_ENOUGH_MS = 1500
const SMALL = 16_000

/** The slowest texts found, slowest first, each at the largest size at which waiting for it was still bearable. */
export function slowest({ read, limit, seed, budgetMs }: SearchOptions): readonly Slowest[] {
  const chance = seeded(seed)
  const one = <Item>(items: readonly Item[]): Item => items[Math.floor(chance() * items.length)] as Item
  const fragments = (most: number): string =>
    Array.from({ length: 1 + Math.floor(chance() * most) }, () => one(FRAGMENTS)).join('')
  const random = (): Recipe => ({
    before: chance() < 0.4 ? fragments(2) : '',
    unit: fragments(3),
    after: chance() < 0.3 ? fragments(1) : '',
    isNested: chance() < 0.15,
  })
  const changed = (recipe: Recipe): Recipe => {
    const what = chance()
    if (what < 0.5) return { ...recipe, unit: chance() < 0.5 ? recipe.unit + one(FRAGMENTS) : one(FRAGMENTS) + recipe.unit }
    if (what < 0.6 && recipe.unit.length > 1) return { ...recipe, unit: recipe.unit.slice(1) }
    if (what < 0.8) return { ...recipe, before: one(FRAGMENTS) + recipe.before }
    return { ...recipe, after: chance() < 0.5 ? '' : one(FRAGMENTS) }
  }
  const took = (recipe: Recipe, size: number): number => read(textOf(recipe, size))

  const end = performance.now() + budgetMs
  const small = Math.min(SMALL, limit)
  let best: Slowest[] = []
  const keep = (recipe: Recipe): void => {
    const key = JSON.stringify(recipe)
    if (best.some(known => JSON.stringify(known.recipe) === key)) return
    // Twice, the quicker counts: a machine that does something else for a moment is no slow text.
    const first = took(recipe, small)
    if (best.length >= 8 && first < (best.at(-1)?.ms ?? 0)) return
    const found = { recipe, size: small, ms: Math.min(first, took(recipe, small)) }
    best = [...best, found].sort((a, b) => b.ms - a.ms).slice(0, 8)
  }
  for (const unit of FRAGMENTS) keep({ before: '', unit, after: '', isNested: false })
  while (performance.now() < end - budgetMs * 0.5)
    keep(chance() < 0.6 || best.length === 0 ? random() : changed(one(best).recipe))
  // What is slowest when short need not be slowest when long.
  return best.map(found => grown(found, limit, took)).sort((a, b) => b.ms - a.ms)
}

function grown(found: Slowest, limit: number, took: (recipe: Recipe, size: number) => number): Slowest {
  let { size, ms } = found
  while (size < limit && ms < LONG_ENOUGH_MS) {
    size = Math.min(limit, size * 4)
    ms = took(found.recipe, size)
  }
  // The quickest of a few: a machine that does something else for a moment is no slow text.
  for (let again = 0; again < 3 && ms < LONG_ENOUGH_MS; again += 1) ms = Math.min(ms, took(found.recipe, size))
  return { recipe: found.recipe, size, ms }
}
