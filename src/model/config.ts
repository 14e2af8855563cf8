import { z } from 'zod'

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
  readonly limits: { readonly steps: number; readonly turnMs: number; readonly historyMs: number }
}

/** What `turnwise.json` may say. Every key is optional, and every key has an effect. */
export const settingsSchema: z.ZodType<Settings, unknown> = z.strictObject({
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
  policy: z.string().default('full'),
  limits: z
    .strictObject({
      steps: z.int().min(1).max(100).default(10),
      turnMs: z.int().min(1000).default(600_000),
      historyMs: z.int().min(1).default(250),
    })
    .prefault({}),
})
