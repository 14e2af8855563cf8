// The workspace's agents, models and policies, for the composer's choices.
import { useEffect, useMemo, useRef } from 'react'
import { SYNTHESIS_MODES } from '../../../src/model/settings/council.ts'
import type { Policy } from '../../../src/model/settings/policy.ts'
import type { CommandChoices } from '../store/commands.ts'
import type { ReadingModel } from '../store/message/attachments.ts'
import type { State } from '../store/state.ts'
import { useStore, useWorkspaceApi } from '../store/use-store.ts'
import type { ListedAgent, ModelRow } from '../wire/workspace-api.ts'
import { councilModeWords } from '../words/council-words.ts'
import { useLoaded } from './use-loaded.ts'

/** What can be chosen for a conversation; null until it was read. */
export type WorkspaceLists = {
  readonly agents: readonly ListedAgent[]
  readonly models: readonly ModelRow[]
  /** The model that answers if the person chose no other. */
  readonly usual: string
  readonly policies: readonly Policy[]
}

export function useWorkspaceLists(): WorkspaceLists | null {
  const workspaceApi = useWorkspaceApi()
  const locked = useStore(state => state.locked)
  const { value, reload } = useLoaded(`lists ${locked}`, async () => {
    const [agents, models, policies] = await Promise.all([workspaceApi.agents(), workspaceApi.models(), workspaceApi.policies()])
    if (!agents.ok) return agents
    if (!models.ok) return models
    if (!policies.ok) return policies
    const lists: WorkspaceLists = {
      agents: agents.value.items,
      models: models.value.items,
      usual: models.value.default,
      policies: policies.value.items,
    }
    return { ok: true, value: lists }
  })
  useWorkspaceChanges(reload)
  return value
}

/** Reads again what a change of providers or settings may have made old; what is shown stays until then. */
export function useWorkspaceChanges(reload: () => void): void {
  const changes = useStore(state => state.workspace)
  const known = useRef(changes)
  useEffect(() => {
    if (known.current !== changes) reload()
    known.current = changes
  }, [changes, reload])
}

/** The models that would be asked: of the agent, or of every advisor that is asked. */
export function modelsAsked(
  lists: WorkspaceLists,
  state: Pick<State, 'session' | 'about' | 'councils' | 'whom' | 'wish'>,
): readonly string[] {
  const { about, councils, whom, wish } = state
  const key = state.session === null ? (whom !== null && 'council' in whom ? whom.council : null) : (about?.council ?? null)
  const council = councils.find(one => one.key === key)
  if (council !== undefined) return council.advisors.filter(({ active }) => active).map(({ model }) => model ?? lists.usual)
  const agent = state.session === null ? (whom !== null && 'agent' in whom ? whom.agent : null) : (about?.agent ?? null)
  const chosen = state.session === null ? wish.model : about?.model
  return [chosen ?? (lists.agents.find(one => one.key === agent) ?? lists.agents[0])?.model ?? lists.usual]
}

/** What these models accept; unknown models are left out. */
export const readersOf = ({ models }: WorkspaceLists, names: readonly string[]): readonly ReadingModel[] =>
  names.flatMap(name => models.find(model => model.name === name) ?? [])

/** What commands can be followed by. */
export function useChoices(lists: WorkspaceLists | null): CommandChoices {
  const names = useStore(state => state.names)
  const colors = useStore(state => state.colors)
  const councils = useStore(state => state.councils)
  return useMemo(
    () => ({
      agent: Object.entries(names).map(([value, words]) => ({
        value,
        words,
        ...(colors[value] === undefined ? {} : { color: colors[value] }),
      })),
      council: councils.map(({ key, name }) => ({ value: key, words: name })),
      model: (lists?.models ?? []).filter(({ ready }) => ready).map(({ name }) => ({ value: name, words: name })),
      policy: (lists?.policies ?? []).map(({ name }) => ({ value: name, words: name })),
      mode: SYNTHESIS_MODES.map(mode => ({ value: mode, words: councilModeWords(mode) })),
    }),
    [names, colors, councils, lists],
  )
}
