// Connects providers through the running gateway, or in the workspace itself if none runs.

import type { ConnectedProvider, ProviderList } from '../../../model/connectable-providers.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import type { StoredProvider } from '../../settings/secrets-file.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { gatewayCall, runningGateway } from '../talk/attached.ts'
import type { GatewayCall } from '../talk/gateway-verbs.ts'

/** What the commands need of providers and settings, wherever they are kept. */
export type ProviderLink = {
  readonly list: () => Promise<Result<ProviderList, Fault>>
  readonly connect: (name: string, wanted: StoredProvider) => Promise<Result<ConnectedProvider, Fault>>
  readonly disconnect: (name: string) => Promise<Result<null, Fault>>
  /** Makes a model the default one. */
  readonly chooseModel: (model: string) => Promise<Result<null, Fault>>
}

/** A running gateway is asked, because its environment decides which key and address count. */
export async function providerLink(workspace: Workspace): Promise<ProviderLink> {
  const gateway = await runningGateway(workspace.home)
  return gateway === undefined ? ownLink(workspace) : gatewayLink((...call) => gatewayCall(gateway, ...call))
}

const ownLink = ({ connections, editable }: Workspace): ProviderLink => ({
  list: async () => ok(await connections.list()),
  connect: connections.connect,
  disconnect: connections.disconnect,
  chooseModel: async model => emptied(await editable.patch({ model })),
})

function gatewayLink(call: GatewayCall): ProviderLink {
  const asked = async <Value>(...request: Parameters<GatewayCall>): Promise<Result<Value, Fault>> => {
    const answered = await call(...request)
    if (!answered.ok) return answered
    // A proxy or an older gateway may answer with a page.
    const value = await answered.value.json().catch(() => undefined)
    return value === undefined ? err(fault('garbled', 'the gateway did not answer as expected')) : ok(value as Value)
  }
  const pathOf = (name: string): string => `/providers/${encodeURIComponent(name)}`
  return {
    list: () => asked('GET', '/providers'),
    connect: (name, wanted) => asked('PUT', pathOf(name), wanted),
    disconnect: async name => emptied(await call('DELETE', pathOf(name))),
    chooseModel: async model => emptied(await call('PATCH', '/settings', { model })),
  }
}

const emptied = (result: Result<unknown, Fault>): Result<null, Fault> => (result.ok ? ok(null) : result)
