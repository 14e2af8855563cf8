// What a person can connect: the vendors, servers on this computer, and any other compatible server.
import {
  type ConnectedProvider,
  keyPageOf,
  type ProviderList,
  type ProviderTemplate,
  providerTitle,
  TEMPLATES,
  VENDORS,
} from '../../../src/model/connectable-providers.ts'

/** One thing to connect, with what is known of it. */
export type ConnectTarget = {
  /** Empty if the person names it. */
  readonly name: string
  readonly title: string
  /** Null until it was connected once, or while providers were not read. */
  readonly provider: ConnectedProvider | null
  readonly baseURL: string
  readonly needsKey: boolean
  readonly keyPage: string | null
  /** Whether its address is the person's own, and not the vendor's. */
  readonly hasOwnAddress: boolean
}

/** A compatible server that is not known in advance. */
export const OTHER_SERVER = ''

/** A gateway lists only those that are not connected yet; what the others need is known all the same. */
function templatesIn(listed: ProviderList | null): readonly ProviderTemplate[] {
  const given = listed?.templates ?? []
  return [
    ...TEMPLATES.map(known => given.find(({ name }) => name === known.name) ?? known),
    ...given.filter(({ name }) => !TEMPLATES.some(known => known.name === name)),
  ]
}

export type ConnectTargets = { readonly hosted: readonly ConnectTarget[]; readonly local: readonly ConnectTarget[] }

/** Everything on offer: what needs a key, and what runs on a computer of one's own. */
export function connectTargets(listed: ProviderList | null): ConnectTargets {
  const { items = [] } = listed ?? {}
  const templates = templatesIn(listed)
  const fixed = new Set<string>([...VENDORS.map(({ name }) => name), 'ollama', ...templates.map(({ name }) => name)])
  const target = (name: string): ConnectTarget => targetOf(listed, name)
  return {
    hosted: [...VENDORS, ...templates.filter(({ isLocal }) => !isLocal)].map(({ name }) => target(name)),
    local: [
      target('ollama'),
      ...templates.filter(({ isLocal }) => isLocal).map(({ name }) => target(name)),
      ...items.filter(({ name }) => !fixed.has(name)).map(({ name }) => target(name)),
      target(OTHER_SERVER),
    ],
  }
}

export function targetOf(listed: ProviderList | null, name: string): ConnectTarget {
  const { items = [] } = listed ?? {}
  const templates = templatesIn(listed)
  const provider = items.find(one => one.name === name) ?? null
  const known = templates.find(one => one.name === name)
  const vendor = VENDORS.find(one => one.name === name)
  const title = provider?.title ?? known?.title ?? providerTitle(name)
  return {
    name,
    title: name === OTHER_SERVER ? 'Other server' : title,
    provider,
    baseURL: provider?.baseURL ?? known?.baseURL ?? (name === 'ollama' ? 'http://127.0.0.1:11434' : ''),
    needsKey: known?.needsKey ?? provider?.needsKey ?? vendor !== undefined,
    keyPage: known?.keyPage ?? keyPageOf(name),
    hasOwnAddress: vendor === undefined && known?.isLocal !== false,
  }
}
