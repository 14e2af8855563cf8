import { useMemo } from 'react'
import { SYNTHESIS_MODES } from '../../../src/model/settings/council.ts'
import type { Policy } from '../../../src/model/settings/policy.ts'
import type { Choices } from '../store/commands.ts'
import type { Reader } from '../store/message/attachments.ts'
import type { State } from '../store/state.ts'
import { useDesk, useStore } from '../store/use-store.ts'
import type { ListedAgent, ListedModel } from '../wire/workspace-api.ts'
import { modeWords } from '../words/council-words.ts'
import { useLoaded } from './use-loaded.ts'

/** What can be chosen for a conversation; null until it was read. */
export type House = {
  readonly agents: readonly ListedAgent[]
  readonly models: readonly ListedModel[]
  /** The model that is asked where nobody chose another. */
  readonly usual: string
  readonly policies: readonly Policy[]
}

export function useHouse(): House | null {
  const desk = useDesk()
  const locked = useStore(state => state.locked)
  const { value } = useLoaded(`house ${locked}`, async () => {
    const [agents, models, policies] = await Promise.all([desk.agents(), desk.models(), desk.policies()])
    if (!agents.ok) return agents
    if (!models.ok) return models
    if (!policies.ok) return policies
    const house: House = {
      agents: agents.value.items,
      models: models.value.items,
      usual: models.value.default,
      policies: policies.value.items,
    }
    return { ok: true, value: house }
  })
  return value
}

/** The models that would be asked: of the agent, or of every advisor that is asked. */
export function modelsAsked(
  house: House,
  state: Pick<State, 'session' | 'about' | 'councils' | 'whom' | 'wish'>,
): readonly string[] {
  const { about, councils, whom, wish } = state
  const key = state.session === null ? (whom !== null && 'council' in whom ? whom.council : null) : (about?.council ?? null)
  const council = councils.find(one => one.key === key)
  if (council !== undefined) return council.advisors.filter(({ active }) => active).map(({ model }) => model ?? house.usual)
  const agent = state.session === null ? (whom !== null && 'agent' in whom ? whom.agent : null) : (about?.agent ?? null)
  const chosen = state.session === null ? wish.model : about?.model
  return [chosen ?? (house.agents.find(one => one.key === agent) ?? house.agents[0])?.model ?? house.usual]
}

/** What these models can take; those that nobody knows are not spoken of. */
export const readersOf = ({ models }: House, names: readonly string[]): readonly Reader[] =>
  names.flatMap(name => models.find(model => model.name === name) ?? [])

/** What commands can be followed by. */
export function useChoices(house: House | null): Choices {
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
      model: (house?.models ?? []).filter(({ ready }) => ready).map(({ name }) => ({ value: name, words: name })),
      policy: (house?.policies ?? []).map(({ name }) => ({ value: name, words: name })),
      mode: SYNTHESIS_MODES.map(mode => ({ value: mode, words: modeWords(mode) })),
    }),
    [names, colors, councils, house],
  )
}
