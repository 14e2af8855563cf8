// Groups the replies of a round into one card per advisor.
import type { ReplyEntry } from '../view/view.ts'

/** What one advisor made of one message. However often a turn was cut or spoken into, it is one card. */
export type Card = {
  readonly key: string
  readonly voice: string
  /** The turn that counts, stretch by stretch. */
  readonly stretches: readonly ReplyEntry[]
  /** Turns that were gone on with, oldest first. */
  readonly attempts: readonly (readonly ReplyEntry[])[]
}

/**
 * One card for each voice, in the order of the council; who is no longer in it comes after, as they spoke. Answers to two
 * messages are two cards, even if they are neighbors.
 */
export function cardsOf(replies: readonly ReplyEntry[], order: readonly string[]): readonly Card[] {
  const answers = [...Map.groupBy(replies, ({ voice, cause }) => `${cause} ${voice}`)]
  const cards = answers.map(([key, entries]): Card => {
    const turns = [...Map.groupBy(entries, entry => entry.turn).values()]
    return { key, voice: entries[0]?.voice ?? '', stretches: turns.at(-1) ?? [], attempts: turns.slice(0, -1) }
  })
  const place = ({ voice }: Card): number => (order.includes(voice) ? order.indexOf(voice) : order.length)
  return cards.toSorted((one, other) => place(one) - place(other))
}

/** Whether two cards show the same: entries that did not change stay the same objects. */
export const sameCard = (one: Card, other: Card): boolean =>
  one.key === other.key &&
  sameItems(one.stretches, other.stretches) &&
  one.attempts.length === other.attempts.length &&
  one.attempts.every((attempt, index) => sameItems(attempt, other.attempts[index] ?? []))

const sameItems = <Item>(one: readonly Item[], other: readonly Item[]): boolean =>
  one.length === other.length && one.every((item, index) => item === other[index])

export type CardState = 'running' | 'waits' | 'failed' | 'stopped' | 'answered'

/** The state of a card in one word; a call that waits for approval comes before all else. */
export function stateOf({ stretches }: Card): CardState {
  const waits = stretches.some(({ steps }) =>
    steps.some(({ parts }) => parts.some(part => part.type === 'call' && part.run.state === 'waits')),
  )
  if (waits) return 'waits'
  const end = stretches.at(-1)?.end ?? null
  if (end === null || end === 'continued') return 'running'
  if (end.reason === 'failed' || end.reason === 'interrupted') return 'failed'
  return end.reason === 'cancelled' ? 'stopped' : 'answered'
}
