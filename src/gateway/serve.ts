// Starts a gateway on a workspace.
import { fileURLToPath } from 'node:url'
import { type Engine, openEngine } from '../engine.ts'
import type { Fault } from '../model/fault.ts'
import { ok, type Result } from '../model/result.ts'
import { debugLines } from './debug-lines.ts'
import { createMetrics } from './http/metrics.ts'
import { loadPage } from './http/page.ts'
import { type Gateway, openGateway } from './http/server.ts'
import { type Channels, openChannels } from './open-channels.ts'
import { listedDefaults } from './usual.ts'
import type { Environment } from './workspace/settings.ts'
import { removeGatewayAddress, type Workspace, writeGatewayAddress } from './workspace/workspace.ts'
import { engineOptions } from './workspace-engine.ts'

export type Serving = { readonly url: string; readonly stop: () => Promise<void> }

export type ServeOptions = {
  readonly workspace: Workspace
  readonly environment: Environment
  readonly onBug: (cause: unknown) => void
  /** Told once of everything an operator should mend while the gateway goes on. */
  readonly onTrouble?: (message: string) => void
  /** Told what is worth knowing only to somebody who looks for a fault. */
  readonly onDetail?: (line: string) => void
}

/** All of shutting down has to fit into this. */
const GRACE_MS = 8000

const PAGE_FOLDER = fileURLToPath(new URL('../../web/dist', import.meta.url))

/** Starts a gateway on a workspace: recovers what a crash left, opens the door, says where it is. */
export async function serve({
  workspace,
  environment,
  onBug,
  onTrouble,
  onDetail,
}: ServeOptions): Promise<Result<Serving, Fault>> {
  const { home, settings, agents, councils, projects, database } = workspace
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
  const agentsTrouble = toldOnce(agents.trouble, tell)
  const councilsTrouble = toldOnce(councils.trouble, tell)
  const engine = await openEngine(database, {
    ...options,
    agents: () => {
      agentsTrouble()
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
  // Nobody waits for it: what a server on this machine says of its models is there for the first turn, or for the next.
  models().catch(onBug)
  let channels: Channels | undefined
  const openDoor = async (): Promise<Gateway> => {
    const opened = await openChannels(settings.channels, { engine: engine.value, onTrouble: tell, onBug })
    channels = opened
    return openGateway({
      ...(opened.telegram === undefined ? {} : { telegram: opened.telegram }),
      engine: engine.value,
      agents,
      councils,
      projects,
      usual: listedDefaults(settings),
      settings: settings.gateway,
      metrics,
      page: loadPage(PAGE_FOLDER),
      onBug,
      troubles: () => [agentsTrouble(), councilsTrouble(), ...opened.troubles(), ...unready()].filter(each => each !== undefined),
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
      removeGatewayAddress(home)
      // It can no longer write down what it sends once the engine is closed; what is being said then is shown after the next start.
      await channels?.stop()
      // The engine first: readers still hear how the running turns end.
      await engine.value.close(GRACE_MS)
      await close()
    },
  })
}

/** Whatever keeps the door shut, an engine that nobody can reach is closed again; its threads would hold the process. */
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

/** Whoever asks for the trouble gets it; the operator is told only when it is another. */
function toldOnce(find: () => string | undefined, tell: (message: string) => void): () => string | undefined {
  let told: string | undefined
  return () => {
    const trouble = find()
    const isNew = trouble !== told
    told = trouble
    if (isNew && trouble !== undefined) tell(trouble)
    return trouble
  }
}
