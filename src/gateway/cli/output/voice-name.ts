// The name printed above a voice's words.
import type { TurnStarted } from '../../../model/event.ts'
import { SYNTHESIS } from '../../../model/settings/council.ts'

/** What a voice is called above its words: as it was called then, else by its key; what the house makes of a round by its kind. */
export function voiceName({ voice, name, mode }: Pick<TurnStarted, 'voice' | 'name' | 'mode'>): string {
  if (voice === SYNTHESIS) return mode === undefined ? 'Synthesis' : `Synthesis (${mode})`
  return name ?? voice
}
