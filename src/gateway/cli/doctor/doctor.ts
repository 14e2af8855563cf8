/** The doctor command: checks everything a gateway needs. */

import { enterWorkspace, storeNamed, storeOfEnvironment } from '../../workspace/enter-workspace.ts'
import type { Environment } from '../../workspace/settings.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { escapeToOneLine, jsonForTerminal } from '../output/escape-for-terminal.ts'
import { type Ink, inkFor } from '../output/ink.ts'
import { print, printPage, type Terminal } from '../output/terminal.ts'
import { databaseChecks, gatewayCheck, type HealthCheck, nodeCheck, pageCheck, sqliteCheck, workspaceChecks } from './checks.ts'
import { equipmentChecks } from './equipment-checks.ts'
import { postgresChecks, sharedChecks } from './postgres-checks.ts'
import { providerChecks } from './provider-checks.ts'
import { recallChecks } from './recall-checks.ts'
import { telegramChecks } from './telegram-checks.ts'

/** Checks everything a gateway needs, prints the results, and says how to fix what is wrong. */
export async function doctorCommand(terminal: Terminal, { json }: { readonly json?: boolean }): Promise<number> {
  const { environment } = terminal
  // A node that is new has no workspace yet, and asks here whether it reaches the database.
  const store = storeNamed(environment, { create: false }) ?? storeOfEnvironment(environment)
  const workspace = await enterWorkspace(environment, { create: false })
  const shared = store?.kind === 'postgres' ? await postgresChecks(store) : []
  const inside = workspace.ok ? await insideChecks(workspace.value, environment) : []
  const opened = workspaceChecks(workspace)
  const checks = [nodeCheck(), sqliteCheck(), ...opened, ...shared, ...inside, pageCheck()]
  const isWell = checks.every(check => check.state !== 'bad')
  if (json === true) print(terminal, jsonForTerminal({ ok: isWell, checks }))
  else printPage(terminal, ...page(checks, inkFor(terminal.stdout, environment)))
  return isWell ? 0 : 1
}

const insideChecks = async (workspace: Workspace, environment: Environment): Promise<readonly HealthCheck[]> => [
  ...(await providerChecks(workspace, environment)),
  ...(await equipmentChecks(workspace, environment)),
  ...(await telegramChecks(workspace, environment)),
  ...(workspace.shared === undefined ? await databaseChecks(workspace) : sharedChecks(workspace.shared)),
  ...(await recallChecks(workspace, environment)),
  await gatewayCheck(workspace),
]

function page(checks: readonly HealthCheck[], ink: Ink): readonly string[] {
  const width = Math.max(...checks.map(check => check.name.length))
  const indent = ' '.repeat(width + 10)
  const colour = { ok: ink.good, warn: ink.warn, bad: ink.bad }
  return checks.flatMap(({ state, name, found, remedy }) => [
    `  ${colour[state](state.padEnd(4))}  ${name.padEnd(width)}  ${escapeToOneLine(found)}`,
    ...(remedy === undefined ? [] : [`${indent}${ink.dim(`→ ${escapeToOneLine(remedy)}`)}`]),
  ])
}
