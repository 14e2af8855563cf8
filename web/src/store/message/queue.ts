// The queue of messages that wait for a turn to end.
import type { LocalStore } from '../../wire/local-storage.ts'

/** A message to send when the running turn has ended. Its own key prevents a second send from another tab. */
export type Queued = {
  readonly key: string
  readonly text: string
  /** The names of its files; their bytes are only where it was written. */
  readonly files?: readonly string[]
}

/** What waits in one session, in order, and the key of the one that went out last. */
export type MessageQueue = { readonly items: readonly Queued[]; readonly last: string | null }

export const EMPTY_QUEUE: MessageQueue = { items: [], last: null }

export const withQueued = (queue: MessageQueue, item: Queued): MessageQueue =>
  queue.items.some(({ key }) => key === item.key) ? queue : { ...queue, items: [...queue.items, item] }

export const withoutQueued = (queue: MessageQueue, key: string): MessageQueue =>
  queue.items.some(item => item.key === key) ? { ...queue, items: queue.items.filter(item => item.key !== key) } : queue

/** It is about to be said; it stays until the log has it. */
export const leaving = (queue: MessageQueue, key: string): MessageQueue => ({ ...queue, last: key })

/**
 * The message to send now. Another tab may have sent one that has not arrived here yet: then its turn comes first, and
 * only that same one may be sent again, since its key makes it the same message.
 */
export function nextOf({ items, last }: MessageQueue, heard: ReadonlySet<string>): Queued | null {
  const first = items[0]
  if (first === undefined) return null
  return last === null || last === first.key || heard.has(last) ? first : null
}

/** The queues as the browser keeps them, for every tab alike. */
export type Queues = {
  readonly read: (session: string) => MessageQueue
  readonly write: (session: string, queue: MessageQueue) => void
}

export function createQueues(localStore: LocalStore): Queues {
  const at = (session: string): string => `queue.${session}`
  return {
    read: session => parsed(localStore.read(at(session))),
    write: (session, queue) =>
      localStore.write(at(session), queue.items.length === 0 && queue.last === null ? null : JSON.stringify(queue)),
  }
}

function parsed(stored: string | null): MessageQueue {
  if (stored === null) return EMPTY_QUEUE
  try {
    const { items, last } = JSON.parse(stored) as { readonly items?: unknown; readonly last?: unknown }
    return {
      items: Array.isArray(items) ? items.filter(isQueued) : [],
      last: typeof last === 'string' ? last : null,
    }
  } catch {
    return EMPTY_QUEUE
  }
}

function isQueued(value: unknown): value is Queued {
  const { key, text, files } = (value ?? {}) as Readonly<Record<string, unknown>>
  return typeof key === 'string' && typeof text === 'string' && (files === undefined || Array.isArray(files))
}
