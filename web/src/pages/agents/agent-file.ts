// Reads and writes an agent as a file of its own.
import type { WrittenAgent } from '../../../../src/model/voice.ts'

/** An agent as a file of its own. */
export const agentFile = (agent: WrittenAgent): { readonly name: string; readonly text: string } => ({
  name: `${agent.key}.agent.json`,
  text: `${JSON.stringify(agent, null, 2)}\n`,
})

export type ReadAgent = { readonly ok: true; readonly agent: WrittenAgent } | { readonly ok: false; readonly why: string }

/** The agent in a file: one that was exported, or an `agents.json` that has only one. What is wrong inside, the gateway says. */
export function readAgentFile(text: string): ReadAgent {
  const value = parsed(text)
  if (value === undefined) return no('The file is not JSON.')
  const { agents } = value
  if (agents === undefined)
    return isAgent(value) ? { ok: true, agent: value } : no('The file holds no agent: it has no key and name.')
  const all = isRecord(agents) ? Object.entries(agents) : []
  if (all.length !== 1) return no(`The file holds ${all.length} agents; one at a time can be imported.`)
  const [[key, agent]] = all as [[string, unknown]]
  const found = isRecord(agent) ? { ...agent, key } : {}
  return isAgent(found) ? { ok: true, agent: found } : no(`The agent “${key}” in the file has no name.`)
}

const no = (why: string): ReadAgent => ({ ok: false, why })

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A first check before sending; the gateway checks everything. */
const isAgent = (value: object): value is WrittenAgent =>
  'key' in value && typeof value.key === 'string' && 'name' in value && typeof value.name === 'string'

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
