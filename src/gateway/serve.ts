import { fileURLToPath } from 'node:url'
import { demoProvider, type Engine, openEngine, workspaceHouse } from '../engine.ts'
import { type Fault, fault } from '../model/fault.ts'
import { err, ok, type Result } from '../model/result.ts'
import { createMetrics } from './http/metrics.ts'
import { loadPage } from './http/page.ts'
import { type Gateway, openGateway } from './http/server.ts'
import type { Environment } from './settings.ts'
import { removeRunFile, type Workspace, writeRunFile } from './workspace.ts'

export type Serving = { readonly url: string; readonly stop: () => Promise<void> }

export type ServeOptions = {
  readonly workspace: Workspace
  readonly environment: Environment
  readonly onBug: (cause: unknown) => void
}

/** All of shutting down has to fit into this. */
const GRACE_MS = 8000

const PAGE_FOLDER = fileURLToPath(new URL('../../web/dist', import.meta.url))

/** Starts a gateway on a workspace: recovers what a crash left, opens the door, says where it is. */
export async function serve({ workspace, environment, onBug }: ServeOptions): Promise<Result<Serving, Fault>> {
  const { home, settings, database } = workspace
  const metrics = createMetrics()
  const engine = await openEngine(database, {
    provider: demoProvider({ delayMs: demoDelayMs(environment) }),
    model: settings.model,
    policy: settings.policy,
    limits: settings.limits,
    house: workspaceHouse(home),
    observe: seen => {
      metrics.observe(seen)
      if (seen.type === 'bug') onBug(seen.cause)
    },
  })
  if (!engine.ok) return engine
  const openDoor = (): Promise<Gateway> =>
    openGateway({ engine: engine.value, settings: settings.gateway, metrics, page: loadPage(PAGE_FOLDER), onBug })
  const gateway = await begin(engine.value, settings.policy, openDoor)
  if (!gateway.ok) return gateway
  const { url, close } = gateway.value
  writeRunFile(home, { url, pid: process.pid, token: settings.gateway.token })
  return ok({
    url,
    stop: async () => {
      removeRunFile(home)
      // The engine first: readers still hear how the running turns end.
      await engine.value.close(GRACE_MS)
      await close()
    },
  })
}

/** Whatever keeps the door shut, an engine that nobody can reach is closed again; its threads would hold the process. */
async function begin(engine: Engine, policy: string, openDoor: () => Promise<Gateway>): Promise<Result<Gateway, Fault>> {
  let gateway: Gateway | undefined
  try {
    const known = engine.policies.map(({ name }) => name)
    if (!known.includes(policy)) return err(fault('invalid', `policy: there is no "${policy}"; known: ${known.join(', ')}`))
    const recovered = await engine.recover()
    if (!recovered.ok) return recovered
    gateway = await openDoor()
    return ok(gateway)
  } finally {
    if (gateway === undefined) await engine.close(GRACE_MS)
  }
}

function demoDelayMs(environment: Environment): number {
  const given = environment.TURNWISE_DEMO_DELAY_MS
  return given !== undefined && /^\d{1,6}$/.test(given) ? Number(given) : 15
}
