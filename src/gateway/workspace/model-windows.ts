// Raises the window of a model that runs on this machine, in turnwise.json and at once.
import { type Fault, fault } from '../../model/fault.ts'
import { readModelName } from '../../model/model-name.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { PROVIDERS } from '../../provider/providers.ts'
import type { EditableSettings } from '../settings/edit-settings.ts'

/** A model and how many tokens it takes. */
export type ModelWindow = { readonly name: string; readonly window: number }

export type ModelWindows = {
  /** Sets the window of a model; requests from now on may fill it. */
  readonly raise: (wanted: ModelWindow) => Promise<Result<ModelWindow, Fault>>
}

export const NO_WINDOWS: ModelWindows = {
  raise: async () => err(fault('conflict', 'this gateway has no workspace to keep settings in')),
}

export function openModelWindows({ patch }: Pick<EditableSettings, 'patch'>): ModelWindows {
  return {
    raise: async wanted => {
      const { name, window } = wanted
      if (!isLocal(name))
        return err(
          fault('invalid', `name: the window of "${name}" is what its provider says; only a model of Ollama can have another`),
        )
      const set = await patch({ models: { [name]: { window } } })
      return set.ok ? ok(wanted) : set
    },
  }
}

/** A model whose server takes as long a request as it is told to. */
const isLocal = (name: string): boolean =>
  PROVIDERS.find(provider => provider.name === readModelName(name).provider)?.modelServer !== undefined
