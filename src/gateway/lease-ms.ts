/** How long a session, or a channel, stays with a node that says nothing any more: TURNWISE_LEASE_MS. */
import type { Environment } from './variables.ts'

/** A busy machine may pause for some hundred milliseconds. A session whose node died waits for as long as a lease lasts. */
const LEAST_MS = 500
const MOST_MS = 600_000

/** What the environment says; undefined if nothing, or if it is wrong. */
export function leaseMs({ TURNWISE_LEASE_MS: given }: Environment): number | undefined {
  const ms = given !== undefined && /^\d{1,9}$/.test(given) ? Number(given) : undefined
  return ms === undefined || ms < LEAST_MS || ms > MOST_MS ? undefined : ms
}

/** What is wrong with it, in one line. */
export function wrongLeaseMs(environment: Environment): string | undefined {
  const { TURNWISE_LEASE_MS: given = '' } = environment
  if (given === '' || leaseMs(environment) !== undefined) return undefined
  return `TURNWISE_LEASE_MS: "${given}" is not a time for a lease; use whole milliseconds from ${LEAST_MS} to ${MOST_MS}`
}
