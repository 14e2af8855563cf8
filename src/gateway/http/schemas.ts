import { z } from 'zod'
import type { DryRun, NewSession } from '../../engine.ts'
import type { Mark, SessionChange } from '../../model/event.ts'

const title = z.string().trim().min(1).max(200)

/** What people may send; anything else is refused by its path. */
export const newSession: z.ZodType<NewSession> = z.strictObject({
  title: title.exactOptional(),
  agent: z.string().exactOptional(),
  policy: z.string().exactOptional(),
  model: z.string().exactOptional(),
  project: z.string().exactOptional(),
})

export const sessionChange: z.ZodType<SessionChange> = z
  .strictObject({
    title: title.nullable().exactOptional(),
    agent: z.string().exactOptional(),
    policy: z.string().exactOptional(),
    model: z.string().nullable().exactOptional(),
    archived: z.boolean().exactOptional(),
  })
  .refine(changes => Object.keys(changes).length > 0, 'say what to change: title, agent, policy, model or archived')

export const newMessage: z.ZodType<{ readonly text: string }> = z.strictObject({
  text: z.string().refine(text => text.trim() !== '', 'must not be empty'),
})

export const cancelled: z.ZodType<{ readonly turn?: string }> = z.strictObject({ turn: z.string().exactOptional() })

const mark = { seq: z.int().min(1), mark: z.enum(['pin', 'exclude']).nullable() }

export const marked: z.ZodType<{ readonly seq: number; readonly mark: Mark | null }> = z.strictObject(mark)

export const dryRun: z.ZodType<DryRun> = z.strictObject({
  text: z
    .string()
    .refine(text => text.trim() !== '', 'must not be empty')
    .exactOptional(),
  policy: z.string().exactOptional(),
  model: z.string().exactOptional(),
  at: z.int().min(1).exactOptional(),
  marks: z.array(z.strictObject(mark)).max(1000).exactOptional(),
})

const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number')
  .transform(Number)

export const eventsQuery: z.ZodType<{ readonly after?: number; readonly limit?: number }, unknown> = z.object({
  after: wholeNumber.exactOptional(),
  limit: wholeNumber.pipe(z.int().min(1).max(5000)).exactOptional(),
})

export const sessionsQuery: z.ZodType<
  { readonly query?: string; readonly project?: string; readonly cursor?: string; readonly limit?: number },
  unknown
> = z.object({
  query: z.string().max(500).exactOptional(),
  project: z.string().exactOptional(),
  cursor: z.string().exactOptional(),
  limit: wholeNumber.pipe(z.int().min(1).max(200)).exactOptional(),
})

/** Per session, for ever; visible characters only, so that it survives any proxy. */
export const idempotencyKey: z.ZodType<string> = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'Idempotency-Key: 1 to 200 visible characters')
