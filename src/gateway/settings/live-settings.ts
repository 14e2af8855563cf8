/** The settings of a workspace as its files have them now: an edit counts from the next turn on, without a restart. */
import { dirname } from 'node:path'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Settings } from '../../model/settings/config.ts'
import { type FollowedFile, fileStamp } from '../files/followed-file.ts'
import { readRegularFileSync } from '../files/workspace-file.ts'
import { type Environment, parseSettings } from '../workspace/settings.ts'
import type { SecretsFile } from './secrets-file.ts'

/** Settings that follow `turnwise.json` and `secrets.json`. After a bad edit the last good ones stay in use. */
export type LiveSettings = FollowedFile<Settings> & {
  readonly file: string
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
}

type GoodSettings = { readonly settings: Settings; readonly text: string }

export function followSettings(file: string, { environment, secrets, first, text }: Followed): LiveSettings {
  const parse = (text: string): Result<Settings, Fault> => parseSettings(text, environment, secrets.now().providers)
  let stamp = fileStamp(file)
  let connected = secrets.now().providers
  let good: GoodSettings = { settings: first, text }
  let trouble: string | undefined
  const look = (): void => {
    const seen = fileStamp(file)
    const now = secrets.now().providers
    if (seen === stamp && now === connected) return
    const isDisconnected = now !== connected
    stamp = seen
    connected = now
    const changed = read(file, seen !== undefined, parse)
    trouble = changed.ok ? undefined : changed.fault.message
    if (changed.ok) good = changed.value
    if (changed.ok || !isDisconnected) return
    // A key that a person took back must not stay in use because the file is broken.
    const again = parse(good.text)
    if (again.ok) good = { ...good, settings: again.value }
  }
  return {
    file,
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

function read(file: string, isThere: boolean, parse: LiveSettings['parse']): Result<GoodSettings, Fault> {
  try {
    const text = isThere ? readRegularFileSync(file) : ''
    const parsed = parse(text)
    return parsed.ok ? ok({ settings: parsed.value, text }) : err(fault('invalid', `${file}: ${parsed.fault.message}`))
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === undefined) throw cause
    return err(fault('invalid', `${file}: it cannot be read (${message.replace(dirname(file), '…')})`))
  }
}

/** Settings that never change, for an engine without files. */
export const fixedSettings = (settings: Settings): LiveSettings => ({
  file: '',
  text: () => '',
  parse: () => ok(settings),
  now: () => settings,
  trouble: () => undefined,
})
