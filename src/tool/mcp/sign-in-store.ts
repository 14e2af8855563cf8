// What a sign-in to an MCP server leaves, and how it is kept.
import { z } from 'zod'
import type { Fault } from '../../model/fault.ts'
import { ok, type Result } from '../../model/result.ts'
import type { RemoteServer } from './sign-in-fetch.ts'

/** Where sign-ins are kept, by the name of their server. */
export type SignInStore = {
  readonly read: (name: string) => unknown
  /** Changes what is kept now; undefined removes it. A fault `conflict` says that another program wrote at the same time. */
  readonly change: (name: string, change: (kept: unknown) => unknown) => Promise<Result<unknown, Fault>>
}

/** Anything else could not be sent in a header, and the error would repeat it. */
const sendable = z
  .string()
  .max(65_536)
  .regex(/^[\x21-\x7e]+$/)

export type KeptTokens = {
  readonly access_token: string
  readonly token_type: string
  readonly refresh_token?: string
  readonly scope?: string
}

export const keptTokens: z.ZodType<KeptTokens> = z.object({
  access_token: sendable,
  token_type: z.string().regex(/^bearer$/i),
  refresh_token: z.string().min(1).max(65_536).exactOptional(),
  scope: z.string().max(65_536).exactOptional(),
})

/** How the authorization server knows Turnwise. */
export type KeptClient = {
  readonly client_id: string
  readonly client_secret?: string
  readonly token_endpoint_auth_method?: string
  /** The authorization server. */
  readonly issuer: string
}

export const keptClient: z.ZodType<KeptClient> = z.object({
  client_id: z.string().min(1).max(65_536),
  client_secret: z.string().max(65_536).exactOptional(),
  token_endpoint_auth_method: z.string().max(100).exactOptional(),
  issuer: z.string(),
})

export type KeptSignIn = {
  /** The address of the MCP server. A token is never sent to another one. */
  readonly url: string
  readonly authorizationServer: string
  readonly resource?: string
  readonly client: KeptClient
  readonly tokens: KeptTokens
}

const keptSignIn: z.ZodType<KeptSignIn> = z.object({
  url: z.string(),
  authorizationServer: z.string(),
  resource: z.string().exactOptional(),
  client: keptClient,
  tokens: keptTokens,
})

export type KeptSignIns = {
  /** The sign-in of a server. One for another address is none. */
  readonly of: (name: string, server: RemoteServer) => KeptSignIn | undefined
  readonly put: (name: string, signIn: KeptSignIn) => Promise<Result<null, Fault>>
  /** Puts renewed tokens in the place of the old ones, unless a person signed in or out meanwhile. */
  readonly renew: (name: string, old: KeptSignIn, tokens: KeptTokens) => Promise<Result<null, Fault>>
  /** Without `only` the sign-in is removed in any case, else only if it is still this one. */
  readonly remove: (name: string, only?: KeptSignIn) => Promise<Result<null, Fault>>
  /** What no log may repeat. */
  readonly secrets: (name: string) => readonly string[]
}

const MOST_TRIES = 5

export function createKeptSignIns(store: SignInStore): KeptSignIns {
  /** Tokens that could not be written. They are used instead of those that they replace, for as long as this process runs. */
  const unsaved = new Map<string, { readonly old: KeptSignIn; readonly renewed: KeptSignIn }>()
  const found = (kept: unknown): KeptSignIn | undefined => keptSignIn.safeParse(kept).data
  const now = (name: string): KeptSignIn | undefined => {
    const kept = found(store.read(name))
    const better = unsaved.get(name)
    return kept !== undefined && better !== undefined && isSame(kept, better.old) ? better.renewed : kept
  }
  const asWritten = (name: string, signIn: KeptSignIn): KeptSignIn => {
    const better = unsaved.get(name)
    return better !== undefined && isSame(better.renewed, signIn) ? better.old : signIn
  }
  const change = async (name: string, changed: (kept: unknown) => unknown): Promise<Result<null, Fault>> => {
    for (let tries = 1; ; tries += 1) {
      const written = await store.change(name, changed)
      if (written.ok) {
        unsaved.delete(name)
        return ok(null)
      }
      if (written.fault.kind !== 'conflict' || tries === MOST_TRIES) return written
    }
  }
  return {
    of: (name, { url }) => {
      const kept = now(name)
      return kept?.url === url.href ? kept : undefined
    },
    put: (name, signIn) => change(name, () => signIn),
    renew: async (name, old, tokens) => {
      const renewed = { ...old, tokens }
      const replaced = asWritten(name, old)
      const written = await change(name, kept => {
        const there = found(kept)
        return there !== undefined && isSame(there, replaced) ? renewed : kept
      })
      if (!written.ok) unsaved.set(name, { old: replaced, renewed })
      return written
    },
    remove: async (name, only) => {
      if (store.read(name) === undefined) return ok(null)
      return change(name, kept => {
        const there = found(kept)
        const isMeant = only === undefined || (there !== undefined && isSame(there, asWritten(name, only)))
        return isMeant ? undefined : kept
      })
    },
    secrets: name => {
      const kept = now(name)
      if (kept === undefined) return []
      const { client, tokens } = kept
      return [tokens.access_token, tokens.refresh_token, client.client_secret].filter(secret => secret !== undefined)
    },
  }
}

const isSame = (a: KeptSignIn, b: KeptSignIn): boolean =>
  a.url === b.url && a.tokens.access_token === b.tokens.access_token && a.tokens.refresh_token === b.tokens.refresh_token
