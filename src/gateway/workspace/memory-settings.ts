/** Where chats may look for messages of other chats: the setting `memory.from`, always as turnwise.json has it now. */
import { type Fault, fault } from '../../model/fault.ts'
import type { RecallFrom } from '../../model/recall.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { type FollowedFile, followFile } from '../files/followed-file.ts'
import type { EditableSettings } from './settings-file.ts'

/** The setting `memory.from`. An edit of the file counts from the next turn on, without a restart. */
export type MemorySettings = FollowedFile<RecallFrom> & {
  /** Writes it into the file, whose comments stay. */
  readonly write: (from: RecallFrom) => Promise<Result<RecallFrom, Fault>>
}

/** Without a workspace every chat keeps to itself. */
export const NO_MEMORY_SETTINGS: MemorySettings = {
  now: () => 'session',
  trouble: () => undefined,
  write: async () => err(fault('conflict', 'this gateway has no workspace to keep settings in')),
}

export function openMemorySettings({ file, parse, set }: EditableSettings): Result<MemorySettings, Fault> {
  const followed = followFile<RecallFrom>(file, {
    none: 'session',
    parse: text => {
      const settings = parse(text)
      return settings.ok ? ok(settings.value.memory.from) : settings
    },
  })
  if (!followed.ok) return followed
  return ok({
    ...followed.value,
    write: async from => {
      const written = await set(['memory', 'from'], from)
      return written.ok ? ok(written.value.memory.from) : written
    },
  })
}
