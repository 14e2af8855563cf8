// The store and the APIs as React hooks.
import { createContext, useContext, useSyncExternalStore } from 'react'
import type { InspectApi } from '../wire/inspect-api.ts'
import type { WorkspaceApi } from '../wire/workspace-api.ts'
import type { ModelChoices } from './model-choices.ts'
import type { PageSettings } from './settings.ts'
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
export function useSetting<Name extends keyof PageSettings>(name: Name): PageSettings[Name] {
  const { settings } = useActions()
  return useSyncExternalStore(settings.watch, () => settings.get()[name])
}

/** Favorite and recent models. */
export function useModelChoices(): ModelChoices {
  const { modelChoices } = useActions()
  return useSyncExternalStore(modelChoices.watch, modelChoices.get)
}

export const WorkspaceApiContext: React.Context<WorkspaceApi | null> = createContext<WorkspaceApi | null>(null)

/** What is configured, and how it is changed. */
export function useWorkspaceApi(): WorkspaceApi {
  const workspaceApi = useContext(WorkspaceApiContext)
  if (workspaceApi === null) throw new Error('no workspace API around this component')
  return workspaceApi
}

export const InspectApiContext: React.Context<InspectApi | null> = createContext<InspectApi | null>(null)

/** What was sent and what would be; looking changes nothing. */
export function useInspectApi(): InspectApi {
  const inspectApi = useContext(InspectApiContext)
  if (inspectApi === null) throw new Error('no inspect API around this component')
  return inspectApi
}
