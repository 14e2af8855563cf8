/** Events as they are answered: one schema for each type. */
import { z } from 'zod'
import type { Pending } from '../../../engine.ts'
import type { RunFacts } from '../../../model/approval.ts'
import type { Attachment, Part, Recorded, ResultImage } from '../../../model/event.ts'
import { FAULT_KINDS, type Fault } from '../../../model/fault.ts'
import type { ApprovalId, SessionId, TurnId } from '../../../model/ids.ts'
import type { Usage } from '../../../model/message/delta.ts'
import { SYNTHESIS_MODES } from '../../../model/settings/council.ts'
import { maxTokensSchema, samplingSchema } from '../../../model/settings/sampling-schema.ts'
import { receipt } from './receipt.ts'
import { type Schema, schema, text } from './schema.ts'

/** An event without what only the store needs. */
type ShownEvent = Recorded extends infer Each ? (Each extends Recorded ? Omit<Each, 'tokens'> : never) : never

const fault: Schema<Fault> = schema('Fault', () =>
  z.object({
    kind: z.enum(FAULT_KINDS),
    message: z.string(),
    retryable: z.boolean(),
    retryAfterMs: z.number().exactOptional(),
  }),
)

const usage: Schema<Usage> = schema('Usage', () =>
  z.object({
    input: z.int(),
    output: z.int(),
    cacheRead: z.int(),
    cacheWrite: z.int(),
    costUsd: z.number().exactOptional(),
  }),
)

const part: Schema<Part> = schema('Part', () =>
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('text'), text: z.string() }),
    z.object({
      type: z.literal('think'),
      text: z.string(),
      signature: z.string().exactOptional(),
      redacted: z.string().exactOptional(),
    }),
    z.object({
      type: z.literal('call'),
      call: z.string(),
      tool: z.string(),
      args: z.unknown(),
      raw: z.string().exactOptional(),
      extra: z.record(z.string(), z.unknown()).exactOptional(),
    }),
  ]),
)

const attachment: Schema<Attachment> = schema('Attachment', () =>
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('text'), name: z.string(), mediaType: z.string(), text: z.string() }),
    z.object({
      type: z.enum(['image', 'file']),
      name: z.string(),
      mediaType: z.string(),
      hash: z.string(),
      bytes: z.int(),
      tokens: z.number(),
    }),
  ]),
)

const resultImage: Schema<ResultImage> = schema('ResultImage', () =>
  z.object({
    type: z.literal('image'),
    name: z.string(),
    mediaType: z.string(),
    hash: z.string(),
    bytes: z.int(),
    tokens: z.number(),
  }),
)

const binary = () => z.object({ path: z.string(), sha256: z.string() })

const server = () =>
  z.object({
    name: z.string(),
    command: z.array(z.string()).exactOptional(),
    url: z.string().exactOptional(),
    sha256: z.string(),
    schema: z.string(),
  })

const resolver = () => z.object({ param: z.string(), at: z.int(), argv: z.array(z.string()), binary: binary() })

/** What a person's answer to a tool call is bound to. */
const factsShape = () => ({
  binary: binary().exactOptional(),
  env: z.array(z.string()).exactOptional(),
  server: server().exactOptional(),
  resolver: z.array(resolver()).exactOptional(),
  descriptor: z.string().exactOptional(),
})

export const runFacts: Schema<RunFacts> = schema('RunFacts', () => z.object(factsShape()))

/** A call that waits for a person, with what it would run. */
export const pending: Schema<Pending> = schema('PendingApproval', () =>
  z.object({ session: text<SessionId>(), ...askedShape(), at: z.string(), expiresAt: z.string() }),
)

const askedShape = () => ({
  approval: text<ApprovalId>(),
  turn: text<TurnId>(),
  call: z.string(),
  tool: z.string(),
  argv: z.array(z.string()),
  ...factsShape(),
})

const place = () => ({ session: text<SessionId>(), seq: z.int(), at: z.string() })
const turn = () => text<TurnId>()
const took = () => z.object({ firstMs: z.number().exactOptional(), thinkMs: z.number().exactOptional(), ms: z.number() })

const reply = () => ({
  turn: turn(),
  step: z.int(),
  parts: z.array(part()),
  model: z.string().exactOptional(),
  usage: usage().exactOptional(),
  took: took().exactOptional(),
  internal: z.literal(true).exactOptional(),
  through: z.int().exactOptional(),
  missed: z.array(z.int()).exactOptional(),
})

