/** Checks what settings say of models, and shows models and providers to every door. */
import type { CatalogSetting, Engine, Listed, ListedProvider } from '../../engine.ts'
import { type ReplySettings, refusedSampling, type SamplingKey, wantsThinking } from '../../model/sampling.ts'
import type { Settings } from '../../model/settings/config.ts'
import { catalogued } from '../../provider/catalog/catalog.ts'
import { HOSTED_NAMES } from '../../provider/providers.ts'

/** What the settings add to the publicly known models. */
export const catalogOf = ({ models, providers }: Pick<Settings, 'models' | 'providers'>): CatalogSetting => ({
  models,
  servers: Object.keys(providers).filter(name => !HOSTED_NAMES.includes(name)),
})

/** Everything that is wrong with the models in the settings, one line each. */
export function modelsWrong(catalog: CatalogSetting): readonly string[] {
  return Object.entries(catalog.models).flatMap(([name, setting]) => {
    const entry = catalogued(name, catalog)
    if (!entry.ok) return [`models."${name}": ${entry.fault.message}`]
    const { window, output } = entry.value.facts
    if (output === undefined || output < window) return []
    return setting.output === undefined
      ? [`models."${name}".window: ${window} has no room for its replies, which may have ${output}; set output to less`]
      : [`models."${name}".output: ${output} leaves no room for a request: the window is ${window}`]
  })
}

/** Why a model with this name cannot be asked, or undefined. */
export function whyNoModel(name: string, catalog: CatalogSetting): string | undefined {
  const entry = catalogued(name, catalog)
  return entry.ok ? undefined : entry.fault.message
}

/** Why a model cannot give a reply of this many tokens, or undefined. */
export function whyNoRoom(reserve: number, model: string, catalog: CatalogSetting): string | undefined {
  const entry = catalogued(model, catalog)
  const window = entry.ok ? entry.value.facts.window : Number.POSITIVE_INFINITY
  return reserve < window ? undefined : `${reserve} leaves no room for a request: the window of "${model}" is ${window}`
}

/** Why a model cannot be asked with an agent's or advisor's sampling, and which setting it is about. */
export function whyNotSampled(
  settings: ReplySettings,
  model: string,
  catalog: CatalogSetting,
): { readonly key: SamplingKey; readonly why: string } | undefined {
  const { sampling, thinking } = settings
  if (sampling === undefined || sampling === null) return undefined
  const { effort } = sampling
  if (effort !== undefined && typeof thinking === 'boolean' && thinking !== (effort !== 'none'))
    return { key: 'effort', why: `"${effort}" and "thinking": ${thinking} exclude each other; leave one of them out` }
  const entry = catalogued(model, catalog)
  const refused = entry.ok ? refusedSampling(sampling, entry.value.facts, sampling, wantsThinking(settings)) : undefined
  return refused === undefined ? undefined : { key: refused.key, why: `"${model}" ${refused.why}; take it out` }
}

/** Why a model cannot run under a budget, or undefined. */
export function whyNoPrice(model: string, catalog: CatalogSetting): string | undefined {
  const entry = catalogued(model, catalog)
  if (!entry.ok || entry.value.facts.price !== undefined) return undefined
  return `"${model}" has no price, so it cannot run under a budget; set models."${model}".price, or take limits.budgetUsdPerDay out`
}

/** A model as people choose it; null where a fact is unknown. */
export type ShownModel = Pick<Listed, 'name' | 'provider' | 'window' | 'images' | 'files' | 'thinking' | 'tools' | 'ready'> & {
  readonly output: number | null
  readonly price: NonNullable<Listed['price']> | null
  readonly needs?: string | undefined
}

export type ShownModels = { readonly items: readonly ShownModel[]; readonly default: string }

/** A provider as a page shows it. */
export type ShownProvider = {
  readonly name: string
  readonly ready: boolean
  readonly needs: string | null
  readonly baseURL: string
  readonly running?: boolean | undefined
}

/** Models in the form that every channel lists. */
export const shownModels = ({ items, default: standard }: Awaited<ReturnType<Engine['models']>>): ShownModels => ({
  items: items.map(shownModel),
  default: standard,
})

/** Providers as a page shows them: whether each could be asked now, what is missing if not, and its address. */
export const shownProviders = (providers: readonly ListedProvider[]): readonly ShownProvider[] =>
  providers.map(({ name, baseURL, isRunning, needs }) => ({
    name,
    ready: needs === undefined,
    needs: needs ?? null,
    baseURL: plainAddress(baseURL),
    running: isRunning,
  }))

/** The settings refuse an address with a secret in it. An address from elsewhere is shown without its secret. */
function plainAddress(address: string): string {
  if (!URL.canParse(address)) return ''
  const { origin, pathname } = new URL(address)
  return `${origin}${pathname}`.replace(/\/$/, '')
}

const shownModel = ({
  name,
  provider,
  window,
  output,
  price,
  images,
  files,
  thinking,
  tools,
  ready,
  needs,
}: Listed): ShownModel => ({
  name,
  provider,
  window,
  output: output ?? null,
  price: price ?? null,
  images,
  files,
  thinking,
  tools,
  ready,
  needs,
})
