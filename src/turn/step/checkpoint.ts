/** Saves the running reply in short intervals, so that a crash loses little. */
import type { Checkpoints } from '../../log/ports.ts'
import type { SessionId } from '../../model/ids.ts'
import { partsOf, type ReplyDraft } from './reply-builder.ts'

const AFTER_MS = 250
const AFTER_CHARACTERS = 2048

/** Keeps what a running reply has said so far beside the log, at most a quarter second or two kilobytes behind. */
export type Checkpointer = { readonly note: (draft: ReplyDraft, characters: number) => void; readonly stop: () => Promise<void> }

/** `isHeard`: whether followers on other nodes may hear what is kept, as those on this node hear the deltas. */
export function createCheckpointer(
  log: Checkpoints,
  session: SessionId,
  fence: number | undefined,
  isHeard: boolean,
  onBug: (cause: unknown) => void,
): Checkpointer {
  let latest: ReplyDraft | undefined
  let unsaved = 0
  let timer: NodeJS.Timeout | undefined
  let saving: Promise<void> | undefined

  const save = (): void => {
    clearTimeout(timer)
    timer = undefined
    // One write at a time. If the store fails, the checkpoint is lost, but never the reply.
    if (saving !== undefined || latest === undefined) return
    const { turn, step } = latest
    unsaved = 0
    saving = log
      .checkpoint(session, { turn, step, parts: partsOf(latest), ...(isHeard ? {} : { isUnheard: true }) }, fence)
      .then(() => undefined, onBug)
      .finally(() => {
        saving = undefined
        if (unsaved > 0) timer ??= setTimeout(save, AFTER_MS)
      })
  }

  return {
    note: (draft, characters) => {
      latest = draft
      unsaved += characters
      if (unsaved >= AFTER_CHARACTERS) save()
      else timer ??= setTimeout(save, AFTER_MS)
    },
    stop: async () => {
      latest = undefined
      unsaved = 0
      clearTimeout(timer)
      await saving
      clearTimeout(timer)
    },
  }
}
