// The providers that the picker offers to connect.
import type { ListedProviders } from '../wire/providers-api.ts'
import type { Connectable } from './sections.ts'

/** Everything that is listed but not ready, then the hosted services that are not connected yet. */
export function connectableProviders({ items, templates }: ListedProviders): readonly Connectable[] {
  const known = new Set(items.map(({ name }) => name))
  return [...items, ...templates.filter(({ name, isLocal }) => !known.has(name) && !isLocal)].map(({ name, title }) => ({
    name,
    title,
  }))
}
