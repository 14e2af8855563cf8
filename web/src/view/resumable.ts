/** Which turns a person may ask to go on with, or to try again. */
import { answerState } from '../../../src/model/turn-view/join-cuts.ts'
import type { ReplyEntry, View } from './view.ts'

/** What a person may ask for where a turn has no whole answer: to go on with it, or to try again. */
export type Resumable = 'interrupted' | 'failed' | 'cut' | 'empty'

/** Null where the turn was answered, was stopped by a person, was gone on with already, or its voice has spoken since. */
export function resumableOf({ entries }: Pick<View, 'entries'>, entry: ReplyEntry): Resumable | null {
  const { voice, turn, resumed } = entry
  const state = unfinishedState(entry)
  if (state === null || resumed) return null
  const last = entries.findLast(other => other.kind === 'reply' && other.voice === voice)
  return last?.kind === 'reply' && last.turn === turn ? state : null
}

/** How a turn ended without a whole answer: it failed or broke off, reached its limit, or said nothing at all. */
export function unfinishedState({ end, steps }: Pick<ReplyEntry, 'end' | 'steps'>): Resumable | null {
  if (end === null || end === 'continued') return null
  if (end.reason === 'interrupted' || end.reason === 'failed') return end.reason
  if (end.reason !== 'done') return null
  if (steps.length === 0) return null
  const state = answerState(steps)
  return state === 'whole' ? null : state
}
