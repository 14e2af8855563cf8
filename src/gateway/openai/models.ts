/** Agents, councils and models as OpenAI's clients list models. */
import type { Engine } from '../../engine.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { readModelName } from '../../model/model-name.ts'
import { err, ok, type Result } from '../../model/result.ts'

/** A model as OpenAI's clients list it: an agent, a council, or a model that could be asked now. */
export type ListedModel = {
  readonly id: string
  readonly object: 'model'
  readonly created: number
  readonly owned_by: string
}

const OURS = 'turnwise'

export async function listedModels(
  engine: Pick<Engine, 'agents' | 'councils' | 'models'>,
  created: number,
): Promise<readonly ListedModel[]> {
  const { items } = await engine.models()
  const ours = [...engine.agents().map(({ key }) => key), ...engine.councils().map(({ key }) => `council:${key}`)]
  const ready = items.filter(({ name, ready: isReady }) => isReady && !ours.includes(name))
  const listed = (id: string, owned_by: string): ListedModel => ({ id, object: 'model', created, owned_by })
  return [...ours.map(id => listed(id, OURS)), ...ready.map(({ name }) => listed(name, ownerOf(name)))]
}

export async function listedModel(
  engine: Pick<Engine, 'agents' | 'councils' | 'models'>,
  created: number,
  id: string,
): Promise<Result<ListedModel, Fault>> {
  const found = (await listedModels(engine, created)).find(each => each.id === id)
  return found === undefined ? err(fault('not-found', `model: there is no "${id}" that could be asked now`)) : ok(found)
}

/** `demo` is ours. A compatible server goes by its name in the settings. */
function ownerOf(name: string): string {
  const { provider, model } = readModelName(name)
  return model === '' ? OURS : provider
}
