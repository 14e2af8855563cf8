// The schema of our own archive.
import { z } from 'zod'
import type { Attachment, Call, Fact, Part, ResultImage, SessionChange, Thinking, Took } from '../../model/event.ts'
import { FAULT_KINDS, type Fault } from '../../model/fault.ts'
import { type ApprovalId, parseApprovalId, parseSessionId, parseTurnId, type SessionId, type TurnId } from '../../model/ids.ts'
import type { Receipt } from '../../model/receipt.ts'
import type { Session } from '../../model/session.ts'
import { SYNTHESIS_MODES } from '../../model/settings/council.ts'
import { maxTokensSchema, samplingSchema } from '../../model/settings/sampling-schema.ts'

/** Lists every key that an archive of ours may have; any other key is refused. */

const sessionId = z.custom<SessionId>(value => typeof value === 'string' && parseSessionId(value).ok, 'is no id of a session')
const turn = z.custom<TurnId>(value => typeof value === 'string' && parseTurnId(value).ok, 'is no id of a turn')
const approval = z.custom<ApprovalId>(value => typeof value === 'string' && parseApprovalId(value).ok, 'is no id of an approval')
const words = z.array(z.string())
const runFile = z.strictObject({ path: z.string(), sha256: z.string() })
const seq = z.int().min(0)
const at = z.string().refine(isTime, 'is no time as we write them')

export function isTime(text: string): boolean {
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString() === text
}

const keptSession: z.ZodType<Session> = z.strictObject({
  id: sessionId,
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
  createdAt: at,
  updatedAt: at,
  messages: z.int().min(0),
  parent: z.strictObject({ session: sessionId, at: seq, kept: seq.exactOptional() }).exactOptional(),
  family: sessionId,
  origin: z.string().max(40).exactOptional(),
  importedThrough: seq.exactOptional(),
})

const fault: z.ZodType<Fault> = z.strictObject({
  kind: z.enum(FAULT_KINDS),
  message: z.string(),
  retryable: z.boolean(),
  retryAfterMs: z.number().exactOptional(),
})
const thinking: z.ZodType<Thinking> = z.strictObject({
  type: z.literal('think'),
  text: z.string(),
  signature: z.string().exactOptional(),
  redacted: z.string().exactOptional(),
})
const call: z.ZodType<Call> = z.strictObject({
  type: z.literal('call'),
  call: z.string(),
  tool: z.string(),
  args: z.unknown(),
  raw: z.string().exactOptional(),
  extra: z.record(z.string(), z.unknown()).exactOptional(),
})
const part: z.ZodType<Part> = z.union([z.strictObject({ type: z.literal('text'), text: z.string() }), thinking, call])
const name = { name: z.string(), mediaType: z.string() }
const attachment: z.ZodType<Attachment> = z.union([
  z.strictObject({ type: z.literal('text'), ...name, text: z.string() }),
  z.strictObject({
    type: z.enum(['image', 'file']),
    ...name,
    hash: z.string(),
    bytes: z.number(),
    tokens: z.int().min(0).max(10_000_000),
  }),
])
const resultImage: z.ZodType<ResultImage> = z.strictObject({
  type: z.literal('image'),
  ...name,
  hash: z.string(),
  bytes: z.number(),
  tokens: z.int().min(0).max(10_000_000),
})
const took: z.ZodType<Took> = z.strictObject({
  firstMs: z.number().exactOptional(),
  thinkMs: z.number().exactOptional(),
  ms: z.number(),
})
const reply = {
  turn,
  step: z.int().min(1),
  parts: z.array(part),
  model: z.string().exactOptional(),
  usage: z
    .strictObject({
      input: z.number(),
      output: z.number(),
      cacheRead: z.number(),
      cacheWrite: z.number(),
      costUsd: z.number().exactOptional(),
    })
    .exactOptional(),
  took: took.exactOptional(),
  internal: z.literal(true).exactOptional(),
  through: seq.exactOptional(),
  missed: z.array(seq).exactOptional(),
}
const changes: z.ZodType<SessionChange> = z.strictObject({
  title: z.string().nullable().exactOptional(),
  agent: z.string().nullable().exactOptional(),
  council: z.string().nullable().exactOptional(),
  policy: z.string().exactOptional(),
  policyChosen: z.boolean().exactOptional(),
  model: z.string().nullable().exactOptional(),
  thinking: z.boolean().nullable().exactOptional(),
  sampling: samplingSchema.nullable().exactOptional(),
  maxTokens: maxTokensSchema.nullable().exactOptional(),
  project: z.string().nullable().exactOptional(),
  archived: z.boolean().exactOptional(),
  private: z.boolean().exactOptional(),
})
const foldRange = {
  from: seq,
  to: seq,
  voice: z.string().exactOptional(),
  replaces: seq.exactOptional(),
  asked: z.literal(true).exactOptional(),
}
const mode = z.enum(SYNTHESIS_MODES)
const about = { turn, call: z.string(), tool: z.string() }

