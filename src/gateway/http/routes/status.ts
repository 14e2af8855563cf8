/** Routes about the gateway itself: whether it is well, its figures, and the OpenAPI document. */
import { z } from 'zod'
import { ok } from '../../../model/result.ts'
import { jsonRouteAnswer, type Route, route, written } from '../route.ts'
import { type Schema, schema } from '../schemas/schema.ts'

const health: Schema<{ readonly status: 'ok' }> = schema('Health', () => z.object({ status: z.literal('ok') }))

const readiness: Schema<{ readonly status: 'ready' | 'degraded'; readonly reasons: readonly string[] }> = schema(
  'Readiness',
  () => z.object({ status: z.enum(['ready', 'degraded']), reasons: z.array(z.string()) }),
)

const document: Schema<object> = schema('OpenApiDocument', () => z.looseObject({ openapi: z.string() }))

type Needs = {
  readonly metrics: () => string
  /** Why the gateway is not at its best; empty when it is. */
  readonly troubles: () => Promise<readonly string[]>
  readonly openApi: () => object
}

export const statusRoutes = ({ metrics, troubles, openApi }: Needs): readonly Route[] => [
  route({
    method: 'get',
    path: '/healthz',
    operationId: 'getHealth',
    summary: 'The process can answer',
    answers: [jsonRouteAnswer(200, health, 'Alive')],
    handle: () => ok({ status: 'ok' as const }),
  }),
  route({
    method: 'get',
    path: '/readyz',
    operationId: 'getReadiness',
    summary: 'Ready, or degraded with its reasons',
    answers: [jsonRouteAnswer(200, readiness, 'Status and reasons')],
    handle: async () => {
      const reasons = await troubles()
      return ok({ status: reasons.length === 0 ? ('ready' as const) : ('degraded' as const), reasons })
    },
  }),
  route({
    method: 'get',
    path: '/metrics',
    operationId: 'getMetrics',
    summary: 'Measurements as Prometheus text',
    answers: [written(['text/plain'], 'Prometheus text')],
    handle: ({ c }) => ok(c.text(metrics(), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })),
  }),
  route({
    method: 'get',
    path: '/openapi.json',
    operationId: 'getOpenApi',
    summary: 'This document',
    answers: [jsonRouteAnswer(200, document, 'OpenAPI 3.1')],
    handle: () => ok(openApi()),
  }),
]
