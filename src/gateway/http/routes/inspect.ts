/** Routes that show what was sent and what would be sent; none of them writes anything. */
import { z } from 'zod'
import type { AsSent, ContextItem, DryRun, Engine, Presences, SentContext, Timeline, WouldSend } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import type { SessionId, TurnId } from '../../../model/ids.ts'
import type { Receipt } from '../../../model/receipt.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { type PolicySetting, policySchema } from '../../../model/settings/config.ts'
import { maxTokensSchema, samplingSchema } from '../../../model/settings/sampling-schema.ts'
import { unsavedPolicy } from '../../workspace/policies.ts'
import { jsonRouteAnswer, type Route, route } from '../route.ts'
import { nonEmpty, receiptId, seq, sessionId, turnId, upTo, wholeNumber, yesOrNo } from '../schemas/fields.ts'
import { brokenBy, degraded, inReason, ladder, lineKind, outReason, receipt, role, truncated } from '../schemas/receipt.ts'
import { type Schema, schema, text } from '../schemas/schema.ts'

const PRESENCE_PAGE = 50
const TIMELINE_PAGE = 200

const contextQuery: z.ZodType<{ readonly step?: number; readonly voice?: string; readonly items?: boolean }> = z.object({
  step: z
    .string()
    .regex(/^[1-9]\d{0,5}$/, 'must be a whole number from 1')
    .transform(Number)
    .exactOptional(),
  voice: z.string().exactOptional(),
  items: yesOrNo.exactOptional(),
})

/** A policy may also be given as settings have it: one that is not saved yet. */
type DryRunBody = Omit<DryRun, 'policy'> & { readonly policy?: string | PolicySetting }

const dryRun: z.ZodType<DryRunBody> = z.strictObject({
  text: nonEmpty.exactOptional(),
  agent: z.string().exactOptional(),
  advisor: z.string().exactOptional(),
  policy: z.union([z.string(), policySchema]).exactOptional(),
  model: z.string().exactOptional(),
  budget: z.int().min(1).exactOptional(),
  sampling: samplingSchema.exactOptional(),
  maxTokens: maxTokensSchema.exactOptional(),
  at: z.int().min(1).exactOptional(),
  marks: z
    .array(z.strictObject({ seq: z.int().min(1), mark: z.enum(['pin', 'exclude', 'removed']).nullable() }))
    .max(1000)
    .exactOptional(),
  items: z.boolean().exactOptional(),
})

const presenceQuery: z.ZodType<{ readonly before?: number; readonly limit?: number }> = z.object({
  before: wholeNumber.exactOptional(),
  limit: upTo(200).exactOptional(),
})

const timelineQuery: z.ZodType<{ readonly after?: number; readonly limit?: number }> = z.object({
  after: wholeNumber.exactOptional(),
  limit: upTo(1000).exactOptional(),
})

/** A context in the contract's shape. */
type Shown<Context extends SentContext> = Omit<Context, 'outline'>

const item: Schema<ContextItem> = schema('ContextItem', () =>
  z.object({
    name: z.string(),
    volatile: z.boolean(),
    kind: lineKind(),
    role: role().exactOptional(),
    from: z.int().exactOptional(),
    to: z.int().exactOptional(),
    tokens: z.number(),
    reason: inReason(),
    source: z.string().exactOptional(),
    session: text<SessionId>().exactOptional(),
    hash: z.string(),
    text: z.string(),
  }),
)

const context = () => ({
  receipt: receipt(),
  request: z.object({ url: z.string(), body: z.unknown() }).nullable(),
  verified: z.boolean().nullable(),
  difference: z.string().exactOptional(),
  items: z.array(item()).exactOptional(),
})

const request = () => z.object({ turn: text<TurnId>(), step: z.int() }).nullable()

const sentContext: Schema<Shown<AsSent>> = schema('SentContext', () =>
  z.object({
    ...context(),
    previous: request().exactOptional(),
    next: request().exactOptional(),
    steps: z.int().exactOptional(),
  }),
)

const contextToSend: Schema<Shown<WouldSend>> = schema('ContextToSend', () =>
  z.object({ ...context(), cost: z.object({ leastUsd: z.number(), mostUsd: z.number() }).nullable() }),
)

const presences: Schema<Presences> = schema('Presences', () =>
  z.object({
    seq: z.int(),
    items: z.array(
      z.object({
        turn: text<TurnId>(),
        step: z.int(),
        voice: z.string(),
        at: z.string(),
        in: z.boolean(),
        part: z.literal(true).exactOptional(),
        reason: z.union([inReason(), outReason()]),
      }),
    ),
    next: z.int().nullable(),
  }),
)

