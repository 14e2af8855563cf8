/** The receipt of a request, as it is answered. */
import { z } from 'zod'
import type { ReceiptId, SessionId } from '../../../model/ids.ts'
import type { RecallFrom } from '../../../model/recall.ts'
import type {
  CacheLint,
  FollowState,
  InLine,
  InReason,
  OutReason,
  RecallReceipt,
  Receipt,
  ReceiptInputs,
  Rung,
  WindowState,
} from '../../../model/receipt.ts'
import { samplingSchema } from '../../../model/settings/sampling-schema.ts'
import { type Schema, schema, text } from './schema.ts'

/** A reason code; the list is closed, and grows with new reasons. */
export const inReason = (): z.ZodType<InReason> => text<InReason>()
export const outReason = (): z.ZodType<OutReason> => text<OutReason>()

export const ladder = (): z.ZodType<Rung[]> => z.array(z.enum(['asides', 'thinking', 'history', 'skills', 'required']))
export const degraded = (): z.ZodType<{ reason: string } | null> => z.object({ reason: z.string() }).nullable()
export const brokenBy = (): z.ZodType<{ item: string; reason: string } | null> =>
  z.object({ item: z.string(), reason: z.string() }).nullable()
export const truncated = (): z.ZodType<{ sent: number; seen: number }> => z.object({ sent: z.number(), seen: z.number() })

export const lineKind = (): z.ZodType<InLine['kind']> =>
  z.enum(['system', 'tools', 'note', 'summary', 'message', 'recall', 'reference', 'current'])
/** Where messages are looked up, or where a pin counts. */
export const recallFrom = (): z.ZodType<RecallFrom> => z.enum(['session', 'project', 'everywhere'])
export const role = (): z.ZodType<NonNullable<InLine['role']>> => z.enum(['user', 'assistant'])

const inLine = () =>
  z.object({
    kind: lineKind(),
    from: z.int().exactOptional(),
    to: z.int().exactOptional(),
    count: z.int().exactOptional(),
    role: role().exactOptional(),
    tokens: z.number(),
    reason: inReason(),
    source: z.string().exactOptional(),
    session: text<SessionId>().exactOptional(),
    hash: z.string(),
  })

const outLine = () =>
  z.object({ from: z.int().exactOptional(), to: z.int().exactOptional(), count: z.int(), reason: outReason() })

const cache = (): z.ZodType<CacheLint | null> =>
  z.object({ stableThrough: z.int().nullable(), stableShare: z.number(), brokenBy: brokenBy() }).nullable()

const stretch = () => z.object({ from: z.int(), to: z.int() })

const excerpts = () => z.array(z.object({ seq: z.int(), tokens: z.int() }))

const recallQuote = () =>
  z.object({
    seqs: z.array(z.int()),
    author: z.string().nullable(),
    chat: z.object({ session: text<SessionId>(), title: z.string() }).exactOptional(),
    slices: z.array(z.tuple([z.int(), z.int(), z.int()])).exactOptional(),
  })

const recallInputs = () =>
  z.object({
    rules: z.string(),
    found: z.object({ indexedThrough: z.int(), vectors: z.string().nullable(), terms: z.array(z.string()) }).exactOptional(),
    budget: z.union([z.literal('auto'), z.number()]),
    from: z.object({ from: recallFrom(), chats: z.int() }).exactOptional(),
    balance: z.number().exactOptional(),
    failed: z.string().exactOptional(),
  })

const recallReceipt: Schema<RecallReceipt> = schema('RecallReceipt', () =>
  z.object({
    messages: z.int(),
    tokens: z.number(),
    most: z.number(),
    hidden: z.number(),
    looksBack: z.boolean(),
    balance: z.number().exactOptional(),
    limits: z.tuple([z.number(), z.number()]),
    failed: z.string().exactOptional(),
  }),
)

const followState = (): z.ZodType<FollowState> =>
  z.object({
    times: z.number(),
    beyond: z.array(z.int()),
    through: z.int(),
    reason: z.enum(['grown', 'shrunk', 'limit', 'balance']).exactOptional(),
  })

const windowState: Schema<WindowState> = schema('WindowState', () =>
  z.object({
    begins: z.int().nullable(),
    excerpts: excerpts().exactOptional(),
    head: z.int().exactOptional(),
    cut: z.literal(true).exactOptional(),
    unpinned: z.array(z.int()).exactOptional(),
    folds: z.array(z.int()).exactOptional(),
    pinned: z.array(recallQuote()).exactOptional(),
    follow: followState().exactOptional(),
    results: excerpts().exactOptional(),
    hidden: z.array(z.object({ from: z.int(), through: z.int(), steps: z.int() })).exactOptional(),
    thoughtless: z.int().exactOptional(),
    recalled: z.array(recallQuote()).exactOptional(),
    narrowed: z.literal(true).exactOptional(),
    shows: z.int().exactOptional(),
    quoted: z.int().exactOptional(),
  }),
)

const inputs: Schema<ReceiptInputs> = schema('ReceiptInputs', () =>
  z.object({
    turn: z.string(),
    cause: z.int(),
    ordinal: z.int(),
    wire: z.string(),
    assembly: z.int().exactOptional(),
    window: z.number(),
    output: z.number().exactOptional(),
    thinking: z.boolean(),
    sampling: samplingSchema.exactOptional(),
    abilities: z
      .object({
        images: z.boolean(),
        files: z.boolean(),
        thinkingWithTools: z.literal(false).exactOptional(),
        cacheMinimum: z.number(),
        keepsOnePrefix: z.literal(true).exactOptional(),
      })
      .exactOptional(),
    policy: z.string(),
    system: z.array(z.object({ source: z.string(), reason: z.string(), hash: z.string() })),
    tools: z.string(),
    listed: z.object({ text: z.string(), tools: z.string(), isAuto: z.literal(true).exactOptional() }).exactOptional(),
    asides: z.array(
      z.object({ kind: z.string(), reason: z.string(), hash: z.string(), required: z.array(stretch()).exactOptional() }),
    ),
    to: z.array(z.string()).exactOptional(),
    voices: z.string(),
    begins: z.int().nullable(),
    marksThrough: z.int(),
    last: windowState().exactOptional(),
    after: z.object({ turn: z.string(), step: z.int(), instruction: z.string() }).exactOptional(),
    recall: recallInputs().exactOptional(),
    isBare: z.boolean().exactOptional(),
    gaps: z.array(z.object({ from: z.int(), to: z.int(), messages: z.int(), hearable: z.int().exactOptional() })),
  }),
)

export const receipt: Schema<Receipt> = schema('Receipt', () =>
  z.object({
    id: text<ReceiptId>().nullable(),
    digest: z.string(),
    through: z.int(),
    window: windowState(),
    seen: z.object({ messages: z.int(), of: z.int(), folded: z.int().exactOptional() }).exactOptional(),
    policy: z.string(),
    model: z.string(),
    voice: z.string(),
    tokens: z.object({
      estimated: z.number(),
      reported: z.number().nullable(),
      cached: z.number().nullable(),
      factor: z.number(),
      limit: z.number(),
      reserved: z.number(),
      files: z.number().exactOptional(),
    }),
    recall: recallReceipt().exactOptional(),
    sampling: samplingSchema.exactOptional(),
    timings: z.object({ readMs: z.number(), assembleMs: z.number() }),
    degraded: degraded(),
    ladder: ladder(),
    in: z.array(inLine()),
    out: z.array(outLine()),
    cache: cache(),
    beyond: z.int().exactOptional(),
    truncated: truncated().exactOptional(),
    inputs: inputs(),
  }),
)
