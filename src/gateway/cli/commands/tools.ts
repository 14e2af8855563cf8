// The tools command.
import type { ListedTool } from '../../../engine.ts'
import { openWorkspace } from '../../workspace/workspace.ts'
import { isOfTools } from '../doctor/equipment-checks.ts'
import { aligned } from '../output/aligned.ts'
import { escapeToOneLine, jsonForTerminal } from '../output/escape-for-terminal.ts'
import { inkFor } from '../output/ink.ts'
import { complain, print, printPage, type Terminal } from '../output/terminal.ts'
import { statelessEngine } from '../talk/own-engine.ts'

/** Lists the tools that agents may use and what each needs to run. Only a running gateway knows the tools of MCP servers. */
export async function toolsCommand(terminal: Terminal, { json }: { readonly json?: boolean }): Promise<number> {
  const workspace = openWorkspace(terminal.environment, { create: false })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  const engine = statelessEngine(workspace.value, terminal.environment)
  const [tools, troubles] = [await engine.tools(), (await engine.equipmentTroubles()).filter(isOfTools)]
  await engine.close(0)
  if (json === true) {
    print(terminal, jsonForTerminal({ items: tools, troubles }))
    return 0
  }
  const { dim, warn } = inkFor(terminal.stdout, terminal.environment)
  printPage(
    terminal,
    ...aligned(
      tools.map(({ name, approval, description }) => [escapeToOneLine(name), WORDS[approval], escapeToOneLine(description)]),
    ),
  )
  printPage(terminal, ...troubles.map(trouble => warn(`  ${escapeToOneLine(trouble)}`)))
  printPage(
    terminal,
    '',
    dim('  tools.approve in the settings decides what asks; "turnwise grants" lists what a person allowed for longer'),
  )
  return 0
}

const WORDS: Readonly<Record<ListedTool['approval'], string>> = { auto: 'runs', ask: 'asks', never: 'never runs' }
