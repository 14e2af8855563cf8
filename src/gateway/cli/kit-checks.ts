import type { Environment } from '../settings.ts'
import type { Workspace } from '../workspace.ts'
import type { Check } from './checks.ts'
import { passingEngine } from './own-engine.ts'
import { counted } from './phrase.ts'

/** How skills and their tools are: how many there are, and what each that could not be loaded wants. */
export async function kitChecks(workspace: Workspace, environment: Environment): Promise<readonly Check[]> {
  const engine = passingEngine(workspace, environment)
  const [skills, tools, troubles] = [await engine.skills(), await engine.tools(), await engine.kitTroubles()]
  await engine.close(0)
  const servers = Object.keys(workspace.settings.mcp)
  const found = `${counted(skills.length, 'skill')}, ${counted(tools.length, 'tool')}`
  const beside =
    servers.length === 0 ? '' : `; ${counted(servers.length, 'MCP server')} that a gateway asks: ${servers.join(', ')}`
  return [
    { name: 'skills', state: 'ok', found: found + beside },
    ...troubles.map(
      (trouble): Check => ({ name: 'skills', state: 'warn', found: trouble, remedy: 'mend the file, or disable the skill' }),
    ),
  ]
}
