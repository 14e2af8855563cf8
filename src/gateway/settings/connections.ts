/** Connects providers: keeps their keys, asks them for their models, and says how each of them answered. */
import { type ConnectedProvider, type ProviderList, providerTitle, TEMPLATES } from '../../model/connectable-providers.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { COMPATIBLE, readModelName } from '../../model/model-name.ts'
import type { ProviderSetting } from '../../model/provider.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Settings } from '../../model/settings/config.ts'
import { checkProvider, type ProviderCheck } from '../../provider/catalog/model-list.ts'
import { descriptorNamed, HOSTED_NAMES } from '../../provider/providers.ts'
import { whyNoAddress, whyNoKey, whyNoProviderName } from '../workspace/providers.ts'
import type { SecretsFile, StoredProvider } from './secrets-file.ts'

export type Connections = {
  /** All providers. Those that were not asked lately are asked first. */
  readonly list: () => Promise<ProviderList>
  /** Keeps a key or an address and asks the provider at once. It is kept also if the provider does not answer. */
  readonly connect: (name: string, wanted: StoredProvider) => Promise<Result<ConnectedProvider, Fault>>
  readonly check: (name: string) => Promise<Result<ConnectedProvider, Fault>>
  /** Forgets what `connect` kept. */
  readonly disconnect: (name: string) => Promise<Result<null, Fault>>
  /** How a provider answered last. */
  readonly checked: (name: string) => ProviderCheck | undefined
  /** Asks the providers that were not asked lately, and waits for their answers. */
  readonly refresh: () => Promise<void>
  /** Waits for a provider's first answer, half a second at most. */
  readonly learn: (name: string) => Promise<void>
}

const NOWHERE = fault('conflict', 'this gateway has no workspace to keep keys in')

/** Without a workspace nothing can be connected. */
export const NO_CONNECTIONS: Connections = {
  list: async () => ({ items: [], templates: TEMPLATES }),
  connect: async () => err(NOWHERE),
  check: async () => err(NOWHERE),
  disconnect: async () => err(NOWHERE),
  checked: () => undefined,
  refresh: async () => {},
  learn: async () => {},
}

export type ConnectionsOptions = {
  readonly settings: () => Settings
  readonly secrets: SecretsFile
  /** The models that agents, advisors and the settings name. A server in use cannot be disconnected. */
  readonly modelsInUse: () => readonly { readonly by: string; readonly model: string }[]
  readonly clock?: () => number
}

const FRESH_MS = 10 * 60_000
/** A provider that did not answer is asked again sooner: it may be a program that was just started. */
const RETRY_MS = 5000
const PATIENCE_MS = 500

type Checked = { readonly check: ProviderCheck; readonly at: number; readonly of: string }

export function openConnections({ settings, secrets, modelsInUse, clock = Date.now }: ConnectionsOptions): Connections {
  const done = new Map<string, Checked>()
  const running = new Map<string, { readonly of: string; readonly asked: Promise<ProviderCheck> }>()
  const settingOf = (name: string): ProviderSetting => {
    const { providers } = settings()
    return (Object.hasOwn(providers, name) ? providers[name] : undefined) ?? {}
  }
  const names = (): readonly string[] => [
    ...HOSTED_NAMES,
    ...Object.keys(settings().providers).filter(name => !HOSTED_NAMES.includes(name)),
  ]
  const last = (name: string): Checked | undefined => {
    const found = done.get(name)
    // An answer for another key or address says nothing.
    return found?.of === JSON.stringify(settingOf(name)) ? found : undefined
  }
  const ask = (name: string): Promise<ProviderCheck> => {
    const setting = settingOf(name)
    const of = JSON.stringify(setting)
    const now = running.get(name)
    if (now?.of === of) return now.asked
    const asked = checkProvider(name, descriptorNamed(name), setting)
      .then(check => {
        done.set(name, { check, at: clock(), of })
        return check
      })
      .finally(() => {
        if (running.get(name)?.asked === asked) running.delete(name)
      })
    running.set(name, { of, asked })
    return asked
  }
  const isFresh = (name: string): boolean => {
    const found = last(name)
    return found !== undefined && clock() - found.at < (found.check.state === 'unreachable' ? RETRY_MS : FRESH_MS)
  }
  const refresh = async (): Promise<void> => {
    await Promise.all(names().map(name => (isFresh(name) ? undefined : ask(name))))
  }
  const shown = (name: string): ConnectedProvider => {
    const setting = settingOf(name)
    const descriptor = descriptorNamed(name)
    const { apiKey, keyFrom = null, keyName } = setting
    const found = last(name)
    const isKept = Object.hasOwn(secrets.now().providers, name)
    const keyVariable = keyName ?? descriptor.keyVariable ?? null
    return {
      name,
      kind: descriptor.name,
      title: providerTitle(name),
      baseURL: setting.baseURL ?? descriptor.baseURL ?? '',
      hasKey: apiKey !== undefined,
      last4: apiKey === undefined || apiKey.length < 12 ? null : apiKey.slice(-4),
      keyFrom,
      keyVariable,
      addressFrom: setting.addressFrom ?? 'vendor',
      state: found?.check.state ?? 'unchecked',
      message: messageOf(found, { isKept, keyFrom, keyVariable }),
      models: modelsOf(name, descriptor.name, found),
      checkedAt: found === undefined ? null : new Date(found.at).toISOString(),
      needsKey: descriptor.keyVariable !== undefined || keyName !== undefined || needsKeyByTemplate(name),
      isRemovable: isKept,
    }
  }
  const isKnown = (name: string): boolean => names().includes(name)
  const whyInUse = (name: string): string | undefined => {
    if (HOSTED_NAMES.includes(name)) return undefined
    const user = modelsInUse().find(({ model }) => {
      const { kind, provider } = readModelName(model)
      return kind === COMPATIBLE && provider === name
    })
    return user === undefined ? undefined : `"${user.model}" is the model of ${user.by}; choose another model there first`
  }
  return {
    list: async () => {
      await refresh()
      return { items: names().map(shown), templates: TEMPLATES.filter(({ name }) => !isKnown(name)) }
    },
    connect: async (name, wanted) => {
      const wrong = whyNotConnected(name, wanted, settingOf(name), isKnown(name))
      if (wrong !== undefined) return err(wrong)
      const kept = await secrets.update(before => ({
        ...before,
        providers: { ...before.providers, [name]: joined(before.providers[name], wanted) },
      }))
      if (!kept.ok) return kept
      await ask(name)
      return ok(shown(name))
    },
    check: async name => {
      if (!isKnown(name)) return err(unknown(name))
      await ask(name)
      return ok(shown(name))
    },
    disconnect: async name => {
      if (!Object.hasOwn(secrets.now().providers, name))
        return err(isKnown(name) ? fault('conflict', elsewhere(shown(name))) : unknown(name))
      const used = whyInUse(name)
      if (used !== undefined) return err(fault('conflict', used))
      const kept = await secrets.update(before => {
        const { [name]: _, ...providers } = before.providers
        return { ...before, providers }
      })
      return kept.ok ? ok(null) : kept
    },
    checked: name => last(name)?.check,
    refresh,
    learn: async name => {
      if (last(name) !== undefined || !isKnown(name)) return
      const late = Promise.withResolvers<void>()
      const timer = setTimeout(late.resolve, PATIENCE_MS)
      await Promise.race([ask(name), late.promise])
      clearTimeout(timer)
    },
  }
}

