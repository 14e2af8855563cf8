// The MCP servers of the settings and the tools they offer.
import { setTimeout as pause } from 'node:timers/promises'
import { err, ok, type Result } from '../../model/result.ts'
import type { Tool } from '../toolbox.ts'
import type { ServerAddress } from './connect.ts'
import type { Variables } from './facts.ts'
import type { Addresses } from './fetch.ts'
import { keepServer, type Server } from './server.ts'

/** A server as the settings name it: a process that talks through its pipes, or an address. */
export type McpServer =
  | { readonly command: string; readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }

export type McpOptions = {
  /** Processes get a few harmless variables from here, and nothing else. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The values that the settings read from the environment. Where a command or address has one, people see its name. */
  readonly variables?: Variables
  /** The directory in which the processes run. */
  readonly directory: string
  readonly addresses: Addresses
  /** The operator's approval setting for tools, by the name the model knows. Without one a person is asked. */
  readonly approve?: Readonly<Record<string, Tool['approval']>>
  /** Called once when a server goes down, once when it is back, and for tools that cannot be used. */
  readonly onTrouble?: (text: string) => void
  readonly callMs?: number
  readonly connectMs?: number
  readonly readyMs?: number
  readonly backoff?: { readonly firstMs: number; readonly mostMs: number }
}

/** The tools of all MCP servers. */
export type Mcp = {
  /** The tools known now, sorted by name. A server that is down has none. */
  readonly tools: () => readonly Tool[]
  /** What is wrong now, one line each. */
  readonly troubles: () => readonly string[]
  /** Resolves when every server has answered or failed, and in any case soon. */
  readonly ready: Promise<void>
  /** Ends every connection and every process, and leaves nothing behind. */
  readonly close: () => Promise<void>
}

/** Starts to connect to every server, and waits for none of them. */
export function openMcp(servers: Readonly<Record<string, McpServer>>, options: McpOptions): Mcp {
  const {
    approve = {},
    variables = {},
    onTrouble = () => undefined,
    callMs = 60_000,
    connectMs = 30_000,
    readyMs = 5000,
  } = options
  const { backoff = { firstMs: 1000, mostMs: 60_000 } } = options
  const sound: [name: string, place: ServerAddress][] = []
  const refused: string[] = []
  for (const [name, server] of Object.entries(servers)) {
    const place = placeOf(name, server, options)
    if (place.ok) sound.push([name, place.value])
    else refused.push(`the MCP server ${JSON.stringify(name)} is not used: ${place.fault}`)
  }
  for (const trouble of refused) onTrouble(trouble)

  // The library is slow to load, so it is loaded only if there are servers.
  const library = sound.length === 0 ? undefined : import('@modelcontextprotocol/client')
  const kept: readonly Server[] =
    library === undefined
      ? []
      : sound.map(([name, place]) =>
          keepServer({ name, place, library, approve, variables, say: onTrouble, callMs, connectMs, backoff }),
        )

  const answered = new AbortController()
  const all = Promise.all(kept.map(server => server.answered)).then(() => answered.abort())
  const patience = kept.length === 0 ? undefined : pause(readyMs, undefined, { signal: answered.signal }).catch(() => undefined)
  return {
    tools: () => kept.flatMap(server => server.tools()).sort((a, b) => (a.spec.name < b.spec.name ? -1 : 1)),
    troubles: () => [...refused, ...kept.flatMap(server => server.troubles())],
    ready: Promise.race([all, patience]).then(() => undefined),
    close: async () => {
      await Promise.all(kept.map(server => server.close()))
    },
  }
}

const INHERITED = ['PATH', 'HOME', 'LANG', 'TZ'] as const
/** Variables that make a process load something before its own first line. */
const INTRUSIVE = /^(NODE_OPTIONS|BASH_ENV|LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES)$/i

function placeOf(
  name: string,
  server: McpServer,
  { environment, directory, addresses }: McpOptions,
): Result<ServerAddress, string> {
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(name)) return err('its name must be up to 32 small letters, digits and hyphens')
  if ('url' in server) return addressOf(server.url, server.headers ?? {}, addresses)
  const { command, args = [], env = {} } = server
  const intrusive = Object.keys(env).find(variable => INTRUSIVE.test(variable))
  if (command === '') return err('its command is empty')
  if (intrusive !== undefined) return err(`${intrusive} is never given to a server`)
  const inherited = INHERITED.flatMap(variable => {
    const value = environment[variable]
    return value === undefined ? [] : [[variable, value] as const]
  })
  return ok({ kind: 'process', command, args, env: { ...Object.fromEntries(inherited), ...env }, directory })
}

function addressOf(
  address: string,
  headers: Readonly<Record<string, string>>,
  addresses: Addresses,
): Result<ServerAddress, string> {
  if (!URL.canParse(address)) return err('its url is not one')
  const url = new URL(address)
  const forbidden = addresses.whyForbidden(url)
  if (forbidden !== undefined) return err(forbidden)
  const isOpen = url.protocol === 'http:' && !addresses.isLoopbackHost(url.hostname)
  if (isOpen && Object.keys(headers).length > 0) return err('its headers would travel unencrypted; use https')
  try {
    new Headers(headers)
  } catch {
    return err('its headers have characters that cannot be sent')
  }
  return ok({ kind: 'http', url, headers, addresses })
}
