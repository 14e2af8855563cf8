import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { SystemPart } from '../model/plan.ts'
import type { Agent } from '../model/voice.ts'

/** The text that stands before every conversation of an agent, each part with its source. */
export type House = { readonly parts: (agent: Agent) => Promise<readonly SystemPart[]> }

/** Reads AGENTS.md from the workspace, once, and again whenever the file has changed. */
export function workspaceHouse(home: string): House {
  const file = join(home, 'AGENTS.md')
  let known: { stamp: string; text: string } | undefined
  const houseText = async (): Promise<string> => {
    const found = await stat(file).catch(() => undefined)
    if (found === undefined) return ''
    const stamp = `${found.mtimeMs} ${found.size} ${found.ino}`
    if (known?.stamp !== stamp) known = { stamp, text: (await readFile(file, 'utf8')).trim() }
    return known.text
  }
  return { parts: async agent => houseParts(agent, await houseText()) }
}

/** Parts that are empty leave nothing behind. */
export function houseParts(agent: Agent, agentsMd: string): readonly SystemPart[] {
  const parts: readonly SystemPart[] = [
    { source: `agent ${agent.key}`, reason: 'system.agent', text: agent.prompt },
    { source: 'AGENTS.md', reason: 'system.agents-md', text: agentsMd },
  ]
  return parts.filter(part => part.text.trim() !== '')
}
