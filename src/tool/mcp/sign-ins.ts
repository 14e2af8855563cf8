// Signs people in to MCP servers that want to know who asks, with the library's own OAuth.
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { AuthProvider, OAuthClientProvider } from '@modelcontextprotocol/client'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { ServerAddress } from './connect.ts'
import { type Library, NotSent } from './failure.ts'
import { createPendingSignIns, type Discovered, type PendingSignIn } from './pending-sign-ins.ts'
import { isRefusedForGood, whySignInFailed } from './sign-in-failure.ts'
import { openSignInFetch, RefusedAddress, type RemoteServer, whyNotThere } from './sign-in-fetch.ts'
import { createKeptSignIns, type KeptClient, type KeptSignIn, keptClient, keptTokens, type SignInStore } from './sign-in-store.ts'

/** What a connection asks for the token of its sign-in. */
export type SignedIn = AuthProvider & {
  /** Sees every answer, because a server says in a refusal what a sign-in must ask for. */
  readonly hear: (response: Response) => void
}

export type SignIns = {
  /** Gives a server the token of its sign-in. Undefined where there is no signing in: processes, and addresses with a key of their own. */
  readonly authProvider: (name: string, place: ServerAddress) => ((library: Library) => SignedIn) | undefined
  readonly isSignedIn: (name: string, place: ServerAddress) => boolean
  /** The address at which a person signs in. */
  readonly begin: (
    library: Library,
    name: string,
    place: ServerAddress,
    redirect: string,
  ) => Promise<Result<{ readonly url: string }, Fault>>
  /** A person is back; gives the name of the server. `placeOf` says where a server is now. */
  readonly finish: (
    library: Library,
    answer: URLSearchParams,
    placeOf: (name: string) => ServerAddress | undefined,
  ) => Promise<Result<string, Fault>>
  readonly forget: (name: string) => Promise<Result<null, Fault>>
  /** What no log and no message may repeat of a server's sign-in. */
  readonly secrets: (name: string) => readonly string[]
  /** Ends what is under way. A renewal gets a moment, because its old token may be worth nothing already. */
  readonly close: () => Promise<void>
}

export type SignInOptions = {
  readonly store: SignInStore
  /** Called for a sign-in that works now, but could not be written. */
  readonly onTrouble?: (text: string) => void
  readonly clock?: () => number
  /** How long all requests of one step together may take. */
  readonly stepMs?: number
}

const FAREWELL_MS = 2000
/** A longer address is not one that people are meant to open. */
const MOST_LETTERS = 16_384

