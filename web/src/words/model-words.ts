// Words for models, providers and prices.
import { providerTitle } from '../../../src/model/connectable-providers.ts'
import type { ModelRow } from '../wire/workspace-api.ts'

/** Who is asked for a model: the first part of its name; of a server of one's own, the second. */
export function providerOf(model: string): string {
  const [kind = '', name = ''] = model.split('/')
  return kind === 'compatible' ? name : kind
}

/** The name of a model's provider, as the gateway says it or as the model's name has it. */
export const nameOfProvider = ({ name, provider }: Pick<ModelRow, 'name' | 'provider'>): string => provider ?? providerOf(name)

/** Models by provider, in the order given; providers with a usable model come first. */
export function modelsByProvider(models: readonly ModelRow[]): readonly (readonly [string, readonly ModelRow[]])[] {
  const all = [...new Set(models.map(nameOfProvider))].map(
    name => [name, models.filter(model => nameOfProvider(model) === name)] as const,
  )
  const isReady = ([, own]: readonly [string, readonly ModelRow[]]): boolean => own.some(({ ready }) => ready)
  return [...all.filter(isReady), ...all.filter(each => !isReady(each))]
}

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

/** The same in the words of the model picker. */
export const seesWords = ({ images, files, tools, thinking }: ModelRow): readonly string[] =>
  Object.entries({ images, PDFs: files, tools, thinking })
    .filter(([, can]) => can)
    .map(([name]) => name)

/** Whether every word of a filter is found in a model's description. */
export function isWanted(model: ModelRow, filter: string): boolean {
  const known = [
    model.name,
    providerTitle(providerOf(model.name)),
    ...abilitiesOf(model),
    ...seesWords(model),
    model.ready ? 'ready' : '',
  ].join(' ')
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every(word => known.toLowerCase().includes(word))
}
