// The agents command.
import { enterWorkspace } from '../../workspace/enter-workspace.ts'
import { aligned } from '../output/aligned.ts'
import { escapeToOneLine, jsonForTerminal } from '../output/escape-for-terminal.ts'
import { fitted } from '../output/phrase.ts'
import { complain, print, printPage, type Terminal } from '../output/terminal.ts'
import { statelessEngine } from '../talk/own-engine.ts'

const LONGEST = 60

/** Lists the agents of this workspace. The first one answers unless the person asks for another. */
export async function agentsCommand(terminal: Terminal, { json }: { readonly json?: boolean }): Promise<number> {
  const workspace = await enterWorkspace(terminal.environment, { create: false })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  const agents = statelessEngine(workspace.value, terminal.environment).agents()
  if (json === true) {
    print(terminal, jsonForTerminal({ items: agents }))
    return 0
  }
  const { model, policy } = workspace.value.settings
  const rows = agents.map(agent => [
    agent.key,
    agent.name,
    agent.model ?? model,
    agent.policy ?? policy,
    fitted(escapeToOneLine(agent.description ?? agent.prompt), LONGEST),
  ])
  printPage(terminal, ...aligned(rows.map(row => row.map(escapeToOneLine))))
  return 0
}
