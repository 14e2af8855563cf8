// The tools command.
import type { ListedTool } from '../../../engine.ts'
import { enterWorkspace } from '../../workspace/enter-workspace.ts'
import { isOfTools } from '../doctor/equipment-checks.ts'
import { aligned } from '../output/aligned.ts'
import { escapeToOneLine, jsonForTerminal } from '../output/escape-for-terminal.ts'
import { inkFor } from '../output/ink.ts'
import { counted } from '../output/phrase.ts'
import { serverWords } from '../output/server-words.ts'
import { complain, print, printPage, type Terminal } from '../output/terminal.ts'
import { type EquipmentNow, equipmentNow } from '../talk/equipment-now.ts'
import { statelessEngine } from '../talk/own-engine.ts'

/** Lists the tools that agents may use, those of MCP servers as well, what each needs to run, and how every server is. */
export async function toolsCommand(terminal: Terminal, { json }: { readonly json?: boolean }): Promise<number> {
  const workspace = await enterWorkspace(terminal.environment, { create: false })
  if (!workspace.ok) return complain(terminal, workspace.fault.message)
  const now = await equipmentNow(workspace.value, terminal.environment, names => tellOfStarting(terminal, names))
  if (!now.ok) return complain(terminal, now.fault.message)
  const engine = statelessEngine(workspace.value, terminal.environment)
  const troubles = (await engine.equipmentTroubles()).filter(isOfTools)
  await engine.close(0)
  const { tools, servers, unasked = null } = now.value
  if (json === true) print(terminal, jsonForTerminal({ items: tools, servers, unasked, troubles }))
  else show(terminal, now.value, troubles)
  return 0
}

function show(terminal: Terminal, { tools, servers, unasked }: EquipmentNow, troubles: readonly string[]): void {
  const { dim, warn } = inkFor(terminal.stdout, terminal.environment)
  const rows = aligned(
    tools.map(({ name, approval, description }) => [escapeToOneLine(name), WORDS[approval], escapeToOneLine(description)]),
  )
  const states = aligned(servers.map(server => [escapeToOneLine(server.name), escapeToOneLine(serverWords(server))]))
  const shown = states.map((line, index) => (servers[index]?.state === 'ready' ? line : warn(line)))
  printPage(
    terminal,
    ...rows,
    ...troubles.map(trouble => warn(`  ${escapeToOneLine(trouble)}`)),
    ...(servers.length === 0 ? [] : ['', '  MCP servers:', ...shown]),
    ...(unasked === undefined ? [] : ['', warn(`  The MCP servers were not asked: ${escapeToOneLine(unasked)}`)]),
    '',
    dim('  tools.approve in the settings decides what asks; "turnwise grants" lists what a person allowed for longer'),
  )
}

/** Tells a person why nothing happens while servers start. */
function tellOfStarting({ stderr }: Terminal, names: readonly string[]): void {
  if (stderr.isTTY === true) stderr.write(`turnwise: starting ${counted(names.length, 'MCP server')}, 5 seconds at most …\n`)
}

const WORDS: Readonly<Record<ListedTool['approval'], string>> = { auto: 'runs', ask: 'asks', never: 'never runs' }
