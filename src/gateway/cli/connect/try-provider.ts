// Tries a key and an address before anything is kept.
import { knownFacts } from '../../../provider/catalog/catalog.ts'
import { checkProvider, type ProviderCheck } from '../../../provider/catalog/model-list.ts'
import { descriptorNamed, HOSTED_NAMES } from '../../../provider/providers.ts'
import type { StoredProvider } from '../../settings/secrets-file.ts'
import { whyNoAddress, whyNoKey, whyNoProviderName } from '../../workspace/providers.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import type { ConnectChoice } from './targets.ts'

/** Why a provider cannot be connected like this, even before it is asked. */
export function whyNotTried({ name, present }: ConnectChoice, { apiKey, baseURL }: StoredProvider): string | undefined {
  return (
    whyNoProviderName(name) ??
    (apiKey === undefined ? undefined : whyNoKey(apiKey)) ??
    whyNoAddress(name, baseURL ?? present?.baseURL, apiKey === undefined ? [] : ['the key'])
  )
}

/** Asks the provider for its models. A key and headers that are for one address are never sent to another. */
export function tryProvider(workspace: Workspace, { name }: ConnectChoice, wanted: StoredProvider): Promise<ProviderCheck> {
  const { providers } = workspace.live.now()
  const setting = (Object.hasOwn(providers, name) ? providers[name] : undefined) ?? {}
  const descriptor = descriptorNamed(name)
  const { apiKey: _, headers: _headers, ...rest } = setting
  // By the settings of this process: a gateway may have another address, which the keys here are not for.
  const isElsewhere = wanted.baseURL !== undefined && wanted.baseURL !== (setting.baseURL ?? descriptor.baseURL)
  return checkProvider(name, descriptor, { ...(isElsewhere ? rest : setting), ...wanted })
}

/** The models of a check by the names that settings take; those that Turnwise knows come first. */
export function modelNames(name: string, check: ProviderCheck): readonly string[] {
  const names = [...check.models.keys()].map(model => fullName(name, model)).sort()
  const isKnown = (model: string): boolean => knownFacts(model) !== undefined
  return [...names.filter(isKnown), ...names.filter(model => !isKnown(model))]
}

/** Accepts a model by its full name and by the provider's own. */
export const fullName = (provider: string, model: string): string => {
  const prefix = HOSTED_NAMES.includes(provider) ? provider : `compatible/${provider}`
  return model.startsWith(`${prefix}/`) ? model : `${prefix}/${model}`
}
