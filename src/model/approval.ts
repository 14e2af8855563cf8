/** What a person is shown of a call before it runs, beside its argv. */

/** A file that would be run: its real path, links followed, and the SHA-256 of its bytes in hex. */
export type RunFile = { readonly path: string; readonly sha256: string }

/** A program that works out one element of the argv, after the answer. */
export type ResolverFacts = {
  readonly param: string
  /** The element of the call's argv that it replaces. */
  readonly at: number
  readonly argv: readonly string[]
  readonly binary: RunFile
}

/** The MCP server a call would go to. Secrets are left out of `command` and `url`, but `sha256` includes them. */
export type ServerFacts = {
  readonly name: string
  readonly command?: readonly string[]
  readonly url?: string
  readonly sha256: string
  /** SHA-256 of how the server describes the tool. */
  readonly schema: string
}

/** What a person's answer is bound to: if any of this is different later, the tool asks again. */
export type RunFacts = {
  readonly binary?: RunFile
  /** Names of the environment variables it gets, sorted. */
  readonly env?: readonly string[]
  readonly server?: ServerFacts
  readonly resolver?: readonly ResolverFacts[]
  /** SHA-256 of how the tool is described and run, as its skill or program declares it. */
  readonly descriptor?: string
}

/** The facts of a question, without its ids and its place in the log. */
export const factsIn = ({ binary, env, server, resolver, descriptor }: RunFacts): RunFacts => ({
  ...(binary === undefined ? {} : { binary }),
  ...(env === undefined ? {} : { env }),
  ...(server === undefined ? {} : { server }),
  ...(resolver === undefined ? {} : { resolver }),
  ...(descriptor === undefined ? {} : { descriptor }),
})

/** Whether a stored value has the form of such facts. Older events have no facts. */
export function hasRunFacts(value: object): value is RunFacts {
  const { binary, env, server, resolver, descriptor } = value as Record<string, unknown>
  return (
    (binary === undefined || isRunFile(binary)) &&
    (env === undefined || isTexts(env)) &&
    (server === undefined || isServer(server)) &&
    (resolver === undefined || (Array.isArray(resolver) && resolver.every(isResolver))) &&
    (descriptor === undefined || typeof descriptor === 'string')
  )
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(each => typeof each === 'string')
const isRunFile = (value: unknown): boolean =>
  isRecord(value) && typeof value.path === 'string' && typeof value.sha256 === 'string'
const isResolver = (value: unknown): boolean =>
  isRecord(value) &&
  typeof value.param === 'string' &&
  typeof value.at === 'number' &&
  isTexts(value.argv) &&
  isRunFile(value.binary)
const isServer = (value: unknown): boolean =>
  isRecord(value) &&
  [value.name, value.sha256, value.schema].every(each => typeof each === 'string') &&
  (value.command === undefined || isTexts(value.command)) &&
  (value.url === undefined || typeof value.url === 'string')
