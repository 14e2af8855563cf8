import { z } from 'zod'
import type { Policy, Window } from './policy.ts'

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
  readonly limits: { readonly steps: number; readonly turnMs: number; readonly historyMs: number }
}

/** A policy as people write it: what it does not say, it has from the one it extends. */
export type PolicySetting = Partial<Omit<Policy, 'name' | 'version' | 'budget'>> & {
  readonly extends?: string
  readonly budget?: Partial<Policy['budget']>
}

/** What `turnwise.json` says, before its policies are worked out. */
export type SettingsFile = Omit<Settings, 'policies'> & { readonly policies: Readonly<Record<string, PolicySetting>> }

const count = z.int().min(0)
const tokens = z.int().min(1)

/** Always whole: a window that is given takes the place of the other policy's window, whatever kind that is. */
const windowSchema: z.ZodType<Window, unknown> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('all') }),
  z.strictObject({ kind: z.literal('last'), messages: count }),
  z.strictObject({ kind: z.literal('head-tail'), max: tokens, head: count, recent: tokens, noteOver: count.default(10) }),
  z.strictObject({ kind: z.literal('tokens'), low: tokens.nullable().default(null), high: tokens.nullable().default(null) }),
])

const policySchema: z.ZodType<PolicySetting, unknown> = z.strictObject({
  extends: z.string().exactOptional(),
  view: z.enum(['all', 'own']).exactOptional(),
  window: windowSchema.exactOptional(),
  thinking: z.enum(['never', 'current']).exactOptional(),
  stamps: z.boolean().exactOptional(),
  references: z.enum(['none', 'last-round']).exactOptional(),
  render: z.enum(['messages', 'transcript']).exactOptional(),
  budget: z.strictObject({ tokens: tokens.nullable().exactOptional(), reserve: tokens.exactOptional() }).exactOptional(),
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
  limits: z
    .strictObject({
      steps: z.int().min(1).max(100).default(10),
      turnMs: z.int().min(1000).default(600_000),
      historyMs: z.int().min(1).default(250),
    })
    .prefault({}),
})
