// Words for MCP servers and their states.
import type { McpPromptArgument, McpServerRow, McpState } from '../wire/mcp-api.ts'
import type { ApiProblem } from '../wire/problem.ts'
import { formatCount } from './words.ts'

const STATES: Readonly<Record<McpState, string>> = {
  starting: 'Starting …',
  ready: 'Ready',
  down: 'Not connected',
  refused: 'Check settings',
  'sign-in': 'Sign in needed',
}

export const mcpStateWords = (state: McpState): string => STATES[state]

/** What a server brings, as in "4 tools, 2 resources". */
export function mcpOfferWords({ tools, resources, prompts }: Pick<McpServerRow, 'tools' | 'resources' | 'prompts'>): string {
  return [
    counted(tools.length, 'tool'),
    ...(resources > 0 ? [counted(resources, 'resource')] : []),
    ...(prompts > 0 ? [counted(prompts, 'prompt')] : []),
  ].join(', ')
}

/** The arguments of a prompt, as in "code, tone (optional)". */
export const argumentWords = (given: readonly McpPromptArgument[]): string =>
  given.map(({ name, required }) => (required ? name : `${name} (optional)`)).join(', ')

/** Why something of a server does not go with the message. */
export const notAttachedWords = (name: string, problem: Pick<ApiProblem, 'detail'> | null): string =>
  problem === null ? `“${name}” has no content that can be read.` : `“${name}” was not attached: ${sentence(problem.detail)}`

/** Why a prompt is not in the message. */
export const notInsertedWords = (name: string, problem: Pick<ApiProblem, 'detail'>): string =>
  `The prompt ${name} was not inserted: ${sentence(problem.detail)}`

const sentence = (words: string): string => (/[.?!]$/.test(words) ? words : `${words}.`)

/** Servers that were asked for resources and gave none. */
export const unansweredWords = (servers: readonly string[]): string =>
  `${servers.join(', ')} did not answer. ${servers.length === 1 ? 'Its' : 'Their'} resources are not listed.`

const counted = (count: number, thing: string): string => `${formatCount(count)} ${thing}${count === 1 ? '' : 's'}`
