/** What one reply of the log is: whether it has words, and whether it was cut at its limit. */
import type { Event, Recorded } from '../event.ts'

/** What a turn said in one step, whole or cut off. */
export type SpokenReply = Extract<Event, { type: 'reply.finished' | 'reply.broken' }>

export const isReply = (event: Recorded): event is SpokenReply => event.type === 'reply.finished' || event.type === 'reply.broken'

type Parts = Pick<SpokenReply, 'type' | 'parts'> & { readonly stop?: 'length' }

/** Whether a reply reached its limit in mid-text; one that made calls goes on with their results. */
export const isCutAtLimit = ({ stop, parts }: Pick<Parts, 'stop' | 'parts'>): boolean =>
  stop === 'length' && !parts.some(part => part.type === 'call')

/** Whether a reply has words at all: a model may think until nothing of its limit is left. */
export const hasWords = ({ parts }: Pick<Parts, 'parts'>): boolean =>
  parts.some(part => part.type === 'text' && part.text.trim() !== '')
