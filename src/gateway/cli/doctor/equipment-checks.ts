// Checks skills, tools and MCP servers.
import type { Environment } from '../../workspace/settings.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { counted } from '../output/phrase.ts'
import { statelessEngine } from '../talk/own-engine.ts'
import type { HealthCheck } from './checks.ts'

/** The trouble itself already says what is missing. */
const REMEDY = 'see to that, or name the skill in skills.disabled'

/** Trouble with a SKILL.md begins with its path; trouble with a skill's tools begins with the word "skill". */
export const isOfTools = (trouble: string): boolean => trouble.startsWith('skill ')

/** Counts skills and tools, and reports each one that could not be loaded. */
export async function equipmentChecks(workspace: Workspace, environment: Environment): Promise<readonly HealthCheck[]> {
  const engine = statelessEngine(workspace, environment)
  const [skills, tools, troubles] = [await engine.skills(), await engine.tools(), await engine.equipmentTroubles()]
  await engine.close(0)
  const servers = Object.keys(workspace.settings.mcp)
  const beside =
    servers.length === 0 ? '' : `; ${counted(servers.length, 'MCP server')} that a gateway asks: ${servers.join(', ')}`
  return [
    { name: 'skills', state: 'ok', found: counted(skills.length, 'skill') },
    { name: 'tools', state: 'ok', found: counted(tools.length, 'tool') + beside },
    ...troubles.map(
      (trouble): HealthCheck => ({
        name: isOfTools(trouble) ? 'tools' : 'skills',
        state: 'warn',
        found: trouble,
        remedy: REMEDY,
      }),
    ),
  ]
}
