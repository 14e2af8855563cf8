/** Starts a gateway on a workspace. */
import { fileURLToPath } from 'node:url'
import { type Engine, type Observation, openEngine } from '../engine.ts'
import type { Fault } from '../model/fault.ts'
import { ok, type Result } from '../model/result.ts'
import { createMetrics } from './http/metrics.ts'
import { loadPage } from './http/page.ts'
import { type Gateway, openGateway } from './http/server.ts'
import { leaseMs } from './lease-ms.ts'
import { type Channels, openChannels } from './open-channels.ts'
import { listedDefaults } from './usual.ts'
import { remarkOn } from './workspace/agents.ts'
import type { Environment } from './workspace/settings.ts'
import { removeGatewayAddress, type Workspace, writeGatewayAddress } from './workspace/workspace.ts'
import { engineOptions } from './workspace-engine.ts'

export type Serving = { readonly url: string; readonly stop: () => Promise<void> }

export type ServeOptions = {
  readonly workspace: Workspace
  readonly environment: Environment
  readonly onBug: (cause: unknown) => void
  /** Receives each problem that an operator should fix while the gateway keeps running, once. */
  readonly onTrouble?: (message: string) => void
  /** Receives details that matter only to an operator who looks for a fault. */
  readonly onDetail?: (line: string) => void
}

/** The whole shutdown must fit into this time. */
const GRACE_MS = 8000

const PAGE_FOLDER = fileURLToPath(new URL('../../web/dist', import.meta.url))

/** Starts a gateway on a workspace: recovers what a crash left, opens the HTTP server, and says where it is. */
export async function serve({
  workspace,
  environment,
  onBug,
  onTrouble,
  onDetail,
}: ServeOptions): Promise<Result<Serving, Fault>> {
  const { home, settings, live, editable, connections, agents, councils, projects, windows, memory, database, shared } = workspace
  const metrics = createMetrics()
  const tell = onTrouble ?? ((message: string) => onBug(new Error(message)))
  const {
    agents: agentsNow,
    councils: councilsNow,
    ...options
  } = engineOptions(workspace, environment, {
    withServers: true,
    onNews: line => tell(line),
  })
  const agentsTrouble = reportedOnce(agents.trouble, tell)
  const councilsTrouble = reportedOnce(councils.trouble, tell)
  const settingsTrouble = reportedOnce(live.trouble, tell)
  const sharedTrouble = reportedOnce(() => shared?.texts.trouble(), tell)
  const agentsRemark = reportedOnce(
    () => remarkOn(agents),
    line => onTrouble?.(line),
  )
  const engine = await openEngine(database, {
    ...options,
    agents: () => {
      agentsTrouble()
      agentsRemark()
      return agentsNow()
    },
    councils: () => {
      councilsTrouble()
      return councilsNow()
    },
    observe: seen => {
      metrics.observe(seen)
      if (onDetail !== undefined) for (const line of debugLines(seen)) onDetail(line)
      if (seen.type === 'bug') onBug(seen.cause)
    },
  })
  if (!engine.ok) return engine
  const { models, unready } = engine.value
  // Runs in the background: which providers answer, and the models of local servers, are known by the first turn or the next.
  connections.refresh().then(models).catch(onBug)
  let channels: Channels | undefined
  const openDoor = async (): Promise<Gateway> => {
    const opened = await openChannels(settings.channels, {
      ...{ engine: engine.value, onTrouble: tell, onBug },
      ...{ leases: shared?.leases, leaseMs: leaseMs(environment) },
    })
    channels = opened
    return openGateway({
      ...(opened.telegram === undefined ? {} : { telegram: opened.telegram }),
      engine: engine.value,
      agents,
      councils,
      projects,
      windows,
      memory,
      connections,
      editable,
      usual: () => listedDefaults(live.now()),
      settings: settings.gateway,
      metrics,
      page: loadPage(PAGE_FOLDER),
      onBug,
      troubles: () =>
        [
          ...[settingsTrouble(), agentsTrouble(), councilsTrouble(), sharedTrouble()],
          ...[...opened.troubles(), ...unready()],
        ].filter(each => each !== undefined),
    })
  }
  const gateway = await begin(engine.value, openDoor)
  if (!gateway.ok) return gateway
  const { url, close } = gateway.value
  const found = await writeGatewayAddress(home, { url, pid: process.pid, token: settings.gateway.token })
  if (!found.ok) {
    await engine.value.close(GRACE_MS)
    await close()
    return found
  }
  for (const line of unready()) tell(line)
  channels?.start()
  return ok({
    url,
    stop: async () => {
      removeGatewayAddress(home, process.pid)
      // Channels stop first, because they cannot record what they send once the engine is closed. They deliver the rest after
      // the next start.
      await channels?.stop()
      // The engine closes before the HTTP server, so that readers still hear how the running turns end.
      await engine.value.close(GRACE_MS)
      await close()
      await shared?.close()
    },
  })
}

/** Closes the engine if the HTTP server cannot open, because the engine's threads would keep the process alive. */
async function begin(engine: Engine, openDoor: () => Promise<Gateway>): Promise<Result<Gateway, Fault>> {
  let gateway: Gateway | undefined
  try {
    const recovered = await engine.recover()
    if (!recovered.ok) return recovered
    gateway = await openDoor()
    return ok(gateway)
  } finally {
    if (gateway === undefined) await engine.close(GRACE_MS)
  }
}

/** Returns the trouble on every call, and tells the operator only when it changes. */
function reportedOnce(find: () => string | undefined, tell: (message: string) => void): () => string | undefined {
  let reported: string | undefined
  return () => {
    const trouble = find()
    const isNew = trouble !== reported
    reported = trouble
    if (isNew && trouble !== undefined) tell(trouble)
    return trouble
  }
}

/** The debug lines about a request: how long its session is, and how much of it went in. */
function debugLines(seen: Observation): readonly string[] {
  if (seen.type !== 'planned') return []
  const { session, messages, receipt } = seen
  const included = receipt.in.reduce((sum, line) => sum + (line.count ?? 0), 0)
  return [
    `Session loaded: ID=${session}, MessageCount=${messages}`,
    included >= messages
      ? `Context: Including all ${messages} messages`
      : `Context: Including ${included} of ${messages} messages`,
  ]
}
