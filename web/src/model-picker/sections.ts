// Sorts models for the picker: favorites, recent ones, the rest by provider, and what could be connected.
import { type ProviderList, providerTitle } from '../../../src/model/connectable-providers.ts'
import type { ModelChoices } from '../store/model-choices.ts'
import type { ModelRow } from '../wire/workspace-api.ts'
import { isWanted, modelsByProvider, nameOfProvider } from '../words/model-words.ts'

export type PickerOption =
  /** No model of its own: the one that counts where none is chosen. */
  | { readonly kind: 'default'; readonly key: string; readonly label: string }
  | { readonly kind: 'model'; readonly key: string; readonly model: ModelRow; readonly isFavorite: boolean }
  /** A chosen model that is not in the list. */
  | { readonly kind: 'gone'; readonly key: string; readonly name: string }
  /** A provider whose models cannot be used yet. */
  | {
      readonly kind: 'connect'
      readonly key: string
      readonly provider: string
      readonly title: string
      readonly models: readonly string[]
    }

export type PickerSection = { readonly title: string; readonly options: readonly PickerOption[] }

/** A provider that can be connected, with the title that people know it by. */
export type Connectable = { readonly name: string; readonly title: string }

export type PickerInput = {
  readonly models: readonly ModelRow[]
  readonly choices: ModelChoices
  readonly query: string
  /** The chosen model; empty is the default. */
  readonly value: string
  /** How the default is called; null if a model must be chosen. */
  readonly defaultLabel: string | null
  /** Providers without a single usable model. */
  readonly connectable: readonly Connectable[]
}

/** Of a longer list, typing finds the rest. */
export const MOST_SHOWN = 200

export function pickerSections(input: PickerInput): readonly PickerSection[] {
  const { models, choices, query, value, defaultLabel } = input
  const isSearching = query.trim() !== ''
  const usable = models.filter(({ ready }) => ready)
  const found = usable.filter(model => isWanted(model, query))
  const option = (model: ModelRow): PickerOption => {
    return { kind: 'model', key: model.name, model, isFavorite: choices.favorites.includes(model.name) }
  }
  const named = (names: readonly string[]): readonly ModelRow[] =>
    names.flatMap(name => found.find(row => row.name === name) ?? [])
  const favorites = named(choices.favorites)
  const recent = isSearching ? [] : named(choices.recent).filter(row => !favorites.includes(row))
  const rest = found.filter(row => !favorites.includes(row) && !recent.includes(row))
  const isKnown = value === '' || usable.some(({ name }) => name === value)
  const top: readonly PickerOption[] = [
    ...(defaultLabel === null || (isSearching && !/^def/i.test(query.trim())) ? [] : [defaultOption(defaultLabel)]),
    ...(isKnown || isSearching ? [] : [{ kind: 'gone', key: `gone ${value}`, name: value } as const]),
  ]
  const sections: readonly PickerSection[] = [
    { title: '', options: top },
    { title: 'Favorites', options: favorites.map(option) },
    { title: 'Recent', options: recent.map(option) },
    ...modelsByProvider(rest).map(([name, rows]) => ({ title: titleIn(input.connectable, name), options: rows.map(option) })),
    { title: 'Connect', options: connectOptions(input) },
  ]
  return cutTo(
    sections.filter(({ options }) => options.length > 0),
    MOST_SHOWN,
  )
}

const defaultOption = (label: string): PickerOption => ({ kind: 'default', key: 'default', label })

const titleIn = (connectable: readonly Connectable[], name: string): string =>
  connectable.find(one => one.name === name)?.title ?? providerTitle(name)

/** Providers without a usable model; while searching, only those with something to find. */
function connectOptions({ models, connectable, query }: PickerInput): readonly PickerOption[] {
  const isReady = new Set(models.filter(({ ready }) => ready).map(nameOfProvider))
  return connectable
    .filter(({ name }) => !isReady.has(name))
    .flatMap(({ name, title }) => {
      const own = models.filter(model => !model.ready && nameOfProvider(model) === name)
      const found = own.filter(model => isWanted(model, query)).map(model => model.name)
      const isMeant = query.trim() === '' || title.toLowerCase().includes(query.trim().toLowerCase())
      if (found.length === 0 && !isMeant) return []
      return [{ kind: 'connect', key: `connect ${name}`, provider: name, title, models: found } as const]
    })
}

/** What is left out of the middle is found by typing; the last section stays. */
function cutTo(sections: readonly PickerSection[], most: number): readonly PickerSection[] {
  let room = most
  return sections.flatMap(({ title, options }) => {
    if (title === 'Connect') return [{ title, options }]
    const shown = options.slice(0, room)
    room -= shown.length
    return shown.length === 0 ? [] : [{ title, options: shown }]
  })
}

/** Everything that is listed but not ready, then the hosted services that are not connected yet. */
export function connectableProviders({ items, templates }: ProviderList): readonly Connectable[] {
  const known = new Set(items.map(({ name }) => name))
  return [...items, ...templates.filter(({ name, isLocal }) => !known.has(name) && !isLocal)].map(({ name, title }) => ({
    name,
    title,
  }))
}
