/** Lists the tools there are now and how the MCP servers are: asks the running gateway, or starts the servers for a moment. */
import { existsSync } from 'node:fs'
import { type Engine, type ListedTool, type McpStatus, memoryEngine, openEngine } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import type { Environment } from '../../workspace/settings.ts'
import type { GatewayAddress, Workspace } from '../../workspace/workspace.ts'
import { engineOptions } from '../../workspace-engine.ts'
import { gatewayCall, runningGateway } from './attached.ts'
import { statelessEngine } from './own-engine.ts'

/** How a server is now. Its command and its address stay out, because people may have written secrets into them. */
export type ServerNow = Pick<McpStatus, 'name' | 'kind' | 'state' | 'message' | 'tools'>

export type EquipmentNow = {
  readonly tools: readonly ListedTool[]
  readonly servers: readonly ServerNow[]
  /** Why the servers could not be asked, so that their tools are missing. */
  readonly unasked?: string
}

/** Called when servers are started here, because they may take some seconds. */
type OnStart = (servers: readonly string[]) => void

/**
 * The lock of the database decides, as for every command that answers: if it is free, no gateway runs, and the servers are
 * started here. They are started only with the lock, so that no server ever runs twice, and all of them are ended again.
 */
export async function equipmentNow(
  workspace: Workspace,
  environment: Environment,
  onStart?: OnStart,
): Promise<Result<EquipmentNow, Fault>> {
  const names = Object.keys(workspace.settings.mcp)
  const asked = workspace.shared === undefined ? undefined : await runningGateway(workspace.home)
  // A store that several nodes share has no lock that would say whether a gateway runs here.
  if (asked !== undefined) return askedOf(asked)
  const own = names.length === 0 ? undefined : await engineWithServers(workspace, environment)
  if (own?.ok === true) {
    onStart?.(names)
    return ok(await listedOnce(own.value))
  }
  const gateway = await runningGateway(workspace.home)
  if (gateway !== undefined) return askedOf(gateway)
  const { tools } = await listedOnce(statelessEngine(workspace, environment))
  return ok({ tools, servers: [], ...(own === undefined ? {} : { unasked: own.fault.message }) })
}

/** Neither makes a database nor brings one up to date: a command that only looks leaves that to the gateway. */
async function engineWithServers(workspace: Workspace, environment: Environment): Promise<Result<Engine, Fault>> {
  const options = () => engineOptions(workspace, environment, { withServers: true })
  // The servers are asked, and nothing is written; so nodes that share a store are left alone.
  if (workspace.shared !== undefined || !existsSync(workspace.database)) return ok(memoryEngine(options()))
  const readable = await openEngine(workspace.database, { readOnly: true })
  if (!readable.ok) return readable
  await readable.value.close(0)
  return openEngine(workspace.database, options())
}

/** The tools are listed when every server has answered or failed, and after a few seconds in any case. */
async function listedOnce(engine: Engine): Promise<EquipmentNow> {
  try {
    return { tools: await engine.tools(), servers: (engine.servers()?.list() ?? []).map(serverNow) }
  } finally {
    await engine.close(0)
  }
}

const serverNow = ({ name, kind, state, message, tools }: ServerNow): ServerNow => ({ name, kind, state, message, tools })

async function askedOf(gateway: GatewayAddress): Promise<Result<EquipmentNow, Fault>> {
  const [tools, servers] = await Promise.all([
    itemsAt<ListedTool>(gateway, '/tools'),
    // A gateway of an older version has no list of servers.
    itemsAt<ServerNow>(gateway, '/mcp'),
  ])
  if (!tools.ok) return tools
  return ok({
    tools: tools.value,
    servers: servers.ok ? servers.value.map(serverNow) : [],
    ...(servers.ok ? {} : { unasked: servers.fault.message }),
  })
}

/** The gateway is our own program, so the items have the shape that its engine returned. */
async function itemsAt<Item>(gateway: GatewayAddress, path: string): Promise<Result<readonly Item[], Fault>> {
  const answered = await gatewayCall(gateway, 'GET', path)
  if (!answered.ok) return answered
  const { items } = (await answered.value.json().catch(() => ({}))) as { items?: unknown }
  return Array.isArray(items) ? ok(items) : err(fault('garbled', 'the gateway did not answer as expected'))
}
