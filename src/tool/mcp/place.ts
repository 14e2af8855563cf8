// Checks how the settings reach an MCP server, and says it without secrets.
import { err, ok, type Result } from '../../model/result.ts'
import type { ServerAddress } from './connect.ts'
import type { Addresses } from './fetch.ts'

/** A server as the settings name it: a process that talks through its pipes, or an address. */
export type McpServer =
  | { readonly command: string; readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> }
  | { readonly url: string; readonly headers?: Readonly<Record<string, string>> }

/** What the processes run with, and where addresses may lead. */
export type Surroundings = {
  /** Processes get a few harmless variables from here, and nothing else. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The directory in which the processes run. */
  readonly directory: string
  readonly addresses: Addresses
}

const INHERITED = ['PATH', 'HOME', 'LANG', 'TZ'] as const
/** Variables that make a process load something before its own first line. */
const INTRUSIVE = /^(NODE_OPTIONS|BASH_ENV|LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES)$/i

/** Where a server is, or why it is not used. */
export function placeOf(
  name: string,
  server: McpServer,
  { environment, directory, addresses }: Surroundings,
): Result<ServerAddress, string> {
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(name)) return err('its name must be up to 32 lowercase letters, digits and hyphens')
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

/** What a log of this server must not repeat: the values of its variables and headers, and secrets in its address or command. */
export function secretsOfServer(server: McpServer): readonly string[] {
  if (!('url' in server)) return [...Object.values(server.env ?? {}), ...secretWords(server.args ?? [])]
  const headers = Object.values(server.headers ?? {}).flatMap(value => [value, value.replace(/^\w+\s+/, '')])
  if (!URL.canParse(server.url)) return headers
  const { password, searchParams } = new URL(server.url)
  return [...headers, password, ...searchParams.values()]
}

const SECRET = /key|token|secret|password|passwd|credential|auth/i

const secretWords = (words: readonly string[]): readonly string[] =>
  words.flatMap((word, index) => {
    const [option = '', value] = word.split(/=(.*)/s)
    if (value !== undefined && SECRET.test(option)) return [value]
    const before = words[index - 1] ?? ''
    return before.startsWith('-') && SECRET.test(before) && !word.startsWith('-') ? [word] : []
  })
