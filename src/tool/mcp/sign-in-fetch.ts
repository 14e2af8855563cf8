// Carries the requests of a sign-in within limits, and only to places where a server may lead Turnwise.
import type { ServerAddress } from './connect.ts'
import { createFetcher, type Fetcher } from './fetch.ts'

/** A server at an address: the only kind that people sign in to. */
export type RemoteServer = ServerAddress & { readonly kind: 'http' }

/**
 * An address that a server named and that no request goes to. The library passes on type errors of `fetch`, but takes other
 * errors for missing metadata.
 */
export class RefusedAddress extends TypeError {}

/** Metadata and tokens are short. */
const MOST_BYTES = 256 * 1024

/** Why neither Turnwise nor a person may be led to an address by this server, or undefined. */
export function whyNotThere(url: URL, { url: server, addresses }: RemoteServer): string | undefined {
  const forbidden = addresses.whyForbidden(url)
  if (forbidden !== undefined) return forbidden
  if (!addresses.isLoopbackHost(url.hostname))
    return url.protocol === 'https:' ? undefined : `the address ${url.host} must begin with https://`
  // A server elsewhere has no business with the programs of this machine.
  return addresses.isLoopbackHost(server.hostname) ? undefined : `the address ${url.host} is on this machine`
}

/** A fetch for one sign-in or one renewal. `signal` ends all of its requests. */
export function openSignInFetch(server: RemoteServer, signal: AbortSignal): Fetcher {
  const { fetch, close } = createFetcher(server.addresses, MOST_BYTES)
  return {
    close,
    fetch: async (target, { body, ...init } = {}) => {
      const url = new URL(target)
      const refused = whyNotThere(url, server)
      if (refused !== undefined) throw new RefusedAddress(refused)
      const text = body instanceof URLSearchParams ? body.toString() : body
      try {
        return await fetch(url, { ...init, signal, ...(text === undefined ? {} : { body: text }) })
      } catch (cause) {
        // A host name may lead to a forbidden address, too.
        if (cause instanceof Error && 'code' in cause && cause.code === 'a forbidden address')
          throw new RefusedAddress(`the address ${url.host} is forbidden`)
        throw cause
      }
    },
  }
}
