/** The settings of a gateway, and the schema that `turnwise.json` is checked by. */
import { z } from 'zod'
import type { FoldSetting } from '../fold.ts'
import type { ModelSetting, ProviderSetting } from '../provider.ts'
import { RECALL_FROM, type RecallFrom, type RecallSetting } from '../recall.ts'
import type { Policy, Window } from './policy.ts'

/** The encoders that recall can use, by name. */
export const ENCODERS = ['minilm-l6-v2'] as const

/** The settings of a gateway, complete. */
export type Settings = {
  readonly gateway: {
    readonly host: string
    /** 0 takes any free port. */
    readonly port: number
    readonly token: string | null
    /** Further host names and origins that may call. */
    readonly hosts: readonly string[]
    readonly origins: readonly string[]
    /** Followers at one time for one caller. */
    readonly streams: number
  }
  readonly store: string
  readonly model: string
  readonly policy: string
  /** Beside the presets. */
  readonly policies: readonly Policy[]
  /** How services are reached, by name; services without settings are not in it. */
  readonly providers: Readonly<Record<string, ProviderSetting>>
  /** Adds to the known facts of models or replaces them. */
  readonly models: Readonly<Record<string, ModelSetting>>
  readonly skills: {
    /** In the workspace, unless it is an absolute path. */
    readonly directory: string
    readonly extraDirs: readonly string[]
    readonly disabled: readonly string[]
    readonly contextMode: SkillMode
    /** Whether skills may bring scripts of their own. */
    readonly allowScripts: boolean
  }
  readonly tools: {
    /** Binaries that can run anything load only when they are named here. */
    readonly accept: readonly string[]
    /** What runs without asking, asks, or never runs, by the tool's name. */
    readonly approve: Readonly<Record<string, 'auto' | 'ask' | 'never'>>
    /** Variables that a tool gets beside the few that all get, by the tool's name. */
    readonly env: Readonly<Record<string, readonly string[]>>
  }
  readonly memory: {
    /** An encoder that recall uses beside its word vectors; its packages have to be installed. */
    readonly encoder: (typeof ENCODERS)[number] | null
    /** Where every chat may look for earlier messages, also under a policy that says less. */
    readonly from: RecallFrom
  }
  /** Programs that bring tools by the Model Context Protocol, by name. */
  readonly mcp: Readonly<Record<string, McpSetting>>
  /** Other places where people talk to the house; one that is not named is not opened. */
  readonly channels: { readonly telegram?: TelegramSetting }
  readonly limits: {
    readonly steps: number
    /** How long a turn may run, without the time that it waits for people. */
    readonly turnMs: number
    /** How many tokens all requests and replies of a turn may have together; what a cache gave does not count. */
    readonly tokensPerTurn: number
    readonly historyMs: number
    /** What all requests of a UTC day together may cost; null: no limit. */
    readonly budgetUsdPerDay: number | null
    readonly budgetUsdPerRound: number | null
  }
  /** How turns go on that a crash or a cut left without an end. */
  readonly resume: { readonly mode: 'auto' | 'ask'; readonly withinMinutes: number; readonly continuations: number }
  /** Whether the page has new chats named after their first exchange. */
  readonly titles: { readonly auto: boolean }
  /** Where the file reads a variable, by the variable's name. Programs that the gateway starts do not get these. */
  readonly variables: Readonly<Record<string, string>>
}

/**
 * How skills are sent: whole texts in every request, a list of skills and a tool that reads one, or the first as long as it takes
 * no more than a quarter of a request.
 */
export const SKILL_MODES = ['auto', 'full', 'readOnDemand'] as const
export type SkillMode = (typeof SKILL_MODES)[number]

/** A process that speaks through its pipes, or an address. */
export type McpSetting =
  | { readonly command: string; readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }

/** A bot of Telegram, and the chats it listens to from the start; others are paired. */
export type TelegramSetting = {
  readonly botToken?: string
  /** Where the Bot API is, if it is not Telegram's own. */
  readonly apiRoot?: string
  readonly chats: readonly number[]
}

