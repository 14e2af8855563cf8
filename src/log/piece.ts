/** Long events are handed from thread to thread in pieces: whoever receives them does nothing else meanwhile. */

/** So many characters are handed over at once, and the event that goes beyond. */
export const PIECE: number = 1 << 20

/** The first items, up to the one that brings them to `size`. */
export function within<Item>(
  size: number | undefined,
  items: Iterable<Item>,
  sizeOf: (item: Item) => number,
): { readonly taken: readonly Item[]; readonly isAll: boolean } {
  if (size === undefined) return { taken: [...items], isAll: true }
  const taken: Item[] = []
  let sum = 0
  for (const item of items) {
    if (sum >= size) return { taken, isAll: false }
    taken.push(item)
    sum += sizeOf(item)
  }
  return { taken, isAll: true }
}
