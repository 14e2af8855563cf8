// Favorite and recent models, saved in this browser.
import type { LocalStore } from '../wire/local-storage.ts'

export type ModelChoices = {
  /** In the order they were starred. */
  readonly favorites: readonly string[]
  /** The last chosen first. */
  readonly recent: readonly string[]
}

export type ModelChoicesStore = {
  /** The same object until something changes. */
  readonly get: () => ModelChoices
  /** Stars a model, or takes its star away. */
  readonly star: (name: string) => void
  /** Remembers that a model was chosen. */
  readonly use: (name: string) => void
  /** Returns how to stop watching. */
  readonly watch: (watcher: () => void) => () => void
}

const RECENT_MOST = 4
const FAVORITES_MOST = 30

export function createModelChoices(localStore: LocalStore): ModelChoicesStore {
  const watchers = new Set<() => void>()
  let choices: ModelChoices = { favorites: namesAt(localStore, 'favorites'), recent: namesAt(localStore, 'recent') }
  const set = (name: keyof ModelChoices, names: readonly string[]): void => {
    choices = { ...choices, [name]: names }
    localStore.write(`models.${name}`, names.length === 0 ? null : JSON.stringify(names))
    for (const watcher of watchers) watcher()
  }
  return {
    get: () => choices,
    star: name => {
      const { favorites } = choices
      const others = favorites.filter(one => one !== name)
      set('favorites', others.length < favorites.length ? others : [...others, name].slice(-FAVORITES_MOST))
    },
    use: name => set('recent', [name, ...choices.recent.filter(one => one !== name)].slice(0, RECENT_MOST)),
    watch: watcher => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
  }
}

/** What is saved but is no list of names counts as nothing. */
function namesAt(localStore: LocalStore, name: keyof ModelChoices): readonly string[] {
  try {
    const read: unknown = JSON.parse(localStore.read(`models.${name}`) ?? '[]')
    return Array.isArray(read) ? read.filter(one => typeof one === 'string') : []
  } catch {
    return []
  }
}
