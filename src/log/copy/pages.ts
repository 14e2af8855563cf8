/** Goes through a store page by page, and puts rows together into pieces of a bounded size. */

import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { ok, type Result } from '../../model/result.ts'
import type { HouseEvent, HouseReceipt, HouseSession, HouseSource } from './house.ts'

/** So many families, and so many small rows, at once. */
const FAMILIES = 200
export const MOST_ROWS = 2000
/** A page of events, and the small sessions that go together, have about so many events. */
export const MOST_EVENTS = 2000
/** Texts that go together have about so many bytes; a longer one goes alone. */
const MOST_BYTES = 4 << 20

type Page<Row> = Result<readonly Row[], Fault>

/** Every page; each begins behind the last row of the one before. */
async function* pagesOf<Row, Place extends string | number>(
  first: Place,
  read: (after: Place) => Promise<Page<Row>>,
  placeOf: (last: Row) => Place,
): AsyncGenerator<Page<Row>> {
  for (let after = first; ; ) {
    const page = await read(after)
    const last = page.ok ? page.value.at(-1) : undefined
    if (!page.ok || last !== undefined) yield page
    if (last === undefined) return
    after = placeOf(last)
  }
}

export const sessionPages = (house: HouseSource): AsyncGenerator<Page<HouseSession>> =>
  pagesOf<HouseSession, string>(
    '',
    after => house.sessions(after, FAMILIES),
    ({ family }) => family,
  )

export const textPages = (house: HouseSource): AsyncGenerator<Page<TextSize>> =>
  pagesOf<TextSize, string>(
    '',
    after => house.textSizes(after, MOST_ROWS),
    ({ hash }) => hash,
  )

export const receiptPages = (house: HouseSource): AsyncGenerator<Page<HouseReceipt>> =>
  pagesOf<HouseReceipt, string>(
    '',
    after => house.receipts(after, MOST_ROWS),
    ({ id }) => id,
  )

/** Small sessions together, and each long one alone, in their order. */
export const batchesOf = (sessions: readonly HouseSession[]): readonly (readonly HouseSession[])[] =>
  together(sessions, ({ head }) => head, MOST_EVENTS)

export type TextSize = { readonly hash: string; readonly bytes: number }

export const textBatches = (sizes: readonly TextSize[]): readonly (readonly string[])[] =>
  together(sizes, ({ bytes }) => bytes, MOST_BYTES).map(batch => batch.map(({ hash }) => hash))

function together<Row>(rows: readonly Row[], sizeOf: (row: Row) => number, most: number): readonly (readonly Row[])[] {
  const batches: Row[][] = []
  let size = Number.POSITIVE_INFINITY
  for (const row of rows) {
    if (size + sizeOf(row) > most) {
      batches.push([])
      size = 0
    }
    batches.at(-1)?.push(row)
    size += sizeOf(row)
  }
  return batches
}

/** The events of a batch, session by session in its order. A batch with more than one page has one session. */
export async function* eventPages(house: HouseSource, batch: readonly HouseSession[]): AsyncGenerator<Page<HouseEvent>> {
  const [first, second] = batch
  if (first === undefined) return
  if (second === undefined && first.head > MOST_EVENTS) {
    yield* pagesOf<HouseEvent, number>(
      0,
      after => house.eventsAfter(first.id, after, MOST_EVENTS),
      ({ seq }) => seq,
    )
    return
  }
  const ids = batch.map(({ id }) => id)
  const events = await house.events(ids)
  yield events.ok ? ok(inOrderOf(ids, events.value)) : events
}

function inOrderOf(ids: readonly SessionId[], events: readonly HouseEvent[]): readonly HouseEvent[] {
  const own = Map.groupBy(events, ({ session }) => session)
  return ids.flatMap(id => own.get(id) ?? [])
}