export function createSignIns({ store, onTrouble, clock = Date.now, stepMs = 20_000 }: SignInOptions): SignIns {
  const kept = createKeptSignIns(store)
  const pending = createPendingSignIns(clock)
  const closing = new AbortController()
  /** What a server said when it refused a request: where its metadata is, and which rights it wants. */
  const challenges = new Map<string, { readonly url: string; readonly metadata?: URL; readonly scope?: string }>()
  /** Why an address has no sign-in any more, until there is a new one. */
  const ended = new Map<string, string>()
  const renewals = new Map<string, Promise<void>>()

  const within = async <T>(server: RemoteServer, step: (fetch: typeof globalThis.fetch) => Promise<T>): Promise<T> => {
    const { fetch, close } = openSignInFetch(server, AbortSignal.any([closing.signal, AbortSignal.timeout(stepMs)]))
    try {
      return await step(fetch as typeof globalThis.fetch)
    } finally {
      close()
    }
  }

  const discover = async (library: Library, name: string, server: RemoteServer): Promise<Discovered> => {
    const challenge = challenges.get(name)
    const isOfThis = challenge?.url === server.url.href
    const metadata = isOfThis ? challenge.metadata : undefined
    const found = await within(server, fetchFn =>
      library.discoverOAuthServerInfo(server.url, {
        fetchFn,
        ...(metadata === undefined ? {} : { resourceMetadataUrl: metadata }),
      }),
    )
    return { ...found, scope: isOfThis ? challenge.scope : undefined }
  }

  const begin: SignIns['begin'] = async (library, name, place, redirect) => {
    const server = remote(place)
    if (!server.ok) return err(fault('invalid', `the MCP server "${name}" does not support signing in: ${server.fault}`))
    try {
      const discovered = await discover(library, name, server.value)
      const known = pending.clientOf(name, server.value, redirect)
      const asked = await within(server.value, fetchFn => askForCode(library, server.value, redirect, discovered, known, fetchFn))
      const refused = whyNotThere(asked.address, server.value)
      if (refused !== undefined) throw new RefusedAddress(refused)
      if (asked.address.href.length > MOST_LETTERS) throw new RefusedAddress('the address for signing in is too long')
      pending.add({ ...asked, name, url: server.value.url.href, redirect, discovered })
      return ok({ url: asked.address.href })
    } catch (cause) {
      return err(fault('unreachable', `signing in to the MCP server "${name}" failed: ${whySignInFailed(library, cause)}`))
    }
  }

  const finish: SignIns['finish'] = async (library, answer, placeOf) => {
    const begun = pending.take(answer.get('state') ?? '')
    if (begun === undefined)
      return err(fault('invalid', 'this sign-in link is no longer valid: it was used, has expired, or was started elsewhere'))
    const { name, discovered } = begun
    const place = placeOf(name)
    const server = place === undefined ? err('it is gone') : remote(place)
    if (!server.ok || server.value.url.href !== begun.url)
      return err(fault('conflict', `the settings of the MCP server "${name}" have changed meanwhile`))
    try {
      const metadata = discovered.authorizationServerMetadata
      const iss = answer.get('iss') ?? undefined
      // Before anything else of the answer is believed: it may come from another authorization server.
      library.validateAuthorizationResponseIssuer({
        iss,
        expectedIssuer: metadata?.issuer,
        issParameterSupported: metadata?.authorization_response_iss_parameter_supported === true,
      })
      const refused = answer.get('error')
      if (refused === 'access_denied') return err(fault('denied', `the sign-in to the MCP server "${name}" was declined`))
      const code = answer.get('code')
      if (refused !== null || code === null || code === '')
        return err(fault('rejected', `the authorization server of "${name}" gave no sign-in`))
      const tokens = await within(server.value, fetchFn =>
        library.exchangeAuthorization(discovered.authorizationServerUrl, {
          ...(metadata === undefined ? {} : { metadata }),
          ...(iss === undefined ? {} : { iss }),
          ...(begun.resource === undefined ? {} : { resource: begun.resource }),
          clientInformation: begun.client,
          authorizationCode: code,
          codeVerifier: begun.verifier,
          redirectUri: begun.redirect,
          fetchFn,
        }),
      )
      const { url, client, resource } = begun
      const written = await kept.put(name, {
        url,
        authorizationServer: discovered.authorizationServerUrl,
        ...(resource === undefined ? {} : { resource }),
        client,
        tokens: keptTokens.parse(tokens),
      })
      if (written.ok) ended.delete(url)
      return written.ok ? ok(name) : written
    } catch (cause) {
      return err(fault('rejected', `signing in to the MCP server "${name}" failed: ${whySignInFailed(library, cause)}`))
    }
  }

  /** Gets a new token without a person, or throws why there is none. */
  const renew = async (library: Library, name: string, server: RemoteServer, old: KeptSignIn): Promise<void> => {
    const { client, authorizationServer, resource } = old
    const refreshToken = old.tokens.refresh_token
    if (refreshToken === undefined) throw new library.UnauthorizedError('its sign-in is over; sign in again')
    const tokens = await within(server, async fetchFn => {
      const metadata = await library.discoverAuthorizationServerMetadata(authorizationServer, { fetchFn })
      return library.refreshAuthorization(authorizationServer, {
        ...(metadata === undefined ? {} : { metadata }),
        ...(resource === undefined ? {} : { resource }),
        clientInformation: client,
        refreshToken,
        fetchFn,
      })
    })
      .then(given => keptTokens.parse(given))
      .catch(async (cause: unknown) => {
        const why = whySignInFailed(library, cause)
        if (!isRefusedForGood(library, cause)) throw new NotSent(`its sign-in could not be renewed: ${why}`)
        // Another program on this workspace may have renewed it just before.
        const there = kept.of(name, server)
        if (there !== undefined && there.tokens.refresh_token !== refreshToken) return undefined
        await kept.remove(name, old)
        ended.set(old.url, 'its sign-in is over or was revoked; sign in again')
        throw new library.UnauthorizedError(ended.get(old.url))
      })
    if (tokens === undefined) return
    const written = await kept.renew(name, old, tokens)
    if (!written.ok) onTrouble?.(`the MCP server "${name}": its renewed sign-in could not be saved (${written.fault.message})`)
  }

  const authProvider: SignIns['authProvider'] = (name, place) => {
    if (place.kind !== 'http' || hasKey(place)) return undefined
    const server = remote(place)
    return library => {
      let given: string | undefined
      return {
        token: async () => {
          given = server.ok ? kept.of(name, server.value)?.tokens.access_token : undefined
          return given
        },
        onUnauthorized: async () => {
          if (!server.ok) throw new NotSent(`it wants a person to sign in, but ${server.fault}`)
          const old = kept.of(name, server.value)
          if (old === undefined) throw new library.UnauthorizedError(ended.get(server.value.url.href))
          if (old.tokens.access_token !== given) return
          // A token for renewal works once, so requests that fail together renew together.
          const key = JSON.stringify([name, old.url])
          const running = renewals.get(key) ?? renew(library, name, server.value, old).finally(() => renewals.delete(key))
          renewals.set(key, running)
          await running
        },
        hear: response => {
          if (response.status !== 401 && response.status !== 403) return
          const { resourceMetadataUrl: metadata, scope, error } = library.extractWWWAuthenticateParams(response)
          if (response.status === 403 && error !== 'insufficient_scope') return
          const had = response.status === 403 && server.ok ? kept.of(name, server.value)?.tokens.scope : undefined
          const wanted = library.computeScopeUnion(had, scope)
          challenges.set(name, {
            url: place.url.href,
            ...(metadata === undefined ? {} : { metadata }),
            ...(wanted === undefined ? {} : { scope: wanted }),
          })
        },
      }
    }
  }

  return {
    authProvider,
    begin,
    finish,
    isSignedIn: (name, place) => {
      const server = remote(place)
      return server.ok && kept.of(name, server.value) !== undefined
    },
    forget: name => {
      pending.forget(name)
      return kept.remove(name)
    },
    secrets: kept.secrets,
    close: async () => {
      const enough = new AbortController()
      const patience = pause(FAREWELL_MS, undefined, { signal: enough.signal }).catch(() => undefined)
      await Promise.race([Promise.allSettled(renewals.values()), patience])
      enough.abort()
      closing.abort()
    },
  }
}

