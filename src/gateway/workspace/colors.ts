// The colors of advisors, and how they are assigned.
/**
 * Twelve colors that tell advisors apart, in the order in which they are assigned. The hues begin with those of Okabe and Ito.
 * Each has a contrast of 3 : 1 on light and on dark paper, and the first eight stay distinct for people who see only two primary
 * colors. `test/gateway/workspace/colors.test.ts` checks all of that.
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

/** The first unused color; if all are used, the first of the least used ones. */
export function firstUnused(taken: readonly string[]): string {
  const counts = SPECTRUM.map(color => taken.filter(each => spelledOut(each) === color).length)
  return SPECTRUM[counts.indexOf(Math.min(...counts))] ?? ''
}

/** Gives a color to each one without; colors that people chose stay. */
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

/** Whether another advisor already has this color. */
export const isTaken = (color: string, taken: readonly string[]): boolean =>
  taken.some(each => spelledOut(each) === spelledOut(color))

/** `#AbC` becomes `#aabbcc`. */
const spelledOut = (color: string): string =>
  color
    .toLowerCase()
    .replace(/^#([\da-f])([\da-f])([\da-f])$/, (_, red, green, blue) => `#${red}${red}${green}${green}${blue}${blue}`)
