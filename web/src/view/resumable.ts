import type { ReplyEntry, View } from './view.ts'

/** What a person may ask for where a turn ended without an answer: to go on, or to try again. */
export type Resumable = 'interrupted' | 'failed'

/** Null where the turn was answered, was stopped by a person, was gone on with already, or its voice has spoken since. */
export function resumableOf({ entries }: Pick<View, 'entries'>, entry: ReplyEntry): Resumable | null {
  const { end, voice, turn, resumed } = entry
  if (end === null || end === 'continued' || resumed) return null
  if (end.reason !== 'interrupted' && end.reason !== 'failed') return null
  const last = entries.findLast(other => other.kind === 'reply' && other.voice === voice)
  return last?.kind === 'reply' && last.turn === turn ? end.reason : null
}
