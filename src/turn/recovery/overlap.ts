/** Takes away what a model says again when it goes on after a cut. */
export type OverlapFilter = {
  /** The next words of the model, or as many of them as are surely new. */
  readonly push: (text: string) => string
  /** Everything still held back. */
  readonly end: () => string
}

/** Shorter repetitions may well be meant. */
const LEAST_REPEATED = 12
/** How far back a model may begin to repeat. */
const MOST_REPEATED = 2000

/**
 * Words are held back as long as they could be the end of what was said before, said again. Models that obey are heard at
 * once, but for the few letters it takes to see that they do.
 */
export function createOverlapFilter(before: string): OverlapFilter {
  const tail = before.slice(-MOST_REPEATED)
  let held = ''
  let isOver = tail.length < LEAST_REPEATED
  const couldRepeat = (): boolean => {
    for (let at = tail.indexOf(held); at !== -1; at = tail.indexOf(held, at + 1)) if (tail.length - at > held.length) return true
    return false
  }
  const settle = (): string => {
    isOver = true
    const fresh = held.slice(overlap(tail, held))
    held = ''
    return fresh
  }
  return {
    push: text => {
      if (isOver) return text
      held += text
      return couldRepeat() ? '' : settle()
    },
    end: () => (isOver ? '' : settle()),
  }
}

/** The length of the longest end of one text that the other begins with. */
function overlap(before: string, after: string): number {
  for (let length = Math.min(before.length, after.length); length >= LEAST_REPEATED; length -= 1)
    if (before.endsWith(after.slice(0, length))) return length
  return 0
}