const timeline: Schema<Timeline> = schema('Timeline', () =>
  z.object({
    items: z.array(
      z.object({
        seq: z.int(),
        at: z.string(),
        turn: text<TurnId>(),
        step: z.int(),
        voice: z.string(),
        model: z.string(),
        policy: z.string(),
        estimated: z.number(),
        reported: z.number().nullable(),
        cached: z.number().nullable(),
        costUsd: z.number().nullable(),
        limit: z.number(),
        begins: z.int().nullable(),
        dropped: z.int(),
        stableShare: z.number().nullable(),
        brokenBy: brokenBy(),
        degraded: degraded(),
        ladder: ladder(),
        truncated: truncated().nullable(),
      }),
    ),
    next: z.int().nullable(),
  }),
)

type Kept = { readonly receipt: Receipt; readonly session?: SessionId; readonly turn?: TurnId; readonly step?: number }

const keptReceipt: Schema<Kept> = schema('KeptReceipt', () =>
  z.object({
    receipt: receipt(),
    session: text<SessionId>().exactOptional(),
    turn: text<TurnId>().exactOptional(),
    step: z.int().exactOptional(),
  }),
)

type Needs = { readonly engine: Pick<Engine, 'asSent' | 'wouldSend' | 'policies' | 'presence' | 'timeline' | 'receipt'> }

export const inspectRoutes = ({ engine }: Needs): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/sessions/:id/turns/:turn/context',
    operationId: 'getSentContext',
    summary: 'What was sent, rebuilt from the log and compared with its digest',
    params: { id: sessionId, turn: turnId },
    query: contextQuery,
    answers: [
      jsonRouteAnswer(
        200,
        sentContext,
        'Receipt and request; with items=true also every item with its text, and the requests of this voice before and after',
      ),
    ],
    handle: async ({ params: { id, turn }, query: { step, voice, items = false } }) => {
      const sent = withoutOutline(await engine.asSent(id, turn, step, { items }))
      if (sent.ok && voice !== undefined && sent.value.receipt.voice !== voice)
        return err(fault('not-found', `that turn is not of "${voice}" but of "${sent.value.receipt.voice}"`))
      return sent
    },
  }),
  route({
    method: 'post',
    path: '/api/sessions/:id/context',
    operationId: 'dryRunContext',
    summary: 'What would be sent, and what that would cost; nothing is stored',
    params: { id: sessionId },
    body: dryRun,
    answers: [jsonRouteAnswer(200, contextToSend, 'Receipt, request and cost; with items also every item with its text')],
    handle: async ({ params: { id }, body }) => {
      const wanted = withPolicy(body, engine.policies)
      return wanted.ok ? withoutOutline(await engine.wouldSend(id, wanted.value)) : wanted
    },
  }),
  route({
    method: 'get',
    path: '/api/sessions/:id/events/:seq/presence',
    operationId: 'listPresence',
    summary: 'In which later requests something is that was said, and why; newest first',
    params: { id: sessionId, seq },
    query: presenceQuery,
    answers: [jsonRouteAnswer(200, presences, 'A page of requests')],
    problems: { 400: 'That event is nothing that was said' },
    handle: ({ params, query }) => engine.presence(params.id, params.seq, { limit: PRESENCE_PAGE, ...query }),
  }),
  route({
    method: 'get',
    path: '/api/receipts/:id',
    operationId: 'getReceipt',
    summary: 'The receipt of any request, by its id, with where its conversation is, if that is kept',
    params: { id: receiptId },
    answers: [jsonRouteAnswer(200, keptReceipt, 'The receipt')],
    handle: ({ params: { id } }) => engine.receipt(id),
  }),
  route({
    method: 'get',
    path: '/api/sessions/:id/timeline',
    operationId: 'getTimeline',
    summary: 'The requests of a session in numbers, oldest first',
    params: { id: sessionId },
    query: timelineQuery,
    answers: [jsonRouteAnswer(200, timeline, 'A page of requests')],
    handle: ({ params: { id }, query }) => engine.timeline(id, { limit: TIMELINE_PAGE, ...query }),
  }),
]

/** The same with the policy worked out, where it is given as settings have it. */
function withPolicy({ policy, ...rest }: DryRunBody, known: Engine['policies']): Result<DryRun, Fault> {
  if (typeof policy !== 'object') return ok(policy === undefined ? rest : { ...rest, policy })
  const worked = unsavedPolicy(policy, known)
  return typeof worked === 'string' ? err(fault('invalid', `policy.${worked}`)) : ok({ ...rest, policy: worked })
}

function withoutOutline<Context extends SentContext>(found: Result<Context, Fault>): Result<Shown<Context>, Fault> {
  if (!found.ok) return found
  const { outline: _, ...rest } = found.value
  return ok(rest)
}
