// Words for MCP servers and their states.
import type { McpServerRow, McpState } from '../wire/mcp-api.ts'
import { formatCount } from './words.ts'

const STATES: Readonly<Record<McpState, string>> = {
  starting: 'Starting …',
  ready: 'Ready',
  down: 'Not running',
  refused: 'Refused',
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

const counted = (count: number, thing: string): string => `${formatCount(count)} ${thing}${count === 1 ? '' : 's'}`
