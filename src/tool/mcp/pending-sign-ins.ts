// Sign-ins that a person has begun: kept in memory, each found once by its state, and forgotten after ten minutes.
import type { OAuthServerInfo } from '@modelcontextprotocol/client'
import type { RemoteServer } from './sign-in-fetch.ts'
import type { KeptClient } from './sign-in-store.ts'

/** What is known of a server before a person signs in. */
export type Discovered = OAuthServerInfo & { readonly scope: string | undefined }

export type PendingSignIn = {
  /** The name of the server, and its address when the sign-in began. */
  readonly name: string
  readonly url: string
  /** Cannot be guessed, and comes back with the person. */
  readonly state: string
  /** Proves that the code is ours. */
  readonly verifier: string
  readonly redirect: string
  readonly client: KeptClient
  readonly resource?: string
  readonly discovered: Discovered
}

export type PendingSignIns = {
  readonly add: (begun: PendingSignIn) => void
  /** Finds a sign-in and forgets it. */
  readonly take: (state: string) => PendingSignIn | undefined
  /** How Turnwise is known to the authorization server because of a sign-in that just began: a second click needs no second client. */
  readonly clientOf: (name: string, server: RemoteServer, redirect: string) => KeptClient | undefined
  readonly forget: (name: string) => void
}

const MOST = 20
const FOR_MS = 10 * 60_000

export function createPendingSignIns(clock: () => number): PendingSignIns {
  const begun = new Map<string, PendingSignIn & { readonly at: number }>()
  const tidy = (): void => {
    for (const [state, { at }] of begun) if (clock() - at > FOR_MS) begun.delete(state)
  }
  return {
    add: each => {
      tidy()
      begun.set(each.state, { ...each, at: clock() })
      // A map gives the oldest first.
      for (const state of begun.keys()) if (begun.size > MOST) begun.delete(state)
    },
    take: state => {
      tidy()
      const found = begun.get(state)
      begun.delete(state)
      return found
    },
    clientOf: (name, { url }, redirect) => {
      tidy()
      return [...begun.values()].find(each => each.name === name && each.url === url.href && each.redirect === redirect)?.client
    },
    forget: name => {
      for (const [state, each] of begun) if (each.name === name) begun.delete(state)
    },
  }
}
