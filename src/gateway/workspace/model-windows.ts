// Raises the window of a model that runs on this machine, in turnwise.json and at once.
import { basename, dirname } from 'node:path'
import { applyEdits, modify } from 'jsonc-parser'
import { type Fault, fault } from '../../model/fault.ts'
import { readModelName } from '../../model/model-name.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Settings } from '../../model/settings/config.ts'
import { PROVIDERS } from '../../provider/providers.ts'
import { fileStamp } from '../files/followed-file.ts'
import { readRegularFile, writeWorkspaceFile } from '../files/workspace-file.ts'

/** A model and how many tokens it takes. */
export type ModelWindow = { readonly name: string; readonly window: number }

export type ModelWindows = {
  /** Sets the window of a model; requests from now on may fill it. */
  readonly raise: (wanted: ModelWindow) => Promise<Result<ModelWindow, Fault>>
}

export const NO_WINDOWS: ModelWindows = {
  raise: async () => err(fault('conflict', 'this gateway has no workspace to keep settings in')),
}

export type ModelWindowsNeeds = {
  readonly file: string
  /** Its models change with the file, and every engine of this workspace looks them up there. */
  readonly settings: Pick<Settings, 'models'>
  readonly parse: (text: string) => Result<Settings, Fault>
}

export function openModelWindows({ file, settings, parse }: ModelWindowsNeeds): ModelWindows {
  let last: Promise<unknown> = Promise.resolve()
  return {
    raise: wanted => {
      const done = last.then(() => raise(wanted))
      last = done.catch(() => undefined)
      return done
    },
  }

  async function raise(wanted: ModelWindow): Promise<Result<ModelWindow, Fault>> {
    const { name, window } = wanted
    if (!isLocal(name))
      return err(
        fault('invalid', `name: the window of "${name}" is what its provider says; only a model of Ollama can have another`),
      )
    const stamp = fileStamp(file)
    const before = stamp === undefined ? '{}' : await readRegularFile(file)
    const wrong = parse(before)
    if (!wrong.ok) return err(fault('conflict', `${file}: ${wrong.fault.message}; until that is mended nothing is written`))
    const edited = withWindow(before, wanted)
    const parsed = parse(edited)
    if (!parsed.ok) return err(fault('invalid', parsed.fault.message))
    const written = await writeWorkspaceFile(dirname(file), basename(file), edited, () => fileStamp(file) === stamp)
    if (!written.ok) return written
    if (!written.value) return err(fault('conflict', `${file}: somebody else has just written it; try again`))
    Object.assign(settings.models, { [name]: { ...settings.models[name], window } })
    return ok(wanted)
  }
}

/** A model whose server takes as long a request as it is told to. */
const isLocal = (name: string): boolean =>
  PROVIDERS.find(provider => provider.name === readModelName(name).provider)?.modelServer !== undefined

/** Only the one number changes: comments, order and spaces stay as people wrote them. */
function withWindow(text: string, { name, window }: ModelWindow): string {
  const formattingOptions = { insertSpaces: true, tabSize: 2 }
  return applyEdits(text, modify(text, ['models', name, 'window'], window, { formattingOptions }))
}
