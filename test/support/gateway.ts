import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createMetrics } from '../../src/gateway/http/metrics.ts'
import { loadPage } from '../../src/gateway/http/page.ts'
import { type GatewayOptions, openGateway } from '../../src/gateway/http/server.ts'
import type { Councils } from '../../src/gateway/workspace/councils.ts'
import { createEngine, type Engine, type EngineOptions, type Log, memoryLog, sqliteLog, weigh } from '../../src/index.ts'
import { ok } from '../../src/model/result.ts'
import type { Settings } from '../../src/model/settings/config.ts'

/** A real gateway on a free loopback port, with a database of its own; both are gone when the test is. */
export type TestGateway = {
  readonly url: string
  readonly port: number
  readonly engine: Engine
  /** Its database. */
  readonly file: string
  /** What the gateway reported as its own mistakes. A test that is not over with all of them fails. */
  readonly bugs: unknown[]
}

export type TestGatewayOptions = Omit<EngineOptions, 'log'> &
  Pick<GatewayOptions, 'pace' | 'requestMs'> & {
    /** Where the gateway keeps councils. */
    readonly councilsFile?: Councils
    /** Where it keeps agents, projects, keys and settings. */
    readonly kept?: Pick<GatewayOptions, 'agents' | 'projects' | 'windows' | 'memory' | 'connections' | 'editable'>
    readonly settings?: Partial<Settings['gateway']>
    /** Whether its log is in memory instead, which begins sooner, where nothing depends on how it is kept. */
    readonly inMemory?: boolean
    /** The folder of a built page. */
    readonly page?: string
    /** The log that the engine gets instead: one that does not answer, for example. */
    readonly storing?: (log: Log) => Log
    /** The engine that the gateway gets instead: one in trouble, for example. */
    readonly instead?: (engine: Engine) => Engine
  }

/** A test, which says when it is over. */
export type Scope = Pick<TestContext, 'after'>

const SETTINGS: Settings['gateway'] = { host: '127.0.0.1', port: 0, token: null, hosts: [], origins: [], streams: 256 }

export async function startGateway(t: Scope, options: TestGatewayOptions = {}): Promise<TestGateway> {
  const {
    settings = {},
    page = 'no such folder',
    pace,
    requestMs,
    councilsFile,
    kept = {},
    inMemory = false,
    storing = log => log,
    instead = engine => engine,
    ...rest
  } = options
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-http-'))
  const file = join(folder, 'test.db')
  const { clock = Date.now } = rest
  const log = inMemory ? ok(memoryLog({ clock, weigh })) : await sqliteLog({ file, clock, weigh })
  assert.ok(log.ok)
  const bugs: unknown[] = []
  const metrics = createMetrics()
  const engine = createEngine({
    ...(councilsFile === undefined ? {} : { councils: councilsFile.now }),
    ...rest,
    // A machine that stands still for a moment is no store that is away.
    limits: { historyMs: 20_000, ...rest.limits },
    log: storing(log.value),
    observe: seen => {
      metrics.observe(seen)
      rest.observe?.(seen)
      if (seen.type === 'bug') bugs.push(seen.cause)
    },
  })
  const gateway = await openGateway({
    engine: instead(engine),
    settings: { ...SETTINGS, ...settings },
    metrics,
    page: loadPage(page),
    onBug: cause => bugs.push(cause),
    ...(pace === undefined ? {} : { pace }),
    ...(requestMs === undefined ? {} : { requestMs }),
    ...(councilsFile === undefined ? {} : { councils: councilsFile }),
    ...kept,
  })
  t.after(async () => {
    await engine.close(100)
    await gateway.close()
    rmSync(folder, { recursive: true, force: true })
    assert.deepEqual(bugs, [])
  })
  return { url: gateway.url, port: Number(new URL(gateway.url).port), engine, file, bugs }
}
