// Words for models, providers and prices.
import type { ModelRow, ProviderRow } from '../wire/workspace-api.ts'

/** Who is asked for a model: the first part of its name; of a server of one's own, the second. */
export function providerOf(model: string): string {
  const [kind = '', name = ''] = model.split('/')
  return kind === 'compatible' ? name : kind
}

const TITLES: Readonly<Record<string, string>> = {
  demo: 'Demo',
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  openrouter: 'OpenRouter',
  ollama: 'Ollama',
}

export const providerTitle = (name: string): string => TITLES[name] ?? name

export type Provided = {
  readonly provider: ProviderRow
  readonly models: readonly ModelRow[]
}

/** Providers with their models, those first that can be asked; an unlisted provider is derived from its models. */
export function provided(models: readonly ModelRow[], providers: readonly ProviderRow[]): readonly Provided[] {
  const named = new Map(providers.map(provider => [provider.name, provider]))
  const names = [...new Set([...models.map(({ name }) => providerOf(name)), ...named.keys()])]
  const all = names.map((name): Provided => {
    const own = models.filter(model => providerOf(model.name) === name)
    return { provider: named.get(name) ?? inferred(name, own), models: own }
  })
  return [...all.filter(({ provider }) => provider.ready), ...all.filter(({ provider }) => !provider.ready)]
}

function inferred(name: string, models: readonly ModelRow[]): ProviderRow {
  const isReady = models.some(({ ready }) => ready)
  return { name, ready: isReady, needs: isReady ? null : (models[0]?.needs ?? null), baseURL: '' }
}

/** What to do so that a provider can be asked: a sentence, and what can be copied. */
export type Remedy = {
  readonly words: string
  readonly snippets: readonly { readonly where: string; readonly text: string }[]
}

export function remedyOf({ name, needs }: ProviderRow): Remedy | null {
  if (needs === null) return null
  if (isVariable(needs))
    return {
      words: `Needs a key. Set ${needs} where Turnwise is started, then start it again; or name the variable in the settings.`,
      snippets: [
        { where: 'In the shell', text: `export ${needs}=…` },
        { where: 'In turnwise.json', text: settings({ providers: { [name]: { apiKey: `$${needs}` } } }) },
      ],
    }
  if (name === 'ollama')
    return {
      words: 'No Ollama answers. Start it, or say where it runs.',
      snippets: [
        { where: 'Start it', text: 'ollama serve' },
        { where: 'Or say where it runs', text: 'export OLLAMA_HOST=http://127.0.0.1:11434' },
        { where: 'Or in turnwise.json', text: settings({ providers: { ollama: { baseURL: 'http://127.0.0.1:11434' } } }) },
      ],
    }
  if (needs.startsWith('providers.'))
    return {
      words: `Needs a key. Set ${needs} in turnwise.json; a variable is named with a $ before it.`,
      snippets: [{ where: 'In turnwise.json', text: settings({ providers: { [name]: { apiKey: '$MY_KEY' } } }) }],
    }
  return { words: `Needs ${needs}.`, snippets: [] }
}

/** Why a model cannot be asked yet, in a few words. */
export const modelNeedWords = (needs: string | null | undefined): string =>
  needs === null || needs === undefined ? '' : isVariable(needs) ? `set ${needs}` : `needs ${needs}`

const isVariable = (needs: string): boolean => /^[A-Z][A-Z0-9_]*$/.test(needs)

const settings = (value: object): string => JSON.stringify(value, null, 2)

/** Dollars for a million tokens in and out; nothing known is a dash, and nothing to pay is said in words. */
export function modelPriceWords({ price }: Pick<ModelRow, 'price'>): string {
  if (price === null) return '–'
  return price.input === 0 && price.output === 0 ? 'free' : `${rate(price.input)} in, ${rate(price.output)} out`
}

/** Of a price, every digit counts. */
const rate = (usd: number): string =>
  `$${usd.toLocaleString('en-US', { minimumFractionDigits: Number.isInteger(usd) ? 0 : 2, maximumFractionDigits: 6 })}`

/** What a model can take and do, beside text. */
export const abilitiesOf = ({ images, files, thinking, tools }: ModelRow): readonly string[] =>
  Object.entries({ images, files, thinking, tools })
    .filter(([, can]) => can)
    .map(([name]) => name)

/** Whether every word of a filter is found in a model's description. */
export function isWanted(model: ModelRow, filter: string): boolean {
  const known = [model.name, providerTitle(providerOf(model.name)), ...abilitiesOf(model), model.ready ? 'ready' : ''].join(' ')
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every(word => known.toLowerCase().includes(word))
}
