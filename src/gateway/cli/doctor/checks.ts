/** Checks Node, SQLite, the workspace, the database and the page. */
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import type { Fault } from '../../../model/fault.ts'
import type { Result } from '../../../model/result.ts'
import { remarkOn } from '../../workspace/agents.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { counted } from '../output/phrase.ts'
import { runningGateway } from '../talk/attached.ts'

/** The result of one check. A result that is not ok comes with its remedy. */
export type HealthCheck = {
  readonly name: string
  readonly state: 'ok' | 'warn' | 'bad'
  readonly found: string
  readonly remedy?: string
}

const LEAST_NODE = 24
const LEAST_SQLITE = [3, 51, 3] as const
const PAGE_FILE = fileURLToPath(new URL('../../../../web/dist/index.html', import.meta.url))

export function nodeCheck(): HealthCheck {
  const found = process.versions.node
  if (Number.parseInt(found, 10) >= LEAST_NODE) return { name: 'Node', state: 'ok', found }
  return { name: 'Node', state: 'bad', found, remedy: `use Node ${LEAST_NODE} or newer; "npm ci" in the clone brings one` }
}

export function sqliteCheck(): HealthCheck {
  const found = process.versions.sqlite ?? 'none'
  const have = found.split('.').map(Number)
  const difference = LEAST_SQLITE.map((least, index) => (have[index] ?? 0) - least).find(step => step !== 0) ?? 0
  if (difference >= 0) return { name: 'SQLite', state: 'ok', found }
  return { name: 'SQLite', state: 'bad', found, remedy: `${LEAST_SQLITE.join('.')} or newer comes with Node 26` }
}

export function workspaceChecks(opened: Result<Workspace, Fault>): readonly HealthCheck[] {
  if (!opened.ok && opened.fault.kind === 'not-found') {
    return [{ name: 'workspace', state: 'warn', found: 'none yet', remedy: opened.fault.message }]
  }
  // The checks of the database say what is wrong with it; this is what a start would say.
  if (!opened.ok && opened.fault.kind === 'store')
    return [{ name: 'workspace', state: 'bad', found: opened.fault.message, remedy: 'see to the database or the folder' }]
  if (!opened.ok) {
    return [{ name: 'settings', state: 'bad', found: opened.fault.message, remedy: 'mend the setting; every key is optional' }]
  }
  const { model, policy } = opened.value.settings
  const remark = remarkOn(opened.value.agents)
  return [
    workspaceCheck(opened.value.home),
    { name: 'settings', state: 'ok', found: `model ${model}, policy ${policy}` },
    ...(remark === undefined
      ? []
      : [
          {
            name: 'agents',
            state: 'warn' as const,
            found: remark,
            remedy: 'nothing has to be done; take those keys out, if you like',
          },
        ]),
  ]
}

function workspaceCheck(home: string): HealthCheck {
  try {
    accessSync(home, constants.R_OK | constants.W_OK)
  } catch {
    return {
      name: 'workspace',
      state: 'bad',
      found: `${home} cannot be written`,
      remedy: 'give it to the user who runs Turnwise',
    }
  }
  if ((statSync(home).mode & 0o077) === 0) return { name: 'workspace', state: 'ok', found: home }
  return { name: 'workspace', state: 'warn', found: `${home} is open to other users`, remedy: `chmod 700 ${home}` }
}

export async function databaseChecks({ database }: Workspace): Promise<readonly HealthCheck[]> {
  const name = 'database'
  if (!existsSync(database)) return [{ name, state: 'ok', found: `none yet; the first start makes ${basename(database)}` }]
  try {
    const db = new DatabaseSync(database, { readOnly: true, timeout: 1000 })
    try {
      const { sessions } = db.prepare('select count(*) as sessions from sessions').get() as { sessions: number }
      const { events } = db.prepare('select count(*) as events from events').get() as { events: number }
      const found = `${basename(database)}, ${counted(sessions, 'session')}, ${counted(events, 'event')}`
      return [{ name, state: 'ok', found }, integrityCheck(db)]
    } finally {
      db.close()
    }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    return [
      { name, state: 'bad', found: `${database}: ${why}`, remedy: 'restore a backup, or move the file away to start afresh' },
    ]
  }
}

function integrityCheck(db: DatabaseSync): HealthCheck {
  const name = 'integrity'
  const [first] = db.prepare('pragma quick_check(1)').all() as { quick_check: string }[]
  if (first?.quick_check === 'ok') return { name, state: 'ok', found: 'the quick check found nothing wrong' }
  const found = first?.quick_check ?? 'the quick check gave no answer'
  return { name, state: 'bad', found, remedy: 'stop the gateway and restore a backup; "turnwise verify" says what still holds' }
}

export async function gatewayCheck({ home, settings }: Workspace): Promise<HealthCheck> {
  const running = await runningGateway(home)
  if (running !== undefined) return { name: 'gateway', state: 'ok', found: `running at ${running.url}, process ${running.pid}` }
  const { host, port } = settings.gateway
  const trouble = await listenTrouble(host, port)
  const place = port === 0 ? 'any free port will do' : `${host}:${port} is free`
  if (trouble === undefined) return { name: 'gateway', state: 'ok', found: `not running; ${place}` }
  const remedy =
    trouble === 'EADDRINUSE' ? 'stop that program, or choose another with TURNWISE_PORT' : 'check gateway.host and gateway.port'
  return { name: 'gateway', state: 'bad', found: `${host}:${port} cannot be used (${trouble})`, remedy }
}

function listenTrouble(host: string, port: number): Promise<string | undefined> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', (cause: NodeJS.ErrnoException) => resolve(cause.code ?? cause.message))
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
}

export function pageCheck(): HealthCheck {
  if (existsSync(PAGE_FILE)) return { name: 'page', state: 'ok', found: 'built' }
  return { name: 'page', state: 'warn', found: 'not built', remedy: `"npm start" in ${join(PAGE_FILE, '../../..')} builds it` }
}
