/** The route of what requests used and cost. */
import { z } from 'zod'
import type { Engine } from '../../../engine.ts'
import { parseSessionId } from '../../../model/ids.ts'
import { ok } from '../../../model/result.ts'
import { type UsageRow, type UsageSum, usageSum } from '../../../model/usage.ts'
import { sinceOf } from '../../since.ts'
import { jsonRouteAnswer, type Route, route } from '../route.ts'
import { type Schema, schema } from '../schemas/schema.ts'

const since = z
  .string()
  .transform(sinceOf)
  .refine(moment => moment !== undefined, 'must be a date as in 2026-01-31, or a time as in 2026-01-31T12:00:00Z')

const usageQuery: z.ZodType<{ readonly session?: string; readonly since?: string }> = z.object({
  session: z.string().exactOptional(),
  since: since.exactOptional(),
})

const sum = () => ({
  input: z.int(),
  output: z.int(),
  cacheRead: z.int(),
  cacheWrite: z.int(),
  costUsd: z.number().nullable(),
  requests: z.int(),
})

const usage: Schema<{ readonly items: readonly UsageRow[]; readonly total: UsageSum }> = schema('UsageList', () =>
  z.object({ items: z.array(z.object({ ...sum(), day: z.string(), model: z.string() })), total: z.object(sum()) }),
)

export const usageRoutes = ({ engine }: { readonly engine: Pick<Engine, 'usage'> }): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/usage',
    operationId: 'getUsage',
    summary: 'What was used and what it cost, by day and model',
    query: usageQuery,
    answers: [jsonRouteAnswer(200, usage, 'Rows and their total')],
    handle: async ({ query }) => {
      const session = query.session === undefined ? ok(undefined) : parseSessionId(query.session)
      if (!session.ok) return session
      const rows = await engine.usage({
        ...(session.value === undefined ? {} : { session: session.value }),
        ...(query.since === undefined ? {} : { since: query.since }),
      })
      return rows.ok ? ok({ items: rows.value, total: usageSum(rows.value) }) : rows
    },
  }),
]
