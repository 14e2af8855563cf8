import type { Event, Recorded } from '../event.ts'
import type { TurnId } from '../ids.ts'

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

/** A turn's whole answer: what was cut off goes on in the next reply without a seam, other steps are paragraphs of their own. */
export function spokenText(replies: readonly Parts[]): string {
  let text = ''
  let isCut = false
  for (const reply of replies) {
    const words = reply.parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n\n')
    if (words !== '') text += `${text === '' || isCut ? '' : '\n\n'}${words}`
    // What was cut off before its first word is no part of what an earlier step had said to the end.
    isCut = (reply.type === 'reply.broken' || isCutAtLimit(reply)) && (isCut || words !== '')
  }
  return text
}

/** A turn and, before it, those whose answer it goes on with, as far as they are among the events. */
export function turnsContinuedBy(events: readonly Recorded[], turn: TurnId): readonly TurnId[] {
  const turns = [turn]
  for (const event of events.toReversed())
    if (event.type === 'turn.started' && event.turn === turns[0] && event.continues === true && event.resumes !== undefined)
      turns.unshift(event.resumes)
  return turns
}
