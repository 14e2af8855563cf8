/** Sessions as they are answered. */
import { z } from 'zod'
import type { SessionId, TurnId } from '../../../model/ids.ts'
import type { Session, SessionHit } from '../../../model/session.ts'
import { maxTokensSchema, samplingSchema } from '../../../model/settings/sampling-schema.ts'
import { type Schema, schema, text } from './schema.ts'

const shape = () => ({
  id: text<SessionId>(),
  title: z.string().nullable(),
  preview: z.string().nullable(),
  agent: z.string().nullable(),
  council: z.string().nullable(),
  project: z.string().nullable(),
  policy: z.string(),
  policyChosen: z.boolean().exactOptional(),
  model: z.string().nullable(),
  thinking: z.boolean().nullable().exactOptional(),
  sampling: samplingSchema.nullable().exactOptional(),
  maxTokens: maxTokensSchema.nullable().exactOptional(),
  archived: z.boolean(),
  private: z.boolean().exactOptional(),
  hadCouncil: z.literal(true).exactOptional(),
  createdAt: z.string(),
  updatedAt: z.string(),
  messages: z.int(),
  parent: z.object({ session: text<SessionId>(), at: z.int(), kept: z.int().exactOptional() }).exactOptional(),
  family: text<SessionId>(),
  origin: z.string().exactOptional(),
  importedThrough: z.int().exactOptional(),
})

export const session: Schema<Session> = schema('Session', () => z.object(shape()))

const sessionHit: Schema<SessionHit> = schema('SessionHit', () =>
  z.object({ ...shape(), snippet: z.string().exactOptional(), seq: z.int().exactOptional() }),
)

export const sessionPage: Schema<{ readonly items: readonly SessionHit[]; readonly next: string | null }> = schema(
  'SessionPage',
  () => z.object({ items: z.array(sessionHit()), next: z.string().nullable() }),
)

/** Turns that were started or stopped. */
export const turns: Schema<{ readonly turns: readonly TurnId[] }> = schema('Turns', () =>
  z.object({ turns: z.array(text<TurnId>()) }),
)

/** A message that is safe, and the turns known to answer it. */
export const taken: Schema<{ readonly seq: number; readonly turns: readonly TurnId[] }> = schema('Taken', () =>
  z.object({ seq: z.int(), turns: z.array(text<TurnId>()) }),
)

/** Done, with nothing to say about it. */
export const done: Schema<Record<string, never>> = schema('Done', () => z.object({}) as z.ZodType<Record<string, never>>)