const keptFact: z.ZodType<Fact> = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('message.received'),
    text: z.string(),
    parts: z.array(attachment).exactOptional(),
    from: z.string(),
    to: z.array(z.string()).exactOptional(),
    voices: z.array(z.string()).exactOptional(),
    synthesis: mode.exactOptional(),
    exchange: z.strictObject({ round: z.int(), of: z.int() }).exactOptional(),
    replyLimit: z.int().min(1).exactOptional(),
    sampling: samplingSchema.exactOptional(),
    maxTokens: maxTokensSchema.exactOptional(),
    key: z.string().exactOptional(),
  }),
  z.strictObject({
    type: z.literal('turn.started'),
    turn,
    voice: z.string(),
    cause: seq,
    name: z.string().exactOptional(),
    resumes: turn.exactOptional(),
    continues: z.literal(true).exactOptional(),
    mode: mode.exactOptional(),
    fold: z.strictObject({ ...foldRange, tokens: z.int().exactOptional() }).exactOptional(),
  }),
  // The receipt is checked later, where facts are parsed.
  z.strictObject({ type: z.literal('context.planned'), turn, step: z.int().min(1), receipt: z.custom<Receipt>() }),
  z.strictObject({
    type: z.literal('reply.finished'),
    ...reply,
    stop: z.literal('length').exactOptional(),
    beyond: z.int().exactOptional(),
  }),
  z.strictObject({ type: z.literal('reply.broken'), ...reply, fault }),
  z.strictObject({ type: z.literal('tool.started'), ...about, args: z.unknown() }),
  z.strictObject({
    type: z.literal('tool.settled'),
    ...about,
    ok: z.boolean(),
    outcome: z.string(),
    content: z.string().exactOptional(),
    ms: z.number(),
    argv: words.exactOptional(),
    images: z.array(resultImage).exactOptional(),
  }),
  z.strictObject({
    type: z.literal('approval.asked'),
    approval,
    ...about,
    argv: words,
    binary: runFile.exactOptional(),
    env: words.exactOptional(),
    server: z
      .strictObject({
        name: z.string(),
        command: words.exactOptional(),
        url: z.string().exactOptional(),
        sha256: z.string(),
        schema: z.string(),
      })
      .exactOptional(),
    resolver: z.array(z.strictObject({ param: z.string(), at: z.int().min(0), argv: words, binary: runFile })).exactOptional(),
    descriptor: z.string().exactOptional(),
  }),
  z.strictObject({
    type: z.literal('approval.answered'),
    approval,
    ...about,
    answer: z.enum(['once', 'session', 'always', 'deny']),
    reason: z.string().exactOptional(),
  }),
  z.strictObject({
    type: z.literal('turn.ended'),
    turn,
    voice: z.string(),
    reason: z.enum(['done', 'failed', 'cancelled', 'interrupted', 'limit']),
    fault: fault.exactOptional(),
  }),
  z.strictObject({
    type: z.literal('message.marked'),
    target: seq,
    mark: z.enum(['pin', 'exclude', 'removed']).nullable(),
    reach: z.enum(['project', 'everywhere']).exactOptional(),
  }),
  z.strictObject({
    type: z.literal('history.folded'),
    ...foldRange,
    text: z.string(),
    by: z.enum(['model', 'extract', 'person']),
    turn: turn.exactOptional(),
    marksThrough: z.int().exactOptional(),
    messages: z.int().exactOptional(),
    folded: z.int().exactOptional(),
    left: z.array(z.string()).exactOptional(),
  }),
  z.strictObject({ type: z.literal('session.changed'), changes }),
])

const keptText: z.ZodType<{ readonly hash: string; readonly text: string }> = z.strictObject({
  hash: z.string(),
  text: z.string(),
})

export const archiveSchema: {
  readonly session: typeof keptSession
  readonly fact: typeof keptFact
  readonly text: typeof keptText
} = { session: keptSession, fact: keptFact, text: keptText }

/** The first problem that the schema found, with its path. */
export function firstIssue({ issues }: z.core.$ZodError): string {
  const [issue] = issues
  if (issue === undefined) return 'is not what it should be'
  const path = issue.path.map(String).join('.').slice(0, 200)
  const what = issue.message.endsWith('received undefined')
    ? 'is missing'
    : issue.message.replace(/^Invalid input: /, '').slice(0, 200)
  return path === '' ? what : `${path}: ${what}`
}