/** A policy as people write it: what it does not say, it has from the one it extends. */
export type PolicySetting = Partial<Omit<Policy, 'name' | 'version' | 'budget'>> & {
  readonly extends?: string
  readonly budget?: Partial<Policy['budget']>
}

/** A provider as people write it; the name of its key follows from its place in the file. */
export type ProviderFile = Omit<ProviderSetting, 'keyName' | 'keyFrom' | 'addressFrom'>

/** What `turnwise.json` says, before its policies and providers are worked out. */
export type SettingsFile = Omit<Settings, 'policies' | 'providers' | 'variables'> & {
  readonly policies: Readonly<Record<string, PolicySetting>>
  readonly providers: Readonly<Record<string, ProviderFile>>
}

const count = z.int().min(0)
const tokens = z.int().min(1)

/** The fields of each kind of window, as people write them; the compiler names a kind that is missing. */
const { all, ...others } = {
  all: z.strictObject({ kind: z.literal('all') }),
  last: z.strictObject({ kind: z.literal('last'), messages: count }),
  'head-tail': z.strictObject({
    kind: z.literal('head-tail'),
    max: tokens,
    head: count,
    recent: tokens,
    noteOver: count.default(10),
  }),
  tokens: z.strictObject({
    kind: z.literal('tokens'),
    low: tokens.nullable().default(null),
    high: tokens.nullable().default(null),
    follow: z.boolean().exactOptional(),
  }),
} satisfies { readonly [Kind in Window['kind']]: z.ZodType<Extract<Window, { readonly kind: Kind }>, unknown> }

/** Always whole: a window that is given replaces the window of the policy it extends. */
const windowSchema: z.ZodType<Window, unknown> = z.discriminatedUnion('kind', [all, ...Object.values(others)])

const recallSchema: z.ZodType<RecallSetting, unknown> = z.strictObject({
  tokens: z.union([z.literal('auto'), tokens]).default('auto'),
  from: z.enum(['session', 'project', 'everywhere']).default('session'),
})

const foldSchema: z.ZodType<FoldSetting, unknown> = z.strictObject({
  by: z.enum(['auto', 'model', 'extract']).default('auto'),
  tokens: z.union([z.literal('auto'), tokens.min(50)]).default('auto'),
})

/** `false` turns it off as null does; a merge patch can only say the first. */
const orOff = <Value>(setting: z.ZodType<Value, unknown>): z.ZodType<Value | null, unknown> =>
  z.preprocess(given => (given === false ? null : given), setting.nullable())

/** A policy as a file has it. */
export const policySchema: z.ZodType<PolicySetting, unknown> = z.strictObject({
  extends: z.string().exactOptional(),
  view: z.enum(['all', 'own']).exactOptional(),
  window: windowSchema.exactOptional(),
  thinking: z.enum(['never', 'current']).exactOptional(),
  stamps: z.boolean().exactOptional(),
  references: z.enum(['none', 'last-round']).exactOptional(),
  render: z.enum(['messages', 'transcript']).exactOptional(),
  recall: orOff(recallSchema).exactOptional(),
  fold: orOff(foldSchema).exactOptional(),
  budget: z.strictObject({ tokens: tokens.nullable().exactOptional(), reserve: tokens.exactOptional() }).exactOptional(),
})

/** A timer that is set to more goes off at once. */
const milliseconds = z
  .int()
  .min(1)
  .max(2 ** 31 - 1)

const providerSchema: z.ZodType<ProviderFile, unknown> = z.strictObject({
  apiKey: z.string().exactOptional(),
  baseURL: z.string().exactOptional(),
  concurrency: z.int().min(1).max(1000).exactOptional(),
  timeouts: z
    .strictObject({
      connectMs: milliseconds.exactOptional(),
      firstByteMs: milliseconds.exactOptional(),
      idleMs: milliseconds.exactOptional(),
    })
    .exactOptional(),
  headers: z.record(z.string(), z.string()).exactOptional(),
})

const dollars = z.number().min(0)

