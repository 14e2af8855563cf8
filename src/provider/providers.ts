/** The list of providers: a new one is a folder with a descriptor, and one line here. */
import { anthropic } from './anthropic/descriptor.ts'
import { demo } from './demo/descriptor.ts'
import type { ProviderDescriptor } from './descriptor.ts'
import { ollama } from './ollama/descriptor.ts'
import { compatible, openai, openrouter } from './openai-chat/descriptors.ts'

/** The providers, in the order in which people see them. */
export const PROVIDERS: readonly ProviderDescriptor[] = [demo, anthropic, openai, openrouter, compatible, ollama]

/** True for providers that need no address in the settings. */
export const isHosted = ({ baseURL }: ProviderDescriptor): boolean => baseURL !== undefined

export const HOSTED_NAMES: readonly string[] = PROVIDERS.filter(isHosted).map(({ name }) => name)

/** How a provider of this name is spoken to. A name that is not a vendor's is a compatible server. */
export const descriptorNamed = (provider: string): ProviderDescriptor =>
  PROVIDERS.find(each => each.name === provider && isHosted(each)) ?? compatible

/** The variables for keys and base URLs. Other programs must not see them. */
export const PROVIDER_VARIABLES: readonly string[] = PROVIDERS.flatMap(({ keyVariable, baseURLVariable }) =>
  [keyVariable, baseURLVariable].flatMap(variable => variable ?? []),
)
