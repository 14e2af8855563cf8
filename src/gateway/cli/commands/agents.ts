import { openWorkspace } from '../../workspace/workspace.ts'
import { aligned } from '../output/aligned.ts'
import { harmlessJson, oneLine } from '../output/escape-for-terminal.ts'
import { fitted } from '../output/phrase.ts'
import { complain, print, printPage, type Terminal } from '../output/terminal.ts'
import { passingEngine } from '../talk/own-engine.ts'

const LONGEST = 60

/** Lists who can answer in this workspace; the first one does unless another is asked for. */
export async function agentsCommand(terminal: Terminal, { json }: { readonly json?: boolean }): Promise<number> {
  const workspace = openWorkspace(terminal.environment, { create: false })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  const agents = passingEngine(workspace.value, terminal.environment).agents()
  if (json === true) {
    print(terminal, harmlessJson({ items: agents }))
    return 0
  }
  const { model, policy } = workspace.value.settings
  const rows = agents.map(agent => [
    agent.key,
    agent.name,
    agent.model ?? model,
    agent.policy ?? policy,
    fitted(oneLine(agent.description ?? agent.prompt), LONGEST),
  ])
  printPage(terminal, ...aligned(rows.map(row => row.map(oneLine))))
  return 0
}
