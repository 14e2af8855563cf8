// The resources and prompts that connected MCP servers offer to a message.
import type { AttachedPart } from '../../wire/client.ts'
import type { McpApi, McpPrompt, McpResource, McpServerRow } from '../../wire/mcp-api.ts'

/** A resource, and the server that has it. */
export type ServerResource = McpResource & { readonly server: string }

/** A prompt, and the server that has it. */
export type ServerPrompt = McpPrompt & { readonly server: string }

/** Everything that was found, and the servers that did not answer. */
export type ResourcesFound = { readonly items: readonly ServerResource[]; readonly failed: readonly string[] }

/** The servers that are ready and have something; none where they cannot be asked. */
export async function serversWith(mcp: Pick<McpApi, 'servers'>, kind: 'resources' | 'prompts'): Promise<readonly string[]> {
  const listed = await mcp.servers()
  const hasSome = (server: McpServerRow): boolean => server.state === 'ready' && server[kind] > 0
  return listed.ok ? listed.value.items.filter(hasSome).map(({ name }) => name) : []
}

export async function resourcesOf(mcp: Pick<McpApi, 'resources'>, servers: readonly string[]): Promise<ResourcesFound> {
  const answers = await Promise.all(servers.map(async server => ({ server, answer: await mcp.resources(server) })))
  return {
    items: answers.flatMap(({ server, answer }) => (answer.ok ? answer.value.items.map(each => ({ ...each, server })) : [])),
    failed: answers.flatMap(({ server, answer }) => (answer.ok ? [] : [server])),
  }
}

/** The prompts of all ready servers. A server that does not answer offers none. */
export async function promptsOf(mcp: Pick<McpApi, 'servers' | 'prompts'>): Promise<readonly ServerPrompt[]> {
  const servers = await serversWith(mcp, 'prompts')
  const answers = await Promise.all(servers.map(async server => ({ server, answer: await mcp.prompts(server) })))
  return answers.flatMap(({ server, answer }) => (answer.ok ? answer.value.items.map(each => ({ ...each, server })) : []))
}

/** How a prompt is written after a slash. */
export const promptName = ({ server, name }: Pick<ServerPrompt, 'server' | 'name'>): string => `${server}:${name}`

/** The prompts that a beginning may mean, by the server or by their own name. */
export function promptsFor(prompts: readonly ServerPrompt[], typed: string): readonly ServerPrompt[] {
  const wanted = typed.toLowerCase()
  return prompts.filter(
    prompt => promptName(prompt).toLowerCase().startsWith(wanted) || prompt.name.toLowerCase().startsWith(wanted),
  )
}

/** The resources in which every word of a search occurs. */
export function resourcesFor(resources: readonly ServerResource[], query: string): readonly ServerResource[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const textOf = ({ server, name, uri, description = '' }: ServerResource): string =>
    `${server} ${name} ${uri} ${description}`.toLowerCase()
  return words.length === 0 ? resources : resources.filter(each => words.every(word => textOf(each).includes(word)))
}

/** What a prompt is asked with: an argument that is empty is left out. */
export const promptValues = (typed: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(typed).filter(([, value]) => value.trim() !== ''))

/** The required arguments of a prompt that are still empty. */
export const missingArguments = (prompt: McpPrompt, typed: Readonly<Record<string, string>>): readonly string[] =>
  prompt.arguments.filter(({ name, required }) => required && (typed[name] ?? '').trim() === '').map(({ name }) => name)

/** A part that a server gave, as a file that a person could have picked; null if its bytes cannot be read. */
export function fileOfPart({ name, mediaType, data }: AttachedPart): File | null {
  try {
    return new File([Uint8Array.from(atob(data), letter => letter.charCodeAt(0))], name, { type: mediaType })
  } catch {
    return null
  }
}
