/** Checks a PostgreSQL store: whether it is reached, its version, rights, clock and connections, and what nodes do on it. */
import { type ExaminedDatabase, examineDatabase } from '../../../log/postgres/examine.ts'
import type { StoreAddress } from '../../../model/settings/store-address.ts'
import { isSealed } from '../../files/sealed-text.ts'
import type { SharedWorkspace } from '../../workspace/workspace.ts'
import { counted } from '../output/phrase.ts'
import type { HealthCheck } from './checks.ts'

/** PostgreSQL 15. */
const LEAST_VERSION = 150_000
const SLOW_MS = 50
const FAR_MS = 2000
/** What one gateway opens at most: its pool, the connection that listens, and those of the shared settings. */
const PER_NODE = 13

export async function postgresChecks({ url, title }: Extract<StoreAddress, { kind: 'postgres' }>): Promise<HealthCheck[]> {
  const found = await examineDatabase(url)
  if (!found.ok) {
    const remedy = 'check that the server runs, and the host, port, user, password and database in "store" or TURNWISE_STORE'
    return [{ name: 'database', state: 'bad', found: `${title}: ${found.fault.message}`, remedy }]
  }
  return [
    serverCheck(title, found.value),
    schemaCheck(found.value),
    rightsCheck(found.value),
    latencyCheck(found.value),
    listenCheck(found.value),
    clockCheck(found.value),
    connectionsCheck(found.value),
    leasesCheck(found.value),
  ]
}

function serverCheck(title: string, { version, versionNumber }: ExaminedDatabase): HealthCheck {
  const found = `${title}, PostgreSQL ${version}`
  if (versionNumber >= LEAST_VERSION) return { name: 'database', state: 'ok', found }
  return { name: 'database', state: 'bad', found, remedy: 'use PostgreSQL 15 or newer' }
}

function schemaCheck({ schema, schemaVersion, isHalfCopied, isTooNew, knownVersion, counts }: ExaminedDatabase): HealthCheck {
  const name = 'schema'
  if (counts === null || schemaVersion === null)
    return { name, state: 'ok', found: `${schema}: nothing yet; the first start makes the tables` }
  if (isHalfCopied)
    return {
      ...{ name, state: 'bad', found: `${schema}: only a part of a house; a copy into it was not finished` },
      remedy: 'run the same "turnwise copy" again, or empty the schema',
    }
  if (isTooNew)
    return {
      ...{ name, state: 'bad', found: `${schema}, version ${schemaVersion}; this Turnwise knows ${knownVersion}` },
      remedy: 'update this node: a newer Turnwise has used the database',
    }
  const found = `${schema}, version ${schemaVersion}, ${counted(counts.sessions, 'session')}, ${counted(counts.events, 'event')}`
  return { name, state: 'ok', found }
}

function rightsCheck({ missingRights }: ExaminedDatabase): HealthCheck {
  const name = 'rights'
  if (missingRights.length === 0) return { name, state: 'ok', found: 'the user may do everything that is needed' }
  const remedy = 'let the owner of the database grant that, and connect to the primary; docs/scale.md'
  return { name, state: 'bad', found: `the user lacks rights: ${missingRights.join('; ')}`, remedy }
}

function latencyCheck({ roundTripMs }: ExaminedDatabase): HealthCheck {
  const found = `${roundTripMs.toFixed(1)} ms for a round trip`
  if (roundTripMs < SLOW_MS) return { name: 'latency', state: 'ok', found }
  return {
    name: 'latency',
    state: 'warn',
    found,
    remedy: 'run gateways near the database: every step of a turn asks it a few times',
  }
}

function listenCheck({ hearsNotifications }: ExaminedDatabase): HealthCheck {
  const name = 'LISTEN'
  if (hearsNotifications === true) return { name, state: 'ok', found: 'notifications arrive' }
  if (hearsNotifications === null) return { name, state: 'ok', found: 'not used with pgbouncer=true; nodes ask every 250 ms' }
  const remedy = 'add pgbouncer=true to the address if a pooler is between'
  return { name, state: 'warn', found: 'notifications do not arrive; nodes ask every 250 ms', remedy }
}

function clockCheck({ clockAheadMs }: ExaminedDatabase): HealthCheck {
  const ms = Math.round(Math.abs(clockAheadMs))
  const found = `${ms} ms between this machine and the database`
  if (ms < FAR_MS) return { name: 'clock', state: 'ok', found }
  const remedy = 'set both clocks by NTP; leases go by the database, but times of messages by this machine'
  return { name: 'clock', state: 'warn', found, remedy }
}

function connectionsCheck({ connections: { used, allowed } }: ExaminedDatabase): HealthCheck {
  const found = `${used} of ${allowed} in use; a gateway needs up to ${PER_NODE}`
  if (allowed - used >= PER_NODE) return { name: 'connections', state: 'ok', found }
  return { name: 'connections', state: 'warn', found, remedy: 'raise max_connections, or put PgBouncer between (docs/scale.md)' }
}

function leasesCheck({ leases }: ExaminedDatabase): HealthCheck {
  const name = 'nodes'
  if (leases === null || leases.nodes === 0) return { name, state: 'ok', found: 'no node runs anything now' }
  const jobs = leases.jobs.length === 0 ? '' : `, ${leases.jobs.join(', ')}`
  return { name, state: 'ok', found: `${counted(leases.nodes, 'node')} at work: ${counted(leases.sessions, 'session')}${jobs}` }
}

/** The texts and keys that nodes share. */
export function sharedChecks({ texts }: SharedWorkspace): HealthCheck[] {
  const name = 'shared'
  const paths = [...texts.shared()].flatMap(([path, text]) => (text === null ? [] : path)).sort()
  const what = paths.length === 0 ? 'nothing was edited yet: files of this node count' : paths.join(', ')
  const keys = texts.canSeal ? 'keys are encrypted with TURNWISE_SECRET' : 'keys stay on each node: TURNWISE_SECRET is not set'
  const isUnread = !texts.canSeal && isSealed(texts.shared().get('secrets.json') ?? '')
  if (!isUnread) return [{ name, state: 'ok', found: `${what}; ${keys}` }]
  const found = `${what}; the keys in the database are encrypted, and this node cannot read them`
  return [{ name, state: 'warn', found, remedy: 'set TURNWISE_SECRET as on the other nodes' }]
}