/** A server that people can sign in to, or why they cannot. */
function remote(place: ServerAddress): Result<RemoteServer, string> {
  if (place.kind !== 'http') return err('it is a program on this machine')
  if (hasKey(place)) return err('its settings have a key for it')
  return place.url.protocol === 'https:' || place.addresses.isLoopbackHost(place.url.hostname)
    ? ok(place)
    : err('its address must begin with https://')
}

const hasKey = ({ headers }: RemoteServer): boolean => Object.keys(headers).some(name => name.toLowerCase() === 'authorization')

type Asked = Pick<PendingSignIn, 'state' | 'verifier' | 'client' | 'resource'> & { readonly address: URL }

/** Registers Turnwise with the authorization server, if it is not `known` there, and makes the address for the person. */
async function askForCode(
  library: Library,
  server: RemoteServer,
  redirect: string,
  { scope, ...discovered }: Discovered,
  known: KeptClient | undefined,
  fetchFn: typeof globalThis.fetch,
): Promise<Asked> {
  const state = randomBytes(32).toString('base64url')
  let client: unknown
  let verifier: string | undefined
  let address: URL | undefined
  let resource: string | undefined
  const provider: OAuthClientProvider = {
    redirectUrl: redirect,
    clientMetadata: {
      client_name: 'Turnwise',
      redirect_uris: [redirect],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: clientMethod(discovered),
    },
    state: () => state,
    discoveryState: () => discovered,
    saveDiscoveryState: () => undefined,
    clientInformation: () => known,
    saveClientInformation: information => {
      client = information
    },
    tokens: () => undefined,
    saveTokens: () => undefined,
    redirectToAuthorization: url => {
      address = url
    },
    saveCodeVerifier: given => {
      verifier = given
    },
    codeVerifier: () => verifier ?? '',
    saveResourceUrl: url => {
      resource = url
    },
  }
  await library.auth(provider, { serverUrl: server.url, fetchFn, ...(scope === undefined ? {} : { scope }) })
  if (address === undefined || verifier === undefined) throw new Error('there is no address for signing in')
  return {
    state,
    verifier,
    address,
    client: keptClient.parse(client ?? known),
    ...(resource === undefined ? {} : { resource }),
  }
}

/** Turnwise needs no secret of its own, because every code is bound to its sign-in. Some servers insist on one. */
function clientMethod({ authorizationServerMetadata: metadata }: Omit<Discovered, 'scope'>): string {
  const supported = metadata?.token_endpoint_auth_methods_supported ?? ['none']
  return ['none', 'client_secret_basic', 'client_secret_post'].find(method => supported.includes(method)) ?? 'none'
}
