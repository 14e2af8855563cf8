/** What is known about a model without asking it. */
export type CatalogEntry = { readonly name: string; readonly window: number }

export const CATALOG: ReadonlyMap<string, CatalogEntry> = new Map([['demo', { name: 'demo', window: 32_000 }]])
