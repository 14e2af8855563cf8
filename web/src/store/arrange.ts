// Changes who answers, the model and the policy of a session.
import { patchedSampling } from '../../../src/model/sampling.ts'
import type { ApiClient } from '../wire/client.ts'
import type { ApiProblem } from '../wire/problem.ts'
import type { Cell } from './cell.ts'
import type { Arrangement } from './commands.ts'
import type { SessionListStore } from './sessions.ts'
import type { State } from './state.ts'

export type ArrangeNeeds = {
  readonly cell: Cell<State>
  readonly client: Pick<ApiClient, 'change'>
  readonly sessions: Pick<SessionListStore, 'learn'>
  readonly onProblem: (problem: ApiProblem) => void
}

/** Who answers and with what: of the session in the middle, or of the one that is about to begin. */
export function createArrange({ cell, client, sessions, onProblem }: ArrangeNeeds): (changes: Arrangement) => Promise<void> {
  return async wanted => {
    const changes = withKeys(cell.get(), wanted)
    const { session } = cell.get()
    if (session === null) return forNew(cell, changes)
    const changed = await client.change(session, changes)
    if (changed.ok) {
      const { agent, council, model, policy, thinking = null, sampling = null, maxTokens = null } = changed.value
      return sessions.learn(session, { agent, council, model, policy, thinking, sampling, maxTokens })
    }
    onProblem(changed.problem)
    if (cell.get().session === session) cell.set({ problem: changed.problem })
  }
}

function forNew(cell: Cell<State>, { agent, council, model, policy, thinking, sampling, maxTokens }: Arrangement): void {
  const { wish: kept } = cell.get()
  const wishedModel = model === undefined ? kept.model : (model ?? undefined)
  const wishedThinking = thinking === undefined ? kept.thinking : (thinking ?? undefined)
  // The last word on thinking counts, as the gateway has it.
  const before = thinking === undefined ? kept.sampling : (patchedSampling(kept.sampling ?? {}, { effort: null }) ?? undefined)
  const wishedSampling = sampling === undefined ? before : (patchedSampling(before ?? {}, sampling) ?? undefined)
  const wishedLimit = maxTokens === undefined ? kept.maxTokens : (maxTokens ?? undefined)
  // Another who has a policy and a model of its own; what was wished for the one before is not meant for it.
  const isAnother = agent !== undefined || council !== undefined
  const wishedPolicy = policy ?? (isAnother ? undefined : kept.policy)
  cell.set({
    ...(agent === undefined ? {} : { whom: { agent } }),
    ...(council === undefined ? {} : { whom: { council } }),
    wish: {
      ...(wishedModel === undefined ? {} : { model: wishedModel }),
      ...(wishedPolicy === undefined ? {} : { policy: wishedPolicy }),
      ...(wishedThinking === undefined || typeof sampling?.effort === 'string' ? {} : { thinking: wishedThinking }),
      ...(wishedSampling === undefined ? {} : { sampling: wishedSampling }),
      ...(wishedLimit === undefined ? {} : { maxTokens: wishedLimit }),
    },
  })
}

/** People write names, the gateway knows keys. */
function withKeys({ names, councils }: State, changes: Arrangement): Arrangement {
  const { agent, council } = changes
  const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()
  const agentKey = Object.entries(names).find(
    ([key, name]) => agent !== undefined && (same(key, agent) || same(name, agent)),
  )?.[0]
  const board = councils.find(({ key, name }) => council !== undefined && (same(key, council) || same(name, council)))
  return {
    ...changes,
    ...(agent === undefined ? {} : { agent: agentKey ?? agent }),
    ...(council === undefined ? {} : { council: board?.key ?? council }),
  }
}
