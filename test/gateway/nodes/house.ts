/** Several gateways on one PostgreSQL, each with connections, an engine and a port of its own. */
import assert from 'node:assert/strict'
import { weigh } from '../../../src/index.ts'
import { postgresLog } from '../../../src/log/postgres/postgres-log.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import type { Scope } from '../../support/gateway.ts'
import { startGateway, type TestGateway, type TestGatewayOptions } from '../../support/gateway.ts'
import { postgresUrl } from '../../support/postgres.ts'
import { type Client, clientOf } from '../http/client.ts'

export type HouseNode = TestGateway & { readonly client: Client }

/** Starts them; where `options` is a function, each node has its own. */
export async function startNodes(
  t: Scope,
  count: number,
  options: TestGatewayOptions | ((index: number) => TestGatewayOptions) = {},
): Promise<readonly HouseNode[]> {
  const url = await postgresUrl(t)
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const log = await postgresLog({ url, clock: Date.now, weigh, connections: 4 })
      assert.ok(log.ok, log.ok ? '' : log.fault.message)
      const given = typeof options === 'function' ? options(index) : options
      const { storing = same => same, ...rest } = given
      const gateway = await startGateway(t, { vectorsFile: null, ...rest, inMemory: true, storing: () => storing(log.value) })
      return { ...gateway, client: clientOf(gateway.url) }
    }),
  )
}

/** Two or three nodes by name, as tests need them. */
export async function startPair(t: Scope, options?: Parameters<typeof startNodes>[2]): Promise<readonly [HouseNode, HouseNode]> {
  const [one, other] = await startNodes(t, 2, options)
  assert.ok(one !== undefined && other !== undefined)
  return [one, other]
}

export async function startThree(
  t: Scope,
  options?: Parameters<typeof startNodes>[2],
): Promise<readonly [HouseNode, HouseNode, HouseNode]> {
  const [one, other, third] = await startNodes(t, 3, options)
  assert.ok(one !== undefined && other !== undefined && third !== undefined)
  return [one, other, third]
}

/** The id of a session by its path. */
export const idOf = (session: string): SessionId => session.slice('/api/sessions/'.length) as SessionId