const changes = () =>
  z.object({
    title: z.string().nullable().exactOptional(),
    agent: z.string().nullable().exactOptional(),
    council: z.string().nullable().exactOptional(),
    policy: z.string().exactOptional(),
    model: z.string().nullable().exactOptional(),
    thinking: z.boolean().nullable().exactOptional(),
    sampling: samplingSchema.nullable().exactOptional(),
    maxTokens: maxTokensSchema.nullable().exactOptional(),
    policyChosen: z.boolean().exactOptional(),
    project: z.string().nullable().exactOptional(),
    archived: z.boolean().exactOptional(),
    private: z.boolean().exactOptional(),
  })

const foldRange = () => ({
  from: z.int(),
  to: z.int(),
  voice: z.string().exactOptional(),
  replaces: z.int().exactOptional(),
  asked: z.literal(true).exactOptional(),
})

export const event: Schema<ShownEvent> = schema('Event', () =>
  z.discriminatedUnion('type', [
    z.object({
      type: z.literal('message.received'),
      text: z.string(),
      parts: z.array(attachment()).exactOptional(),
      from: z.string(),
      to: z.array(z.string()).exactOptional(),
      voices: z.array(z.string()).exactOptional(),
      synthesis: z.enum(SYNTHESIS_MODES).exactOptional(),
      exchange: z.object({ round: z.int(), of: z.int() }).exactOptional(),
      replyLimit: z.int().exactOptional(),
      sampling: samplingSchema.exactOptional(),
      maxTokens: maxTokensSchema.exactOptional(),
      key: z.string().exactOptional(),
      ...place(),
    }),
    z.object({
      type: z.literal('turn.started'),
      turn: turn(),
      voice: z.string(),
      cause: z.int(),
      name: z.string().exactOptional(),
      resumes: turn().exactOptional(),
      continues: z.literal(true).exactOptional(),
      mode: z.enum(SYNTHESIS_MODES).exactOptional(),
      fold: z.object({ ...foldRange(), tokens: z.int().exactOptional() }).exactOptional(),
      ...place(),
    }),
    z.object({ type: z.literal('context.planned'), turn: turn(), step: z.int(), receipt: receipt(), ...place() }),
    z.object({
      type: z.literal('reply.finished'),
      ...reply(),
      stop: z.literal('length').exactOptional(),
      beyond: z.int().exactOptional(),
      ...place(),
    }),
    z.object({ type: z.literal('reply.broken'), ...reply(), fault: fault(), ...place() }),
    z.object({
      type: z.literal('tool.started'),
      turn: turn(),
      call: z.string(),
      tool: z.string(),
      args: z.unknown(),
      ...place(),
    }),
    z.object({
      type: z.literal('tool.settled'),
      turn: turn(),
      call: z.string(),
      tool: z.string(),
      ok: z.boolean(),
      outcome: z.string(),
      content: z.string().exactOptional(),
      ms: z.number(),
      argv: z.array(z.string()).exactOptional(),
      images: z.array(resultImage()).exactOptional(),
      ...place(),
    }),
    z.object({ type: z.literal('approval.asked'), ...askedShape(), ...place() }),
    z.object({
      type: z.literal('approval.answered'),
      approval: text<ApprovalId>(),
      turn: turn(),
      call: z.string(),
      tool: z.string(),
      answer: z.enum(['once', 'session', 'always', 'deny']),
      reason: z.string().exactOptional(),
      ...place(),
    }),
    z.object({
      type: z.literal('turn.ended'),
      turn: turn(),
      voice: z.string(),
      reason: z.enum(['done', 'failed', 'cancelled', 'interrupted', 'limit']),
      fault: fault().exactOptional(),
      ...place(),
    }),
    z.object({
      type: z.literal('message.marked'),
      target: z.int(),
      mark: z.enum(['pin', 'exclude', 'removed']).nullable(),
      reach: z.enum(['project', 'everywhere']).exactOptional(),
      ...place(),
    }),
    z.object({
      type: z.literal('history.folded'),
      ...foldRange(),
      text: z.string(),
      by: z.enum(['model', 'extract', 'person']),
      turn: turn().exactOptional(),
      marksThrough: z.int().exactOptional(),
      messages: z.int().exactOptional(),
      folded: z.int().exactOptional(),
      left: z.array(z.string()).exactOptional(),
      ...place(),
    }),
    z.object({ type: z.literal('session.changed'), changes: changes(), ...place() }),
    z.object({ type: z.literal('damaged'), why: z.string(), messages: z.int(), ...place() }),
  ]),
)

export const eventPage: Schema<{ readonly items: readonly ShownEvent[]; readonly next: number | null }> = schema(
  'EventPage',
  () => z.object({ items: z.array(event()), next: z.int().nullable() }),
)