const modelSchema: z.ZodType<ModelSetting, unknown> = z.strictObject({
  window: tokens.exactOptional(),
  output: tokens.exactOptional(),
  price: z
    .strictObject({
      input: dollars,
      output: dollars,
      cacheRead: dollars.exactOptional(),
      cacheWrite: dollars.exactOptional(),
    })
    .exactOptional(),
  images: z.boolean().exactOptional(),
  files: z.boolean().exactOptional(),
  thinking: z.boolean().exactOptional(),
  tools: z.boolean().exactOptional(),
  cacheMinimum: count.exactOptional(),
})

const mcpSchema: z.ZodType<McpSetting, unknown> = z.union([
  z.strictObject({
    command: z.string().min(1),
    args: z.array(z.string()).exactOptional(),
    env: z.record(z.string(), z.string()).exactOptional(),
  }),
  z.strictObject({ url: z.string().min(1), headers: z.record(z.string(), z.string()).exactOptional() }),
])

const CHAT_HINT =
  'must be the number of a chat, as in 123456; names change hands, so they are not taken. The log names the number of each chat that writes to the bot, and "turnwise telegram pair" needs none'

const telegramSchema: z.ZodType<TelegramSetting, unknown> = z.strictObject({
  botToken: z.string().exactOptional(),
  apiRoot: z.string().exactOptional(),
  chats: z
    .array(z.int(CHAT_HINT).refine(id => id !== 0, CHAT_HINT))
    .max(1000)
    .default([]),
})

/** What `turnwise.json` may say. Every key is optional, and every key has an effect. */
export const settingsSchema: z.ZodType<SettingsFile, unknown> = z.strictObject({
  gateway: z
    .strictObject({
      host: z.string().min(1).default('127.0.0.1'),
      port: z.int().min(0).max(65_535).default(4242),
      token: z.string().min(16, 'must have at least 16 characters').nullable().default(null),
      hosts: z.array(z.string().min(1)).default([]),
      origins: z.array(z.url()).default([]),
      streams: z.int().min(1).default(256),
    })
    .prefault({}),
  store: z.string().default('sqlite:turnwise.db'),
  model: z.string().default('demo'),
  policy: z.string().default('steady'),
  policies: z.record(z.string(), policySchema).default({}),
  providers: z.record(z.string(), providerSchema).default({}),
  models: z.record(z.string(), modelSchema).default({}),
  skills: z
    .strictObject({
      directory: z.string().min(1).default('skills'),
      extraDirs: z.array(z.string().min(1)).default([]),
      disabled: z.array(z.string()).default([]),
      contextMode: z.enum(SKILL_MODES).default('auto'),
      allowScripts: z.boolean().default(false),
    })
    .prefault({}),
  tools: z
    .strictObject({
      accept: z.array(z.string().min(1)).default([]),
      approve: z.record(z.string(), z.enum(['auto', 'ask', 'never'])).default({}),
      env: z.record(z.string(), z.array(z.string())).default({}),
    })
    .prefault({}),
  memory: z
    .strictObject({ encoder: z.enum(ENCODERS).nullable().default(null), from: z.enum(RECALL_FROM).default('session') })
    .prefault({}),
  mcp: z.record(z.string(), mcpSchema).default({}),
  channels: z.strictObject({ telegram: telegramSchema.exactOptional() }).prefault({}),
  limits: z
    .strictObject({
      steps: z.int().min(1).max(1000).default(50),
      turnMs: milliseconds.min(1000).default(3_600_000),
      tokensPerTurn: z.int().min(1).default(2_000_000),
      historyMs: z.int().min(1).default(250),
      budgetUsdPerDay: z.number().positive().nullable().default(null),
      budgetUsdPerRound: z.number().positive().nullable().default(null),
    })
    .prefault({}),
  resume: z
    .strictObject({
      mode: z.enum(['auto', 'ask']).default('auto'),
      withinMinutes: z.number().min(0).max(10_080).default(10),
      continuations: z.int().min(0).max(10).default(1),
    })
    .prefault({}),
  titles: z.strictObject({ auto: z.boolean().default(true) }).prefault({}),
})
