/**
 * Twelve marks to tell advisors apart by, in the order in which they are given out. Their hues begin with those of Okabe and
 * Ito; each has a contrast of 3 : 1 on light and on dark paper, and the first eight stay apart for people who see two
 * primary colours only. `test/gateway/workspace/colors.test.ts` holds all of that.
 */
export const SPECTRUM: readonly string[] = [
  '#1a71b6',
  '#d67a0e',
  '#21a378',
  '#b87db6',
  '#a15b09',
  '#8683f4',
  '#989448',
  '#6a6b7c',
  '#7355d7',
  '#d55463',
  '#916335',
  '#7e9496',
]

/** The first colour that nobody has; when all are taken, the first of those that the fewest have. */
export function firstUnused(taken: readonly string[]): string {
  const counts = SPECTRUM.map(color => taken.filter(each => spelledOut(each) === color).length)
  return SPECTRUM[counts.indexOf(Math.min(...counts))] ?? ''
}

/** Gives one of their own to those who have none; what people chose stays. */
export function withColors<One extends { readonly color?: string }>(
  all: readonly One[],
): readonly (One & { readonly color: string })[] {
  const taken = all.flatMap(({ color }) => color ?? [])
  return all.map(one => {
    const color = one.color ?? firstUnused(taken)
    if (one.color === undefined) taken.push(color)
    return { ...one, color }
  })
}

/** Whether somebody else would be taken for the one who wears it. */
export const isTaken = (color: string, taken: readonly string[]): boolean =>
  taken.some(each => spelledOut(each) === spelledOut(color))

/** `#AbC` is `#aabbcc`. */
const spelledOut = (color: string): string =>
  color
    .toLowerCase()
    .replace(/^#([\da-f])([\da-f])([\da-f])$/, (_, red, green, blue) => `#${red}${red}${green}${green}${blue}${blue}`)
