/** What readiness and the metrics say of MCP servers. */
import type { McpStatus } from '../../engine.ts'

type Standing = Pick<McpStatus, 'name' | 'state' | 'message' | 'tools'>

const STATES: readonly McpStatus['state'][] = ['starting', 'ready', 'down', 'refused', 'sign-in']
/** Enough to see what is wrong; the page lists all servers. */
const MOST_REASONS = 10
const MOST_LETTERS = 300

/** Why the gateway is not at its best: one reason for each server that people have to see to. One that starts is no reason. */
export function serverReasons(servers: readonly Standing[]): readonly string[] {
  const reasons = servers.flatMap(server => reasonOf(server) ?? [])
  const more = reasons.length - MOST_REASONS
  return more > 0 ? [...reasons.slice(0, MOST_REASONS), `mcp: ${more} more servers are not ready`] : reasons
}

function reasonOf({ name, state, message }: Standing): string | undefined {
  const what = WORDS[state]
  if (what === undefined) return undefined
  const why = state === 'sign-in' || message === null ? '' : `: ${message.replaceAll(/\s+/g, ' ')}`
  const reason = `mcp: the server ${JSON.stringify(name)} ${what}${why}`
  return reason.length > MOST_LETTERS ? `${reason.slice(0, MOST_LETTERS - 1)}…` : reason
}

const WORDS: Readonly<Partial<Record<McpStatus['state'], string>>> = {
  down: 'is down',
  refused: 'is refused',
  'sign-in': 'wants a person to sign in',
}

/** How many servers are in each state, and how many tools they have. */
export const serverGauges = (servers: readonly Standing[]): Readonly<Record<string, number>> => ({
  ...Object.fromEntries(
    STATES.map(state => [`turnwise_mcp_servers{state="${state}"}`, servers.filter(server => server.state === state).length]),
  ),
  turnwise_mcp_tools: servers.reduce((sum, { tools }) => sum + tools.length, 0),
})
