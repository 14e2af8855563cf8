// The name printed above a voice's words.
import type { TurnStarted } from '../../../model/event.ts'
import { SYNTHESIS } from '../../../model/settings/council.ts'

/** The name above a voice's words: its name at that time, or else its key. A synthesis is named by its mode. */
export function voiceName({ voice, name, mode }: Pick<TurnStarted, 'voice' | 'name' | 'mode'>): string {
  if (voice === SYNTHESIS) return mode === undefined ? 'Synthesis' : `Synthesis (${mode})`
  return name ?? voice
}
