/** Reads and changes the settings of a running gateway: checked first, then written to turnwise.json, effective at once. */
import { basename, dirname } from 'node:path'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Settings } from '../../model/settings/config.ts'
import { fileStamp } from '../files/followed-file.ts'
import { parseJsonc } from '../files/jsonc.ts'
import { readRegularFile, whyUnwritable, writeWorkspaceFile } from '../files/workspace-file.ts'
import { type Environment, isRecord, variableIn } from '../variables.ts'
import { notEditable } from './editable-keys.ts'
import type { LiveSettings } from './live-settings.ts'
import { patchedText, pathsIn } from './settings-patch.ts'
import { HIDDEN, type SettingTree, settingTree, variableFor } from './settings-tree.ts'

export type SettingsPatch = Readonly<Record<string, unknown>>

/** The settings as people see and change them. */
export type EditableSettings = {
  readonly read: () => Promise<Result<SettingTree, Fault>>
  /** A value that is wrong or cannot be changed here is refused with its path, and nothing is written. */
  readonly patch: (patch: SettingsPatch) => Promise<Result<SettingTree, Fault>>
}

const NOWHERE = fault('conflict', 'this gateway has no workspace to keep settings in')

export const NO_EDITABLE_SETTINGS: EditableSettings = { read: async () => err(NOWHERE), patch: async () => err(NOWHERE) }

export type EditOptions = {
  readonly live: LiveSettings
  readonly environment: Environment
  /** Why agents or councils could not go on with new settings, if they could not. */
  readonly whyMissed: (settings: Settings) => string | undefined
}

export function editableSettings({ live, environment, whyMissed }: EditOptions): EditableSettings {
  const { file, parse } = live
  let last: Promise<unknown> = Promise.resolve()
  const textNow = async (): Promise<string> => (fileStamp(file) === undefined ? '{}' : readRegularFile(file))
  const treeOf = (settings: Settings, text: string): SettingTree => {
    const written = parseJsonc(text)
    return settingTree(settings, written.ok ? written.value : {}, environment)
  }
  const patch = async (wanted: SettingsPatch): Promise<Result<SettingTree, Fault>> => {
    // Checked before reading, because reading something that is not a regular file may never end.
    const inTheWay = whyUnwritable(dirname(file), basename(file))
    if (inTheWay !== undefined) return err(inTheWay)
    const refused = whyRefused(wanted, environment)
    if (refused !== undefined) return err(fault('invalid', refused))
    const stamp = fileStamp(file)
    const before = await textNow()
    const written = parseJsonc(before)
    const wrong = written.ok ? parse(before) : written
    if (!written.ok || !wrong.ok)
      return err(
        fault('conflict', `${file}: ${(wrong as { fault: Fault }).fault.message}; until that is fixed nothing is written`),
      )
    const edited = patchedText(before, written.value, wanted)
    const parsed = parse(edited)
    if (!parsed.ok) return err(fault('invalid', parsed.fault.message))
    const missed = whyMissed(parsed.value)
    if (missed !== undefined) return err(fault('invalid', missed))
    if (edited === before) return ok(treeOf(parsed.value, before))
    const done = await writeWorkspaceFile(dirname(file), basename(file), edited, () => fileStamp(file) === stamp)
    if (!done.ok) return done
    return done.value
      ? ok(treeOf(live.now(), edited))
      : err(fault('conflict', `${file}: another program has just written it; try again`))
  }
  return {
    read: async () => ok(treeOf(live.now(), await textNow())),
    patch: wanted => {
      const done = last.then(() => patch(wanted))
      last = done.catch(() => undefined)
      return done
    },
  }
}

/** Why a patch asks for something that cannot be changed here, with the path of the first such key. */
function whyRefused(patch: SettingsPatch, environment: Environment): string | undefined {
  for (const path of pathsIn(patch)) {
    const name = path.join('.')
    const why = notEditable(path, variableFor(name, environment) ?? variableFor(path[0] ?? '', environment))
    if (why !== undefined) return `${name}: ${why}`
  }
  if (mentions(patch, value => value === HIDDEN)) return `${HIDDEN} stands in the place of a secret; leave that key out`
  // A page must not be able to send a variable of the gateway, which may be a key, to a program or an address of its choice.
  if (mentions(patch.mcp, value => variableIn(value) !== undefined))
    return 'mcp: a value that reads a variable ("$NAME") is written in turnwise.json, not here'
  return undefined
}

function mentions(value: unknown, is: (value: unknown) => boolean): boolean {
  if (is(value)) return true
  return (Array.isArray(value) ? value : isRecord(value) ? Object.values(value) : []).some(each => mentions(each, is))
}
