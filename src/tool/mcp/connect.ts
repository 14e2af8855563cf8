// Connects to one MCP server and lists its tools.
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import type { CallToolResult, Client, RequestId, StreamableHTTPClientTransport, Transport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { CUT_SHORT, type Library } from './failure.ts'
import { type Addresses, createFetcher } from './fetch.ts'
import type { Offered } from './listing.ts'
import { createOffers, type Offers } from './offers.ts'
import { createProcessTransport, type Launch } from './process.ts'
import type { SignedIn } from './sign-ins.ts'

/** Where a server is, after the settings for it were checked. */
export type ServerAddress =
  | ({ readonly kind: 'process' } & Launch)
  | {
      readonly kind: 'http'
      readonly url: URL
      readonly headers: Readonly<Record<string, string>>
      readonly addresses: Addresses
    }

export type Connecting = {
  readonly place: ServerAddress
  readonly connectMs: number
  /** Called when the tools may have changed, or the server may be gone. */
  readonly onStir: () => void
  readonly signal: AbortSignal
  /** Gives the token that a person's sign-in brought, if the server asks for one. */
  readonly authProvider?: SignedIn
}

/** An open connection to a server. */
export type Connection = {
  /** Lists the tools in the server's own words, not checked yet. `isCut` is true if the server has more. */
  readonly list: () => Promise<{ readonly described: readonly unknown[]; readonly isCut: boolean }>
  readonly call: (tool: Offered, args: Readonly<Record<string, unknown>>, options: CallOptions) => Promise<CallToolResult>
  /** What the server has beside tools. */
  readonly offers: Offers
  /** Resolves with the reason when the connection is over. */
  readonly lost: Promise<string>
  readonly drop: (why: string) => void
  readonly close: () => Promise<void>
}

export type CallOptions = { readonly signal: AbortSignal; readonly timeoutMs: number }

/** Turnwise offers a server nothing: the server cannot ask our models, our people or our disk for anything. */
const OURSELVES = { name: 'turnwise', version: '1' }
/** A process of the older protocol may not answer a request it does not know, so the first one gets this much time. */
const PROBE_MS = 3000
const LIST_MS = 10_000
const FAREWELL_MS = 1000
const FIRST_WAIT_MS = 1000
export const MOST_TOOLS = 200
const MOST_PAGES = 50

/** Connects in the newest protocol that both sides speak. If that fails it throws, and leaves nothing behind. */
export async function connect(library: Library, connecting: Connecting): Promise<Connection> {
  const { onStir, signal } = connecting
  const lost = Promise.withResolvers<string>()
  const begun = await begin(library, connecting, lost.resolve)
  const { client, wire } = begun
  const over = new AbortController()
  const onAbort = (): void => lost.resolve('it is no longer needed')
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()

  for (const kind of ['tools', 'resources', 'prompts'] as const)
    client.setNotificationHandler(`notifications/${kind}/list_changed`, onStir)
  const following = followChanges(library, client, onStir, over.signal)

  return {
    list: () => listAll(client),
    offers: createOffers(client, withOwnStream),
    call: ({ name, schema }, args, { signal: halt, timeoutMs }) =>
      withOwnStream(() =>
        client.callTool(
          { name, arguments: args },
          // The output schema is left out: a stranger's rules are not compiled, and an answer that breaks them is still read.
          { signal: halt, timeout: timeoutMs, toolDefinition: { name, inputSchema: { ...schema, type: 'object' } } },
        ),
      ),
    lost: lost.promise,
    drop: lost.resolve,
    close: async () => {
      signal.removeEventListener('abort', onAbort)
      over.abort()
      await wire.close(client)
      await following
    },
  }
}

type Wire = {
  readonly transport: Transport
  readonly isPipe: boolean
  /** How the other side ended, if that is known. */
  readonly ending: () => string | undefined
  readonly close: (client: Client) => Promise<void>
}

type Begun = { readonly client: Client; readonly wire: Wire }

async function begin(library: Library, connecting: Connecting, onLost: (why: string) => void): Promise<Begun> {
  const first = await attempt(library, connecting, 'auto', onLost)
  if (!('cause' in first)) return first
  const { SdkError, SdkErrorCode } = library
  const isUnasked = first.cause instanceof SdkError && first.cause.code === SdkErrorCode.EraNegotiationFailed
  // Some processes of the older protocol exit when they are asked for the newer one.
  if (!(first.isPipe && isUnasked) || connecting.signal.aborted) throw first.cause
  const second = await attempt(library, connecting, 'legacy', onLost)
  if ('cause' in second) throw second.ending === undefined ? second.cause : new Error(second.ending)
  return second
}

async function attempt(
  library: Library,
  { place, connectMs, onStir, signal, authProvider }: Connecting,
  mode: 'auto' | 'legacy',
  onLost: (why: string) => void,
): Promise<Begun | { readonly cause: unknown; readonly isPipe: boolean; readonly ending: string | undefined }> {
  const wire = place.kind === 'process' ? overPipes(library, place) : overHttp(library, place, onStir, authProvider)
  const client = new library.Client(OURSELVES, {
    versionNegotiation: { mode, ...(wire.isPipe ? { probe: { timeoutMs: Math.min(PROBE_MS, connectMs) } } : {}) },
    inputRequired: { autoFulfill: false },
  })
  const giveUp = (): void => {
    wire.transport.close().catch(() => undefined)
  }
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    signal.throwIfAborted()
    await client.connect(wire.transport, { timeout: connectMs })
    client.onclose = () => onLost(wire.ending() ?? 'it hung up')
    return { client, wire }
  } catch (cause) {
    const ending = wire.ending()
    await wire.close(client)
    return { cause, isPipe: wire.isPipe, ending }
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

function overPipes(library: Library, launch: Launch): Wire {
  const transport = createProcessTransport(library, launch)
  return {
    transport,
    isPipe: true,
    ending: transport.ending,
    close: async client => {
      await client.close()
      await transport.close()
    },
  }
}

/** Ends the requests of a call with the call. In the older protocol the library never closes the stream of a cancelled call. */
const streams = new AsyncLocalStorage<AbortSignal>()

async function withOwnStream<T>(work: () => Promise<T>): Promise<T> {
  const done = new AbortController()
  try {
    return await streams.run(done.signal, work)
  } finally {
    done.abort()
  }
}

function overHttp(
  library: Library,
  { url, headers, addresses }: ServerAddress & { kind: 'http' },
  onStir: () => void,
  authProvider: SignedIn | undefined,
): Wire {
  const { fetch, close } = createFetcher(addresses)
  // The library remembers only the last of its timers.
  const timers = new Set<NodeJS.Timeout>()
  let waitMs = FIRST_WAIT_MS
  const transport = new library.StreamableHTTPClientTransport(url, {
    requestInit: { headers },
    ...(authProvider === undefined ? {} : { authProvider }),
    fetch: async (target, init) => {
      const response = await fetch(target, init)
      authProvider?.hear(response)
      // The older protocol reports changes on this stream. Something may have changed before the stream was open.
      if (init?.method === 'GET' && response.ok) onStir()
      return response
    },
    reconnectionScheduler: (reconnect, delayMs) => {
      // The library never says that a server is gone, only that it wants to try again.
      onStir()
      const timer = setTimeout(
        () => {
          timers.delete(timer)
          reconnect()
        },
        // The server may have set the delay itself. A server that always hangs up is asked less and less often.
        Math.max(waitMs, Math.min(delayMs, 60_000)),
      )
      timers.add(timer)
      waitMs = Math.min(10_000, waitMs * 1.5)
    },
  })
  answerEveryRequest(transport)
  return {
    transport,
    isPipe: false,
    ending: () => undefined,
    close: async client => {
      const farewell = new AbortController()
      const patience = pause(FAREWELL_MS, undefined, { signal: farewell.signal }).catch(() => undefined)
      await Promise.race([transport.terminateSession().catch(() => undefined), patience])
      farewell.abort()
      await client.close()
      await transport.close()
      for (const timer of timers) clearTimeout(timer)
      close()
    },
  }
}

/** When the stream of a request ends without an answer, the library does not tell the caller. This does. */
function answerEveryRequest(transport: StreamableHTTPClientTransport): void {
  const send = transport.send.bind(transport)
  const hangUp = (id: RequestId) => () =>
    transport.onmessage?.({ jsonrpc: '2.0', id, error: { code: CUT_SHORT, message: 'the stream ended without an answer' } })
  transport.send = (message, options) => {
    if (Array.isArray(message) || !('id' in message && 'method' in message)) return send(message, options)
    const signals = [options?.requestSignal, streams.getStore()].filter(signal => signal !== undefined)
    return send(message, {
      ...options,
      ...(signals.length === 0 ? {} : { requestSignal: AbortSignal.any(signals) }),
      onRequestStreamEnd: options?.onRequestStreamEnd ?? hangUp(message.id),
    })
  }
}

/** In the newer protocol a server reports changes only to clients that ask, and only while their stream is open. */
async function followChanges({ ProtocolError }: Library, client: Client, onStir: () => void, over: AbortSignal): Promise<void> {
  const { tools, resources, prompts } = client.getServerCapabilities() ?? {}
  const wished = {
    ...(tools?.listChanged === true ? { toolsListChanged: true } : {}),
    ...(resources?.listChanged === true ? { resourcesListChanged: true } : {}),
    ...(prompts?.listChanged === true ? { promptsListChanged: true } : {}),
  }
  if (client.getProtocolEra() !== 'modern' || Object.keys(wished).length === 0) return
  for (let pauseMs = 1000; !over.aborted; pauseMs = Math.min(60_000, pauseMs * 2)) {
    try {
      const subscription = await client.listen(wished, { timeout: LIST_MS, signal: over })
      // Something may have changed before the stream was open.
      onStir()
      await subscription.closed
    } catch (cause) {
      if (cause instanceof ProtocolError) return
    }
    if (over.aborted) return
    onStir()
    await pause(pauseMs, undefined, { signal: over }).catch(() => undefined)
  }
}

const Page = z.object({ tools: z.array(z.unknown()), nextCursor: z.string().optional() })

/** Lists page by page. The library's own method gives nothing at all if there are too many tools, or if one is malformed. */
async function listAll(client: Client): Promise<{ readonly described: readonly unknown[]; readonly isCut: boolean }> {
  const described: unknown[] = []
  if (client.getServerCapabilities()?.tools === undefined) return { described, isCut: false }
  const cursors = new Set<string>()
  let cursor: string | undefined
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const request = { method: 'tools/list', ...(cursor === undefined ? {} : { params: { cursor } }) }
    const page = await withOwnStream(() => client.request(request, Page, { timeout: LIST_MS }))
    described.push(...page.tools.slice(0, MOST_TOOLS + 1 - described.length))
    if (described.length > MOST_TOOLS) return { described: described.slice(0, MOST_TOOLS), isCut: true }
    cursor = page.nextCursor
    if (cursor === undefined) return { described, isCut: false }
    if (cursors.has(cursor)) break
    cursors.add(cursor)
  }
  return { described, isCut: true }
}
