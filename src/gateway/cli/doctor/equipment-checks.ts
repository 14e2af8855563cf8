// Checks skills, tools, MCP servers and the rules for tools.
import { idleRules } from '../../../tool/approve-rules.ts'
import type { Environment } from '../../workspace/settings.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { counted } from '../output/phrase.ts'
import { serverRemedy, serverWords } from '../output/server-words.ts'
import { type EquipmentNow, equipmentNow, type ServerNow } from '../talk/equipment-now.ts'
import { statelessEngine } from '../talk/own-engine.ts'
import type { HealthCheck } from './checks.ts'

/** The trouble itself already says what is missing. */
const REMEDY = 'see to that, or name the skill in skills.disabled'

/** Trouble with a SKILL.md begins with its path; trouble with a skill's tools begins with the word "skill". */
export const isOfTools = (trouble: string): boolean => trouble.startsWith('skill ')

/** Counts skills and tools, and reports each one that could not be loaded, every MCP server, and every rule without a tool. */
export async function equipmentChecks(workspace: Workspace, environment: Environment): Promise<readonly HealthCheck[]> {
  const engine = statelessEngine(workspace, environment)
  const [skills, own, troubles] = [await engine.skills(), await engine.tools(), await engine.equipmentTroubles()]
  await engine.close(0)
  const asked = await equipmentNow(workspace, environment)
  const now: EquipmentNow = asked.ok ? asked.value : { tools: own, servers: [], unasked: asked.fault.message }
  return [
    { name: 'skills', state: 'ok', found: counted(skills.length, 'skill') },
    { name: 'tools', state: 'ok', found: counted(now.tools.length, 'tool') },
    ...troubles.map(
      (trouble): HealthCheck => ({
        name: isOfTools(trouble) ? 'tools' : 'skills',
        state: 'warn',
        found: trouble,
        remedy: REMEDY,
      }),
    ),
    ...serverChecks(now),
    ...ruleChecks(now, workspace.settings),
  ]
}

function serverChecks({ servers, unasked }: EquipmentNow): readonly HealthCheck[] {
  const rows = servers.map((server): HealthCheck => {
    const [found, remedy] = [serverWords(server), serverRemedy(server)]
    const name = `MCP ${server.name}`
    return remedy === undefined ? { name, state: 'ok', found } : { name, state: 'warn', found, remedy }
  })
  if (unasked === undefined) return rows
  const remedy = 'try again when that is over'
  return [...rows, { name: 'MCP', state: 'warn', found: `the servers were not asked: ${unasked}`, remedy }]
}

/** A rule may be for a tool of a server that is not ready: the tools of such a server are not known. */
function ruleChecks({ tools, servers }: EquipmentNow, { tools: { approve }, mcp }: Workspace['settings']): HealthCheck[] {
  const isReady = (name: string): boolean => servers.some(server => server.name === name && server.state === 'ready')
  const unknown = [...new Set([...Object.keys(mcp), ...servers.map(server => server.name)])].filter(name => !isReady(name))
  const names = tools.map(({ name }) => name)
  const idle = idleRules(names, approve).filter(rule => !unknown.some(name => mayMeanToolOf(rule, name)))
  return idle.map(rule => ({
    name: 'rules',
    state: 'warn' as const,
    found: `tools.approve: "${rule}" matches no tool`,
    remedy: 'correct the name ("turnwise tools" lists them), or take the rule out',
  }))
}

const mayMeanToolOf = (rule: string, server: ServerNow['name']): boolean => {
  const prefix = `${server}__`
  return rule.startsWith(prefix) || (rule.endsWith('*') && prefix.startsWith(rule.slice(0, -1)))
}
