import { fileURLToPath } from 'node:url'
import { demoProvider, openEngine, workspaceHouse } from '../engine.ts'
import type { Fault } from '../model/fault.ts'
import { ok, type Result } from '../model/result.ts'
import { createMetrics } from './http/metrics.ts'
import { loadPage } from './http/page.ts'
import { openGateway } from './http/server.ts'
import type { Environment } from './settings.ts'
import { removeRunFile, type Workspace, writeRunFile } from './workspace.ts'

export type Serving = { readonly url: string; readonly stop: () => Promise<void> }

export type ServeOptions = {
  readonly workspace: Workspace
  readonly environment: Environment
  readonly onBug: (cause: unknown) => void
}

/** All of shutting down has to fit into this. */
const GRACE_MS = 9000

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
  const recovered = await engine.value.recover()
  if (!recovered.ok) return recovered
  const gateway = await openGateway({
    engine: engine.value,
    settings: settings.gateway,
    metrics,
    page: loadPage(PAGE_FOLDER),
    onBug,
  })
  writeRunFile(home, { url: gateway.url, pid: process.pid, token: settings.gateway.token })
  return ok({
    url: gateway.url,
    stop: async () => {
      removeRunFile(home)
      // The engine first: readers still hear how the running turns end.
      const closed = engine.value.close(GRACE_MS)
      await closed
      await gateway.close()
    },
  })
}

function demoDelayMs(environment: Environment): number {
  const given = environment.TURNWISE_DEMO_DELAY_MS
  return given !== undefined && /^\d{1,6}$/.test(given) ? Number(given) : 15
}
