import type { Keep } from './keep.ts'

/** Where the text of a conversation that does not exist yet is kept. */
export const NEW = 'new'

/** A text on its way: sent under this key, and not yet known to have arrived. */
export type Attempt = { readonly text: string; readonly key: string }

/** What a person has written but not said, per session. */
export type Drafts = {
  readonly text: (session: string) => string
  readonly write: (session: string, text: string) => void
  /** The same text tried again keeps its key, even after a reload, so it cannot be said twice. */
  readonly attempt: (session: string, text: string) => Attempt
  /** A message came back under this key: true, and the draft is gone, if it was the one on its way. */
  readonly arrived: (session: string, key: string) => boolean
  readonly clear: (session: string) => void
}

export function createDrafts(keep: Keep, newKey: () => string): Drafts {
  const attemptAt = (session: string): string => `attempt.${session}`
  const draftAt = (session: string): string => `draft.${session}`
  const clear = (session: string): void => {
    keep.write(draftAt(session), null)
    keep.write(attemptAt(session), null)
  }
  return {
    text: session => keep.read(draftAt(session)) ?? '',
    write: (session, text) => keep.write(draftAt(session), text === '' ? null : text),
    attempt: (session, text) => {
      const earlier = parseAttempt(keep.read(attemptAt(session)))
      if (earlier?.text === text) return earlier
      const attempt: Attempt = { text, key: newKey() }
      keep.write(attemptAt(session), JSON.stringify(attempt))
      return attempt
    },
    arrived: (session, key) => {
      const attempt = parseAttempt(keep.read(attemptAt(session)))
      if (attempt?.key !== key) return false
      keep.write(attemptAt(session), null)
      const same = keep.read(draftAt(session))?.trimEnd() === attempt.text
      if (same) clear(session)
      return same
    },
    clear,
  }
}

function parseAttempt(stored: string | null): Attempt | null {
  if (stored === null) return null
  try {
    const value = JSON.parse(stored) as Partial<Attempt> | null
    return typeof value?.text === 'string' && typeof value.key === 'string' ? { text: value.text, key: value.key } : null
  } catch {
    return null
  }
}
