import type { Event, Recorded } from './event.ts'

/** What a turn said in one step, whole or cut off. */
export type SpokenReply = Extract<Event, { type: 'reply.finished' | 'reply.broken' }>

export const isReply = (event: Recorded): event is SpokenReply => event.type === 'reply.finished' || event.type === 'reply.broken'

/** A turn's whole answer: what was cut off goes on in the next reply without a seam, other steps are paragraphs of their own. */
export function spokenText(replies: readonly Pick<SpokenReply, 'type' | 'parts'>[]): string {
  let text = ''
  let isCut = false
  for (const reply of replies) {
    const words = reply.parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n\n')
    if (words !== '') text += `${text === '' || isCut ? '' : '\n\n'}${words}`
    // What was cut off before its first word is no part of what an earlier step had said to the end.
    isCut = reply.type === 'reply.broken' && (isCut || words !== '')
  }
  return text
}
