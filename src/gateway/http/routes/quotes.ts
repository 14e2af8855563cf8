/** Routes that say what a message would cost before it is said. */
import { z } from 'zod'
import type { Engine, NewSession, Quote } from '../../../engine.ts'
import { jsonRouteAnswer, type Route, route } from '../route.ts'
import { addressees, nonEmpty, sessionId, sessionSettings } from '../schemas/fields.ts'
import { type Schema, schema } from '../schemas/schema.ts'

const quoted: z.ZodType<{ readonly text: string; readonly to?: readonly string[] }> = z.strictObject({
  text: nonEmpty,
  to: addressees.exactOptional(),
})

/** What a session would be opened with, and what would be said in it. */
const quotedFirst: z.ZodType<NewSession & { readonly text: string; readonly to?: readonly string[] }> = z.strictObject({
  text: nonEmpty,
  to: addressees.exactOptional(),
  ...sessionSettings,
})

const price = () => ({
  input: z.number(),
  cached: z.number(),
  output: z.number(),
  leastUsd: z.number().nullable(),
  mostUsd: z.number().nullable(),
})

const quote: Schema<Quote> = schema('Quote', () =>
  z.object({
    voices: z.array(z.object({ voice: z.string(), model: z.string(), ...price() })),
    total: z.object(price()),
    replyLimit: z.number().nullable(),
    refused: z.string().nullable(),
  }),
)

export const quoteRoutes = ({ engine }: { readonly engine: Pick<Engine, 'quote' | 'quoteFirst'> }): readonly Route[] => [
  route({
    method: 'post',
    path: '/api/quote',
    operationId: 'quoteFirstMessage',
    summary: 'What the first message of a session would take, before there is one; nothing is stored',
    body: quotedFirst,
    answers: [jsonRouteAnswer(200, quote, 'The quote')],
    handle: ({ body: { text, to, ...wish } }) => engine.quoteFirst(wish, text, to),
  }),
  route({
    method: 'post',
    path: '/api/sessions/:id/quote',
    operationId: 'quoteMessage',
    summary: 'What a message would take before it is said: tokens in and out, cached, and cost, for every voice',
    params: { id: sessionId },
    body: quoted,
    answers: [jsonRouteAnswer(200, quote, 'The quote')],
    handle: ({ params: { id }, body: { text, to } }) => engine.quote(id, text, to),
  }),
]
