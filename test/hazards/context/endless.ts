/** For tests of threads: functions that end, that never do, that break, and that take all memory. */
export const length = (text: string): number => text.length

export function endless(): never {
  for (;;);
}

export function broken(): never {
  throw new TypeError('a bug')
}

export function greedy(): number {
  const all: number[][] = []
  for (;;) all.push(new Array(1_000_000).fill(1.5))
}
