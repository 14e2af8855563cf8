/** Compares rows of two houses, and says in words what differs. Pure. */

import type { HouseBeside, HouseEvent, HouseSession, HouseState } from './house.ts'

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** A session as a list of its fields: stores need not give them in the same order. */
const sessionLine = (session: HouseSession): readonly unknown[] => [
  ...[session.id, session.family, session.parent, session.updatedAt, session.title, session.project, session.archived],
  ...[session.body, session.head, session.messages, session.tokens, session.due, session.voices, session.fence],
  session.open.map(({ turn, voice, started }) => [turn, voice, started]),
]

export const eventLine = (event: HouseEvent): string =>
  JSON.stringify([
    ...[event.seq, event.at, event.type, event.turn, event.body],
    ...[event.tokens, event.totalTokens, event.totalMessages, event.begins, event.id],
  ])

export const besideLine = ({ keys, uses, checkpoints }: HouseBeside): string =>
  JSON.stringify([
    keys.map(({ session, key, first, last }) => [session, key, first, last]),
    uses.map(({ session, hash, since }) => [session, hash, since]),
    checkpoints.map(({ session, turn, body }) => [session, turn, body]),
  ])

export const sameSession = (one: HouseSession, other: HouseSession): boolean => isSame(sessionLine(one), sessionLine(other))

/** What is there, and is not ours; undefined if it is all ours. Documents count only where both stores keep them. */
export function strangeState(ours: HouseState, theirs: HouseState): string | undefined {
  const strange = <Row>(what: string, own: readonly Row[], other: readonly Row[], nameOf: (row: Row) => string): string[] => {
    const known = new Set(own.map(row => JSON.stringify(row)))
    return other.filter(row => !known.has(JSON.stringify(row))).map(row => `${what} ${nameOf(row)} is there and differs`)
  }
  const [first] = [
    ...strange('the token factor of', lines(ours).factors, lines(theirs).factors, ([model]) => String(model)),
    ...strange('channel state', lines(ours).channels, lines(theirs).channels, ([channel, key]) => `${channel} ${key}`),
    ...strange('grant', lines(ours).grants, lines(theirs).grants, ([id]) => String(id)),
    ...(ours.documents === null || theirs.documents === null
      ? []
      : strange('the document', lines(ours).documents, lines(theirs).documents, ([name]) => String(name))),
  ]
  return first
}

/** What differs between two states; undefined if they are the same. */
export const stateDifference = (ours: HouseState, theirs: HouseState): string | undefined =>
  strangeState(ours, theirs) ?? strangeState(theirs, ours)

const lines = ({ factors, channels, grants, documents }: HouseState) => ({
  factors: factors.map(({ model, factor }) => [model, factor]).sort(byText),
  channels: channels.map(({ channel, key, value }) => [channel, key, value]),
  grants: grants.map(({ id, tool, binding, session, facts, at }) => [id, tool, binding, session, facts, at]),
  documents: (documents ?? []).map(({ name, text }) => [name, text]),
})

const byText = (one: readonly unknown[], other: readonly unknown[]): number => (String(one[0]) < String(other[0]) ? -1 : 1)
