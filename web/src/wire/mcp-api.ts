// Asks the gateway about MCP servers: their state, their log, and what they offer.
import type { AskGateway } from './ask.ts'
import type { AttachedPart } from './client.ts'
import type { ApiResult } from './problem.ts'
import type { ToolRow } from './workspace-api.ts'

export type McpState = 'starting' | 'ready' | 'down' | 'refused' | 'sign-in'

/** A server as it is now. */
export type McpServerRow = {
  readonly name: string
  readonly kind: 'process' | 'http'
  readonly command?: readonly string[]
  readonly url?: string
  readonly state: McpState
  /** What is wrong, in a sentence. */
  readonly message: string | null
  readonly tools: readonly Pick<ToolRow, 'name' | 'description' | 'approval'>[]
  readonly resources: number
  readonly prompts: number
  readonly since: string
  readonly restarts: number
  readonly signedIn: boolean
}

export type McpLogLine = { readonly at: string; readonly text: string }

export type McpResource = {
  readonly uri: string
  readonly name: string
  readonly description?: string
  readonly mediaType?: string
}

export type McpPromptArgument = { readonly name: string; readonly description?: string; readonly required: boolean }

export type McpPrompt = { readonly name: string; readonly description?: string; readonly arguments: readonly McpPromptArgument[] }

type Items<Item> = Promise<ApiResult<{ readonly items: readonly Item[] }>>

export type McpApi = {
  readonly servers: () => Items<McpServerRow>
  /** The last lines that a server wrote, and its changes of state. */
  readonly log: (server: string) => Items<McpLogLine>
  readonly restart: (server: string) => Promise<ApiResult<McpServerRow>>
  /** Where a person signs in, to be opened in a tab of its own. */
  readonly signIn: (server: string) => Promise<ApiResult<{ readonly url: string }>>
  readonly signOut: (server: string) => Promise<ApiResult<unknown>>
  readonly resources: (server: string) => Items<McpResource>
  readonly readResource: (server: string, uri: string) => Promise<ApiResult<{ readonly parts: readonly AttachedPart[] }>>
  readonly prompts: (server: string) => Items<McpPrompt>
  readonly getPrompt: (
    server: string,
    name: string,
    values: Readonly<Record<string, string>>,
  ) => Promise<ApiResult<{ readonly text: string; readonly parts: readonly AttachedPart[] }>>
}

export function createMcpApi(ask: AskGateway): McpApi {
  const at = (server: string, rest: string): string => `api/mcp/${encodeURIComponent(server)}/${rest}`
  return {
    servers: () => ask('GET', 'api/mcp'),
    log: server => ask('GET', at(server, 'log')),
    restart: server => ask('POST', at(server, 'restart'), {}),
    signIn: server => ask('POST', at(server, 'sign-in'), {}),
    signOut: server => ask('DELETE', at(server, 'sign-in')),
    resources: server => ask('GET', at(server, 'resources')),
    readResource: (server, uri) => ask('POST', at(server, 'resources/read'), { uri }),
    prompts: server => ask('GET', at(server, 'prompts')),
    getPrompt: (server, name, values) => ask('POST', at(server, 'prompts/get'), { name, arguments: values }),
  }
}
