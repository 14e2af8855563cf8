/** Where chats may look for messages of other chats: the setting `memory.from`, always as turnwise.json has it now. */
import { type Fault, fault } from '../../model/fault.ts'
import type { RecallFrom } from '../../model/recall.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { EditableSettings } from '../settings/edit-settings.ts'
import type { LiveSettings } from '../settings/live-settings.ts'

/** The setting `memory.from`. An edit of the file counts from the next turn on, without a restart. */
export type MemorySettings = {
  readonly now: () => RecallFrom
  readonly trouble: () => string | undefined
  /** Writes it into the file, whose comments stay. */
  readonly write: (from: RecallFrom) => Promise<Result<RecallFrom, Fault>>
}

/** Without a workspace every chat keeps to itself. */
export const NO_MEMORY_SETTINGS: MemorySettings = {
  now: () => 'session',
  trouble: () => undefined,
  write: async () => err(fault('conflict', 'this gateway has no workspace to keep settings in')),
}

export const openMemorySettings = (live: LiveSettings, { patch }: Pick<EditableSettings, 'patch'>): MemorySettings => ({
  now: () => live.now().memory.from,
  trouble: live.trouble,
  write: async from => {
    const written = await patch({ memory: { from } })
    return written.ok ? ok(from) : written
  },
})
