import { z } from 'zod'
import type { DryRun, Inbound, InboundPart, NewSession, SessionQuery } from '../../engine.ts'
import type { ApprovalAnswer, Mark, SessionChange } from '../../model/event.ts'
import { MOST_PARTS } from '../../model/message/attachment.ts'
import { MOST_ROUNDS, SYNTHESIS_MODES, type SynthesisMode } from '../../model/settings/council.ts'
import { sinceOf } from '../since.ts'

const title = z.string().trim().min(1).max(200)

/** What people may send; anything else is refused by its path. */
export const newSession: z.ZodType<NewSession> = z.strictObject({
  title: title.exactOptional(),
  agent: z.string().exactOptional(),
  council: z.string().exactOptional(),
  policy: z.string().exactOptional(),
  model: z.string().exactOptional(),
  thinking: z.boolean().exactOptional(),
  project: z.string().exactOptional(),
})

export const sessionChange: z.ZodType<SessionChange> = z
  .strictObject({
    title: title.nullable().exactOptional(),
    agent: z.string().exactOptional(),
    council: z.string().nullable().exactOptional(),
    policy: z.string().exactOptional(),
    model: z.string().nullable().exactOptional(),
    thinking: z.boolean().nullable().exactOptional(),
    project: z.string().nullable().exactOptional(),
    archived: z.boolean().exactOptional(),
  })
  .refine(
    changes => Object.keys(changes).length > 0,
    'say what to change: title, agent, council, policy, model, thinking, project or archived',
  )

/** What the bytes are is looked at where they are taken in. */
const part: z.ZodType<InboundPart> = z.strictObject({
  type: z.enum(['image', 'file']),
  name: z.string(),
  mediaType: z.string(),
  data: z.string(),
})

/** Advisors by id, name or group. */
const to = z.array(z.string().min(1).max(200)).min(1).max(100)

export const newMessage: z.ZodType<Pick<Inbound, 'text' | 'parts' | 'to' | 'synthesis'>> = z
  .strictObject({
    text: z.string(),
    parts: z.array(part).max(MOST_PARTS).exactOptional(),
    to: to.exactOptional(),
    synthesis: z.enum(SYNTHESIS_MODES).nullable().exactOptional(),
  })
  .refine(({ text, parts = [] }) => text.trim() !== '' || parts.length > 0, { path: ['text'], message: 'must not be empty' })

export const approvalAnswer: z.ZodType<{ readonly answer: ApprovalAnswer; readonly reason?: string }> = z.strictObject({
  answer: z.enum(['once', 'session', 'always', 'deny']),
  reason: z.string().trim().min(1).max(500).exactOptional(),
})

export const someTurn: z.ZodType<{ readonly turn?: string }> = z.strictObject({ turn: z.string().exactOptional() })

export const exchange: z.ZodType<{ readonly rounds: number }> = z.strictObject({
  rounds: z.int().min(1).max(MOST_ROUNDS).default(1),
})

export const synthesis: z.ZodType<{ readonly mode: SynthesisMode; readonly round?: number }> = z.strictObject({
  mode: z.enum(SYNTHESIS_MODES).default('brief'),
  round: z.int().min(1).exactOptional(),
})

/** Something that could be said. */
const said = z.string().refine(text => text.trim() !== '', 'must not be empty')

export const quoted: z.ZodType<{ readonly text: string; readonly to?: readonly string[] }> = z.strictObject({
  text: said,
  to: to.exactOptional(),
})

/** What a session would be opened with, and what would be said in it. */
export const quotedFirst: z.ZodType<NewSession & { readonly text: string; readonly to?: readonly string[] }> = z.strictObject({
  text: said,
  to: to.exactOptional(),
  agent: z.string().exactOptional(),
  council: z.string().exactOptional(),
  policy: z.string().exactOptional(),
  model: z.string().exactOptional(),
  thinking: z.boolean().exactOptional(),
  project: z.string().exactOptional(),
})

export const suggested: z.ZodType<{ readonly question: string }> = z.strictObject({
  question: z.string().trim().min(1).max(10_000),
})

const mark = { seq: z.int().min(1), mark: z.enum(['pin', 'exclude']).nullable() }

export const marked: z.ZodType<{ readonly seq: number; readonly mark: Mark | null }> = z.strictObject(mark)

export const dryRun: z.ZodType<DryRun> = z.strictObject({
  text: said.exactOptional(),
  agent: z.string().exactOptional(),
  advisor: z.string().exactOptional(),
  policy: z.string().exactOptional(),
  model: z.string().exactOptional(),
  budget: z.int().min(1).exactOptional(),
  at: z.int().min(1).exactOptional(),
  marks: z.array(z.strictObject(mark)).max(1000).exactOptional(),
  items: z.boolean().exactOptional(),
})

const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number)

export const eventsQuery: z.ZodType<{ readonly after?: number; readonly limit?: number }, unknown> = z.object({
  after: wholeNumber.exactOptional(),
  limit: wholeNumber.pipe(z.int().min(1).max(5000)).exactOptional(),
})

const yesOrNo = z.enum(['true', 'false']).transform(word => word === 'true')

export const contextQuery: z.ZodType<{ readonly step?: number; readonly voice?: string; readonly items?: boolean }, unknown> =
  z.object({
    step: z
      .string()
      .regex(/^[1-9]\d{0,5}$/, 'must be a whole number from 1')
      .transform(Number)
      .exactOptional(),
    voice: z.string().exactOptional(),
    items: yesOrNo.exactOptional(),
  })

export const eventPath: z.ZodType<{ readonly seq: number }, unknown> = z.object({
  seq: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'must be a whole number from 1')
    .transform(Number),
})

export const presenceQuery: z.ZodType<{ readonly before?: number; readonly limit?: number }, unknown> = z.object({
  before: wholeNumber.exactOptional(),
  limit: wholeNumber.pipe(z.int().min(1).max(200)).exactOptional(),
})

export const timelineQuery: z.ZodType<{ readonly after?: number; readonly limit?: number }, unknown> = z.object({
  after: wholeNumber.exactOptional(),
  limit: wholeNumber.pipe(z.int().min(1).max(1000)).exactOptional(),
})

/** From nothing but the settings up to all there is; where that ends, the session knows. */
export const forked: z.ZodType<{ readonly at: number; readonly unheard?: number }> = z.strictObject({
  at: z.int().min(0),
  unheard: z.int().min(1).exactOptional(),
})

export const noWish: z.ZodType<object> = z.strictObject({})

export const sessionsQuery: z.ZodType<Partial<SessionQuery>, unknown> = z.object({
  query: z.string().max(500).exactOptional(),
  project: z.string().exactOptional(),
  parent: z.string().exactOptional(),
  family: z.string().exactOptional(),
  archived: yesOrNo.exactOptional(),
  cursor: z.string().exactOptional(),
  limit: wholeNumber.pipe(z.int().min(1).max(200)).exactOptional(),
})

const since = z
  .string()
  .transform(sinceOf)
  .refine(moment => moment !== undefined, 'must be a date as in 2026-01-31, or a time as in 2026-01-31T12:00:00Z')

export const usageQuery: z.ZodType<{ readonly session?: string; readonly since?: string }, unknown> = z.object({
  session: z.string().exactOptional(),
  since: since.exactOptional(),
})

/** Per session, for ever; visible characters only, so that it survives any proxy. */
export const idempotencyKey: z.ZodType<string> = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'Idempotency-Key: 1 to 200 visible characters')
