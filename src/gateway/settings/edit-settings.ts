/** Reads and changes the settings of a running gateway: checked first, then written to turnwise.json, effective at once. */
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Settings } from '../../model/settings/config.ts'
import { parseJsonc } from '../files/jsonc.ts'
import type { TextSource } from '../files/text-source.ts'
import { type Environment, isRecord, variableIn } from '../variables.ts'
import { writtenSettings } from '../workspace/settings.ts'
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

/** Real settings have a few thousand bytes. Each change reads the whole text again, so both numbers are bounded. */
const MOST_BYTES = 256 * 1024
const MOST_CHANGES = 200
/** A change that meets another one is made again on top of it, so many times. */
const MOST_TRIES = 5

export function editableSettings({ live, environment, whyMissed }: EditOptions): EditableSettings {
  const { source, parse } = live
  let last: Promise<unknown> = Promise.resolve()
  const treeOf = (settings: Settings, text: string): SettingTree => {
    const written = writtenSettings(text, live.own)
    return settingTree(settings, written.ok ? written.value : {}, environment)
  }
  const patch = async (wanted: SettingsPatch): Promise<Result<SettingTree, Fault>> => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const done = await attempt(wanted)
      if (done !== 'changed meanwhile') return done
    }
    return err(fault('conflict', `${source.title()}: another program keeps writing it; try again`))
  }
  const attempt = async (wanted: SettingsPatch): Promise<Result<SettingTree, Fault> | 'changed meanwhile'> => {
    const inTheWay = source.whyUnwritable()
    if (inTheWay !== undefined) return err(inTheWay)
    const stamp = source.stamp()
    const before = stamp === undefined ? ok('{}') : textOf(source)
    if (!before.ok) return before
    const written = parseJsonc(before.value)
    const wrong = written.ok ? parse(before.value) : written
    if (!written.ok || !wrong.ok)
      return err(
        fault(
          'conflict',
          `${source.title()}: ${(wrong as { fault: Fault }).fault.message}; until that is fixed nothing is written`,
        ),
      )
    const refused = whyRefused(wanted, written.value, environment)
    if (refused !== undefined) return err(fault('invalid', refused))
    const tooLong = err(fault('invalid', `the file would have more than ${MOST_BYTES} bytes`))
    // Every change reads the whole text, so a long value is refused before any of them is made.
    if (before.value.length + JSON.stringify(wanted).length > MOST_BYTES * 2) return tooLong
    const edited = patchedText(before.value, written.value, wanted)
    if (Buffer.byteLength(edited) > MOST_BYTES) return tooLong
    const parsed = parse(edited)
    if (!parsed.ok) return err(fault('invalid', parsed.fault.message))
    const missed = whyMissed(parsed.value)
    if (missed !== undefined) return err(fault('invalid', missed))
    if (edited === before.value) return ok(treeOf(parsed.value, edited))
    const done = await source.write(edited, stamp)
    if (!done.ok) return done
    return done.value ? ok(treeOf(live.now(), edited)) : 'changed meanwhile'
  }
  return {
    // The last good text: after a bad edit by hand people see what counts.
    read: async () => ok(treeOf(live.now(), live.text())),
    patch: wanted => {
      const done = last.then(() => patch(wanted))
      last = done.catch(() => undefined)
      return done
    },
  }
}

function textOf(source: TextSource): Result<string, Fault> {
  try {
    return ok(source.read())
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === undefined) throw cause
    return err(fault('conflict', `${source.title()}: it cannot be read (${code})`))
  }
}

/** Why a patch asks for something that cannot be changed here, with the path of the first such key. */
function whyRefused(patch: SettingsPatch, written: SettingsPatch, environment: Environment): string | undefined {
  const paths = pathsIn(patch)
  if (paths.length > MOST_CHANGES) return `a patch changes at most ${MOST_CHANGES} values; send it in parts`
  for (const path of paths.flatMap(each => [each, ...removedWith(each, patch, written)])) {
    const name = path.join('.')
    const why = notEditable(path, variableFor(name, environment) ?? variableFor(path[0] ?? '', environment))
    if (why !== undefined) return `${name}: ${why}`
  }
  for (const [path, value] of valuesIn(patch)) {
    if (typeof value === 'string' && value.includes(HIDDEN))
      return `${path}: ${HIDDEN} stands in the place of a secret; leave this key out`
    // A client must not be able to read a variable of the gateway, which may be a key, or to send it where it likes.
    if (variableIn(value) !== undefined)
      return `${path}: a value that reads a variable ("$NAME") is written in turnwise.json, not here`
  }
  return whyNotMoved(patch.mcp, written.mcp)
}

/** The keys that go because something above them is taken out or replaced. */
function removedWith(path: readonly string[], patch: SettingsPatch, written: SettingsPatch): readonly (readonly string[])[] {
  if (isRecord(at(patch, path))) return []
  const gone = at(written, path)
  return isRecord(gone) ? pathsIn(gone, path) : []
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => (isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined), value)

/** Headers belong to the address they were written for, as a key does: they may be tokens. */
function whyNotMoved(patch: unknown, written: unknown): string | undefined {
  for (const [name, wanted] of Object.entries(isRecord(patch) ? patch : {})) {
    const { url, headers } = (at(written, [name]) as { url?: unknown; headers?: unknown } & object) ?? {}
    if (!isRecord(wanted) || wanted.url === undefined || wanted.url === null || url === undefined || wanted.url === url) continue
    const given = wanted.headers
    const stay = Object.keys(isRecord(headers) ? headers : {}).filter(
      header => given !== null && !(isRecord(given) && Object.hasOwn(given, header)),
    )
    if (stay.length > 0)
      return `mcp.${name}.url: its headers (${stay.join(', ')}) were for the old address; send them again, or null to take them out`
  }
  return undefined
}

/** Every value that is not an object or a list, with its path. */
function valuesIn(value: unknown, path: readonly string[] = []): readonly (readonly [string, unknown])[] {
  const inner = Array.isArray(value) || isRecord(value) ? Object.entries(value) : undefined
  return inner === undefined ? [[path.join('.'), value]] : inner.flatMap(([key, each]) => valuesIn(each, [...path, key]))
}
