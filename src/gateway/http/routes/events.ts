/** Routes of a session's events: read them page by page, or follow them as they happen. */
import { z } from 'zod'
import type { Engine } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import { jsonRouteAnswer, type Route, route, stream } from '../route.ts'
import { eventPage } from '../schemas/event.ts'
import { lastEventId, sessionId, upTo, wholeNumber } from '../schemas/fields.ts'
import { signalFrames } from '../sse.ts'
import { type Streams, wantsStream } from '../streams.ts'

const PAGE = 500

const eventsQuery: z.ZodType<{ readonly after?: number; readonly limit?: number }> = z.object({
  after: wholeNumber.exactOptional(),
  limit: upTo(5000).exactOptional(),
})

type Needs = { readonly engine: Pick<Engine, 'session' | 'follow' | 'read'>; readonly streams: Streams }

export const eventRoutes = ({ engine, streams }: Needs): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/sessions/:id/events',
    operationId: 'listEvents',
    summary: 'Read the events after a cursor, or follow them',
    params: { id: sessionId },
    query: eventsQuery,
    headers: { 'last-event-id': lastEventId },
    answers: [
      jsonRouteAnswer(200, eventPage, 'A page of events'),
      stream('with Accept: text/event-stream, signals: every event after the cursor, then what happens'),
    ],
    handle: async ({ params: { id }, query, headers, c }) => {
      const known = await engine.session(id)
      if (!known.ok) return known
      const after = headers['last-event-id'] ?? query.after ?? 0
      if (!wantsStream(c)) {
        const page = await eventsPage(engine, id, after, query.limit ?? PAGE)
        return page.ok ? ok(c.body(page.value, 200, { 'content-type': 'application/json' })) : page
      }
      const place = streams.take(c.env)
      if (!place.ok) return place
      using reader = place.value
      return ok(reader.send(signalFrames(id, engine.follow(id, after, reader.signal))))
    },
  }),
]

/** So many characters are read at once. */
const PIECE = 1 << 20
/** A page that has so many characters ends there; the next one begins behind it. */
const MOST_CHARACTERS = 4 << 20

/** A page as JSON. It ends by count or by size, since long messages would delay all other requests. */
export async function eventsPage(
  engine: Pick<Engine, 'read'>,
  id: SessionId,
  after: number,
  limit: number,
): Promise<Result<string, Fault>> {
  const items: string[] = []
  let characters = 0
  let cursor = after
  let isMore = true
  while (isMore && items.length < limit && characters < MOST_CHARACTERS) {
    const read = await engine.read(id, { after: cursor, limit: limit - items.length, size: PIECE })
    if (!read.ok) return read
    isMore = read.value.length > 0
    for (const { tokens: _, ...event } of read.value) {
      const item = JSON.stringify(event)
      items.push(item)
      characters += item.length
      cursor = event.seq
    }
  }
  return ok(`{"items":[${items.join(',')}],"next":${isMore && items.length > 0 ? cursor : 'null'}}`)
}
