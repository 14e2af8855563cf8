/** The route that makes the recall index of a session anew. */
import { z } from 'zod'
import type { Engine, ReindexProgress } from '../../../../engine.ts'
import { ok } from '../../../../model/result.ts'
import { progressFrames } from '../../progress.ts'
import { jsonRouteAnswer, type Route, route, stream } from '../../route.ts'
import { sessionId } from '../../schemas/fields.ts'
import { type Schema, schema } from '../../schemas/schema.ts'
import { type Streams, wantsStream } from '../../streams.ts'

const reindexed: Schema<ReindexProgress> = schema('Reindexed', () => z.object({ messages: z.int(), of: z.int() }))

type Needs = { readonly engine: Pick<Engine, 'session' | 'reindex'>; readonly streams: Streams }

export const recallRoutes = ({ engine, streams }: Needs): readonly Route[] => [
  route({
    method: 'post',
    path: '/api/sessions/:id/reindex',
    operationId: 'reindexSession',
    summary: 'Make the recall index of a session anew',
    params: { id: sessionId },
    answers: [
      jsonRouteAnswer(200, reindexed, 'How many messages are indexed'),
      stream('with Accept: text/event-stream, progress while it is made'),
    ],
    // If the client hangs up, the index is made all the same: half of one is of no use.
    handle: async ({ params: { id }, c }) => {
      const known = await engine.session(id)
      if (!known.ok) return known
      if (!wantsStream(c)) return engine.reindex(id, () => {})
      const place = streams.take(c.env)
      if (!place.ok) return place
      using reader = place.value
      return ok(reader.send(progressFrames<ReindexProgress, ReindexProgress>(progress => engine.reindex(id, progress))))
    },
  }),
]
