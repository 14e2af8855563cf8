/** How much is read at once: long events are handed over in pages, since the thread that receives them does nothing else meanwhile. */
import type { FactType } from '../model/event.ts'

/** The types of events that make up a conversation. */
export const CONVERSATION: readonly FactType[] = [
  'message.received',
  'turn.started',
  'reply.finished',
  'reply.broken',
  'tool.settled',
  'turn.ended',
]

/** The characters of a page. The event that crosses this limit is the last one of the page. */
export const PAGE_CHARACTERS: number = 1 << 20

/** The first items, up to the one that reaches `size`. */
export function takeCharacters<Item>(
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
