/** The settings of a workspace as its files have them now: an edit counts from the next turn on, without a restart. */
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Settings } from '../../model/settings/config.ts'
import type { FollowedFile } from '../files/followed-file.ts'
import { fileText, type TextSource } from '../files/text-source.ts'
import { type Environment, type NodeSettings, parseSettings } from '../workspace/settings.ts'
import type { SecretsFile } from './secrets-file.ts'

/** Settings that follow `turnwise.json` and `secrets.json`. After a bad edit the last good ones stay in use. */
export type LiveSettings = FollowedFile<Settings> & {
  readonly source: TextSource
  /** What this node reads from its own file alone, where the text is shared with others. */
  readonly own?: NodeSettings
  /** The last good text of the file. */
  readonly text: () => string
  /** Reads a text as the file would be read now. */
  readonly parse: (text: string) => Result<Settings, Fault>
}

type Followed = {
  readonly environment: Environment
  readonly secrets: SecretsFile
  /** The settings that the workspace was opened with, and the text they were read from. */
  readonly first: Settings
  readonly text: string
  /** What this node reads from its own file alone, where the text is shared with others. */
  readonly own?: NodeSettings
}

type GoodSettings = { readonly settings: Settings; readonly text: string }

export function followSettings(source: TextSource, { environment, secrets, first, text, own }: Followed): LiveSettings {
  const parse = (text: string): Result<Settings, Fault> => parseSettings(text, environment, secrets.now().providers, own)
  let stamp = source.stamp()
  let connected = secrets.now().providers
  let good: GoodSettings = { settings: first, text }
  let trouble: string | undefined
  const look = (): void => {
    const seen = source.stamp()
    const now = secrets.now().providers
    if (seen === stamp && now === connected) return
    const isDisconnected = now !== connected
    stamp = seen
    connected = now
    const changed = read(source, seen !== undefined, parse)
    trouble = changed.ok ? undefined : changed.fault.message
    if (changed.ok) good = changed.value
    if (changed.ok || !isDisconnected) return
    // A key that a person took back must not stay in use because the file is broken.
    const again = parse(good.text)
    if (again.ok) good = { ...good, settings: again.value }
  }
  return {
    source,
    ...(own === undefined ? {} : { own }),
    parse,
    now: () => {
      look()
      return good.settings
    },
    text: () => {
      look()
      return good.text
    },
    trouble: () => {
      look()
      return trouble ?? secrets.trouble()
    },
  }
}

function read(source: TextSource, isThere: boolean, parse: LiveSettings['parse']): Result<GoodSettings, Fault> {
  try {
    const text = isThere ? source.read() : ''
    const parsed = parse(text)
    return parsed.ok ? ok({ settings: parsed.value, text }) : err(fault('invalid', `${source.title()}: ${parsed.fault.message}`))
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === undefined) throw cause
    return err(fault('invalid', `${source.title()}: it cannot be read (${code})`))
  }
}

/** Settings that never change, for an engine without files. */
export const fixedSettings = (settings: Settings): LiveSettings => ({
  source: fileText('', ''),
  text: () => '',
  parse: () => ok(settings),
  now: () => settings,
  trouble: () => undefined,
})