const unknown = (name: string): Fault => fault('not-found', `there is no provider "${name}"`)

const needsKeyByTemplate = (name: string): boolean => TEMPLATES.some(each => each.name === name && each.needsKey)

/** A key belongs to its address: a new address without a key drops the old key. */
function joined(before: StoredProvider | undefined, { apiKey, baseURL }: StoredProvider): StoredProvider {
  if (baseURL !== undefined && apiKey === undefined && baseURL !== before?.baseURL) return { baseURL }
  return { ...before, ...(apiKey === undefined ? {} : { apiKey }), ...(baseURL === undefined ? {} : { baseURL }) }
}

function whyNotConnected(
  name: string,
  { apiKey, baseURL }: StoredProvider,
  { keyFrom, keyName, baseURL: present }: ProviderSetting,
  isKnown: boolean,
): Fault | undefined {
  const invalid = (key: string, why: string | undefined): Fault | undefined =>
    why === undefined ? undefined : fault('invalid', `${key}: ${why}`)
  if (apiKey === undefined && baseURL === undefined && !isKnown) return fault('invalid', 'give an apiKey, a baseURL, or both')
  if (baseURL !== undefined && apiKey === undefined && (keyFrom === 'environment' || keyFrom === 'file'))
    return fault(
      'conflict',
      `the key of ${name} comes from ${keyFrom === 'file' ? 'turnwise.json' : (keyName ?? 'the environment')} and goes only to ${present ?? 'its own address'}; give a key for the new address, too`,
    )
  const address = baseURL ?? present
  return (
    invalid('name', whyNoProviderName(name)) ??
    invalid('apiKey', apiKey === undefined ? undefined : whyNoKey(apiKey)) ??
    invalid('baseURL', whyNoAddress(name, address, apiKey === undefined ? [] : ['the key']))
  )
}

const elsewhere = ({ name, keyFrom, keyVariable }: ConnectedProvider): string =>
  keyFrom === 'environment'
    ? `${name} is connected by ${keyVariable ?? 'the environment'}; take the variable out and restart`
    : keyFrom === 'file' || !HOSTED_NAMES.includes(name)
      ? `${name} is connected in turnwise.json; take it out there`
      : `${name} is not connected`

type KeyPlace = { readonly isKept: boolean; readonly keyFrom: string | null; readonly keyVariable: string | null }

function messageOf(found: Checked | undefined, { isKept, keyFrom, keyVariable }: KeyPlace): string | null {
  const wins =
    isKept && keyFrom === 'environment'
      ? `${keyVariable ?? 'A variable'} is set in the environment and is used instead of the key that was entered`
      : null
  const said = found?.check.message ?? null
  return said === null ? wins : wins === null ? said : `${said}. ${wins}`
}

function modelsOf(name: string, kind: string, found: Checked | undefined): readonly string[] {
  const prefix = kind === COMPATIBLE ? `${COMPATIBLE}/${name}` : name
  return [...(found?.check.models.keys() ?? [])].map(model => `${prefix}/${model}`).sort()
}
