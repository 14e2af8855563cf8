// What a person pinned or excluded, and what a what-if would change.
import type { Mark } from '../../../../src/model/event.ts'
import type { Session } from '../../../../src/model/session.ts'
import type { ViewEntry } from '../../view/view.ts'
import type { WhatIf } from '../../wire/inspect-api.ts'

/** What a person decided about the message at a seq. */
export function markAt(entries: readonly ViewEntry[], seq: number): Mark | null {
  for (const entry of entries) {
    if (entry.kind === 'message' && entry.seq === seq) return entry.mark
    const step = entry.kind === 'reply' ? entry.steps.find(each => each.seq === seq) : undefined
    if (step !== undefined) return step.mark
  }
  return null
}

/** The voice that the what-if asks about. */
export const asVoice = (about: Session | null, voice: string): Pick<WhatIf, 'agent' | 'advisor'> =>
  (about?.council ?? null) === null ? { agent: voice } : { advisor: voice }

export type MarkChoice = { readonly mark: Mark | null; readonly words: string; readonly letter: 'p' | 'x' }

/** What can be decided next. */
export const marksOver = (mark: Mark | null): readonly MarkChoice[] => [
  mark === 'pin' ? { mark: null, words: 'Unpin', letter: 'p' } : { mark: 'pin', words: 'Pin', letter: 'p' },
  mark === 'exclude' ? { mark: null, words: 'Send it again', letter: 'x' } : { mark: 'exclude', words: 'Keep out', letter: 'x' },
]
