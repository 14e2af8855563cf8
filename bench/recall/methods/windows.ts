// Windows: what most programs send, which is the end of a conversation, or its beginning and its end.
import type { Message } from '../conversation.ts'
import { costOf, type Method } from '../measure.ts'

/** The last messages that fit. */
export const lastMessages: Method = {
  name: 'last messages',
  ask:
    ({ messages }) =>
    async ({ text }, budget) => [...newest(messages, budget - costOf(text)), text],
}

/** The first two, and the last that fit. */
export const firstAndLast: Method = {
  name: 'first 2 and last messages',
  ask:
    ({ messages }) =>
    async ({ text }, budget) => {
      const room = budget - costOf(text)
      const first = messages.slice(0, 2).map(message => message.text)
      const taken = first.reduce((sum, each) => sum + costOf(each), 0)
      return taken > room ? [...newest(messages, room), text] : [...first, ...newest(messages.slice(2), room - taken), text]
    },
}

/** From the end until one does not fit. */
function newest(messages: readonly Message[], room: number): readonly string[] {
  const texts: string[] = []
  let left = room
  for (const { text } of messages.toReversed()) {
    left -= costOf(text)
    if (left < 0) break
    texts.unshift(text)
  }
  return texts
}
