import { createContext, useContext, useSyncExternalStore } from 'react'
import type { Lens } from '../wire/inspect-api.ts'
import type { Desk } from '../wire/workspace-api.ts'
import type { Settings } from './settings.ts'
import type { State } from './state.ts'
import type { Store } from './store.ts'

export const StoreContext: React.Context<Store | null> = createContext<Store | null>(null)

/** Everything a person can do. */
export function useActions(): Store {
  const store = useContext(StoreContext)
  if (store === null) throw new Error('no store around this component')
  return store
}

/** One part of the state; the component is drawn again only when that part changes. */
export function useStore<Part>(select: (state: State) => Part): Part {
  const store = useActions()
  return useSyncExternalStore(store.watch, () => select(store.get()))
}

/** One of the person's own settings. */
export function useSetting<Name extends keyof Settings>(name: Name): Settings[Name] {
  const { settings } = useActions()
  return useSyncExternalStore(settings.watch, () => settings.get()[name])
}

export const DeskContext: React.Context<Desk | null> = createContext<Desk | null>(null)

/** What is configured, and how it is changed. */
export function useDesk(): Desk {
  const desk = useContext(DeskContext)
  if (desk === null) throw new Error('no desk around this component')
  return desk
}

export const LensContext: React.Context<Lens | null> = createContext<Lens | null>(null)

/** What was sent and what would be; looking changes nothing. */
export function useLens(): Lens {
  const lens = useContext(LensContext)
  if (lens === null) throw new Error('no lens around this component')
  return lens
}
