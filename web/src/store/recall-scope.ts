// Works out from which other chats the open one can recall.
import { wider } from '../../../src/model/recall.ts'
import type { ApiClient, NamedProject } from '../wire/client.ts'
import type { RecallScope } from '../words/memory-words.ts'
import type { RecallSettings, State } from './state.ts'

type Known = Pick<State, 'recall' | 'session' | 'about' | 'project' | 'wish'>

/** From which other chats the open session, or the new one, can recall; null if from none. */
export function recallScope({ recall, session, about, project, wish }: Known): RecallScope | null {
  if (session !== null && about === null) return null
  const policy = about?.policy ?? wish.policy ?? recall.usual
  const own = Object.hasOwn(recall.policies, policy) ? recall.policies[policy] : 'session'
  if (own === null || own === undefined) return null
  const home = session === null ? project : (about?.project ?? null)
  const switched = home !== null && recall.projects.includes(home) ? 'project' : 'session'
  const from = wider(wider(own, recall.from), switched)
  if (from === 'everywhere') return { from }
  return from === 'project' && home !== null ? { from, project: home } : null
}

/** Reads the switches again; what the gateway does not say stays as it was. */
export async function readRecallSettings(
  client: Pick<ApiClient, 'policies' | 'recallSwitches'>,
  projects: readonly NamedProject[],
  before: RecallSettings,
): Promise<RecallSettings> {
  const [policies, switches] = await Promise.all([client.policies(), client.recallSwitches()])
  return {
    from: switches.ok ? switches.value.from : before.from,
    projects: projects.flatMap(({ name, recall }) => (recall === true ? [name] : [])),
    policies: policies.ok
      ? Object.fromEntries(policies.value.items.map(({ name, recall }) => [name, recall?.from ?? null]))
      : before.policies,
    usual: policies.ok ? (policies.value.default ?? before.usual) : before.usual,
  }
}
