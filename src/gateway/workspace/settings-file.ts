/** Writes one setting into turnwise.json, and leaves everything else there as people wrote it. */
import { basename, dirname } from 'node:path'
import { applyEdits, modify } from 'jsonc-parser'
import { type Fault, fault } from '../../model/fault.ts'
import { err, type Result } from '../../model/result.ts'
import type { Settings } from '../../model/settings/config.ts'
import { fileStamp } from '../files/followed-file.ts'
import { readRegularFile, whyUnwritable, writeWorkspaceFile } from '../files/workspace-file.ts'

/** The settings file of a workspace. */
export type EditableSettings = {
  readonly file: string
  readonly parse: (text: string) => Result<Settings, Fault>
  /** Sets one value by its path and gives the settings as they are then. Edits run one after another. */
  readonly set: (path: readonly string[], value: string | number) => Promise<Result<Settings, Fault>>
}

const FORM = { formattingOptions: { insertSpaces: true, tabSize: 2 } }
const BYTE_ORDER_MARK = '\uFEFF'

export function editableSettings(file: string, parse: EditableSettings['parse']): EditableSettings {
  let last: Promise<unknown> = Promise.resolve()
  return {
    file,
    parse,
    set: (path, value) => {
      const done = last.then(() => set(path, value))
      last = done.catch(() => undefined)
      return done
    },
  }

  async function set(path: readonly string[], value: string | number): Promise<Result<Settings, Fault>> {
    // Checked before reading, because reading something that is not a regular file may never end.
    const inTheWay = whyUnwritable(dirname(file), basename(file))
    if (inTheWay !== undefined) return err(inTheWay)
    const stamp = fileStamp(file)
    const before = stamp === undefined ? '{}' : await readRegularFile(file)
    const wrong = parse(before)
    if (!wrong.ok) return err(fault('conflict', `${file}: ${wrong.fault.message}; until that is mended nothing is written`))
    const edited = withValue(before, path, value)
    const parsed = parse(edited)
    if (!parsed.ok) return err(fault('invalid', parsed.fault.message))
    const written = await writeWorkspaceFile(dirname(file), basename(file), edited, () => fileStamp(file) === stamp)
    if (!written.ok) return written
    return written.value ? parsed : err(fault('conflict', `${file}: somebody else has just written it; try again`))
  }
}

/** Only this value changes: comments, order and spaces stay as people wrote them. */
export function withValue(text: string, path: readonly string[], value: string | number | boolean): string {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : ''
  const plain = text.slice(mark.length)
  return mark + applyEdits(plain, modify(plain, [...path], value, FORM))
}
