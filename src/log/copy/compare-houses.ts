/** Compares two stores that should have the same house: every session with all its events, and everything beside them. */

import { createHash } from 'node:crypto'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { besideLine, eventLine, sameSession, stateDifference } from './differences.ts'
import type { HouseEvent, HouseSession, HouseSource } from './house.ts'
import { batchesOf, eventPages, MOST_ROWS, sessionPages, textBatches, textPages } from './pages.ts'
import { usageDifference } from './usage-rows.ts'
import { COPY_STOPPED, type CopyWatch } from './watch.ts'

/** `digest` is over the events of every session; two stores with the same house have the same. */
export type ComparedHouses = {
  readonly sessions: number
  readonly events: number
  readonly usage: number
  readonly receipts: number
  readonly digest: string
}

/** The first difference is a fault, in one line. */
export async function compareHouses(
  source: HouseSource,
  target: HouseSource,
  watch: CopyWatch,
): Promise<Result<ComparedHouses, Fault>> {
  const sessions = await compareSessions(source, target, watch)
  if (!sessions.ok) return sessions
  const [own, there] = [await source.counts(), await target.counts()]
  if (!own.ok) return own
  if (!there.ok) return there
  for (const what of ['sessions', 'events', 'usage', 'receipts'] as const)
    if (own.value[what] !== there.value[what])
      return differs(`${source.title} has ${own.value[what]} ${WORDS[what]}, ${target.title} has ${there.value[what]}`)
  for (const difference of [textDifference, usageDifference, receiptDifference, stateDiffers]) {
    const found = await difference(source, target)
    if (!found.ok) return found
    if (found.value !== undefined) return differs(found.value)
  }
  const { usage, receipts } = own.value
  return ok({ ...sessions.value, usage, receipts })
}

const WORDS = { sessions: 'sessions', events: 'events', usage: 'rows of usage', receipts: 'stateless receipts' }

/** Either store may be the one that changed meanwhile. */
const differs = (what: string): Result<never, Fault> => err(fault('conflict', `the two stores differ: ${what}`))

async function compareSessions(
  source: HouseSource,
  target: HouseSource,
  { abort, onProgress }: CopyWatch,
): Promise<Result<Pick<ComparedHouses, 'sessions' | 'events' | 'digest'>, Fault>> {
  const house = createHash('sha256')
  let [sessions, events] = [0, 0]
  for await (const page of sessionPages(source)) {
    if (!page.ok) return page
    const known = await target.known(page.value.map(({ id }) => id))
    if (!known.ok) return known
    const there = new Map(known.value.map(each => [each.id, each]))
    for (const batch of batchesOf(page.value)) {
      if (abort.aborted) return err(COPY_STOPPED)
      const odd = batch.find(own => {
        const other = there.get(own.id)
        return other === undefined || !sameSession(own, other)
      })
      if (odd !== undefined) return differs(`${odd.id} ${there.has(odd.id) ? 'is not the same' : `is not in ${target.title}`}`)
      const compared = await compareBatch(source, target, batch)
      if (!compared.ok) return compared
      for (const { id, head } of batch) {
        house.update(`${id} ${compared.value.get(id)}\n`)
        events += head
      }
      sessions += batch.length
      onProgress({ doing: 'comparing', sessions, events })
    }
  }
  return ok({ sessions, events, digest: `sha256:${house.digest('hex')}` })
}

/** Gives a digest over the events of each session. */
async function compareBatch(
  source: HouseSource,
  target: HouseSource,
  batch: readonly HouseSession[],
): Promise<Result<ReadonlyMap<SessionId, string>, Fault>> {
  const ids = batch.map(({ id }) => id)
  const [own, other] = [eventPages(source, batch), eventPages(target, batch)]
  const digests = new Map(ids.map(id => [id, createHash('sha256')]))
  const counts = new Map(ids.map(id => [id, 0]))
  for (;;) {
    const [ours, theirs] = await Promise.all([own.next(), other.next()])
    const [mine, there] = [ours.value ?? NO_EVENTS, theirs.value ?? NO_EVENTS]
    if (!mine.ok) return mine
    if (!there.ok) return there
    const difference = eventDifference(mine.value, there.value)
    if (difference !== undefined) return differs(difference)
    for (const event of mine.value) {
      digests.get(event.session)?.update(`${eventLine(event)}\n`)
      counts.set(event.session, (counts.get(event.session) ?? 0) + 1)
    }
    if (ours.done === true && theirs.done === true) break
  }
  const short = batch.find(({ id, head }) => counts.get(id) !== head)
  if (short !== undefined) return differs(`${short.id} says that it has ${short.head} events, and has ${counts.get(short.id)}`)
  const [beside, thereBeside] = await Promise.all([source.beside(ids), target.beside(ids)])
  if (!beside.ok) return beside
  if (!thereBeside.ok) return thereBeside
  if (besideLine(beside.value) !== besideLine(thereBeside.value))
    return differs(`${ids.join(', ').slice(0, 100)}: keys, texts or checkpoints are not the same`)
  return ok(new Map([...digests].map(([id, digest]) => [id, digest.digest('hex')])))
}

const NO_EVENTS: Result<readonly HouseEvent[], Fault> = ok([])

function eventDifference(ours: readonly HouseEvent[], theirs: readonly HouseEvent[]): string | undefined {
  const place = ours.findIndex((event, index) => {
    const other = theirs[index]
    return other === undefined || other.session !== event.session || eventLine(other) !== eventLine(event)
  })
  const event = ours[place] ?? (theirs.length > ours.length ? theirs[ours.length] : undefined)
  return event === undefined ? undefined : `event ${event.seq} of ${event.session} is not the same`
}

/** The texts of the house are in the other store; it may have more that are not used. */
async function textDifference(source: HouseSource, target: HouseSource): Promise<Result<string | undefined, Fault>> {
  for await (const page of textPages(source)) {
    if (!page.ok) return page
    for (const hashes of textBatches(page.value)) {
      const [own, there] = await Promise.all([source.texts(hashes), target.texts(hashes)])
      if (!own.ok) return own
      if (!there.ok) return there
      const known = new Map(there.value.map(({ hash, text }) => [hash, text]))
      const odd = own.value.find(({ hash, text }) => known.get(hash) !== text)
      if (odd !== undefined) return ok(`the text ${odd.hash} is not the same`)
    }
  }
  return ok(undefined)
}

async function receiptDifference(source: HouseSource, target: HouseSource): Promise<Result<string | undefined, Fault>> {
  for (let after = ''; ; ) {
    const [own, there] = await Promise.all([source.receipts(after, MOST_ROWS), target.receipts(after, MOST_ROWS)])
    if (!own.ok) return own
    if (!there.ok) return there
    const odd = own.value.find(({ id, body }, index) => id !== there.value[index]?.id || body !== there.value[index]?.body)
    if (odd !== undefined) return ok(`the receipt ${odd.id} is not the same`)
    const last = own.value.at(-1)
    if (last === undefined) return ok(undefined)
    after = last.id
  }
}

async function stateDiffers(source: HouseSource, target: HouseSource): Promise<Result<string | undefined, Fault>> {
  const [own, there] = await Promise.all([source.state(), target.state()])
  if (!own.ok) return own
  return there.ok ? ok(stateDifference(own.value, there.value)) : there
}
