// Keeps drafts, and texts on their way, in this browser.
import type { LocalStore } from '../../wire/local-storage.ts'
import type { DraftFile } from './attachments.ts'

/** Where the text of a conversation that does not exist yet is kept. */
export const NEW = 'new'

/** A text on its way: sent under this key, and not yet known to have arrived. `files` says which went with it. */
export type SendAttempt = { readonly text: string; readonly key: string; readonly files?: string }

/** What a person has written but not said, per session: the text outlives the page, the files are here while it is open. */
export type Drafts = {
  readonly text: (session: string) => string
  readonly write: (session: string, text: string) => void
  readonly files: (session: string) => readonly DraftFile[]
  readonly attach: (session: string, files: readonly DraftFile[]) => void
  /** The same text and files tried again keep their key, the text even after a reload, so it cannot be said twice. */
  readonly attempt: (session: string, text: string) => SendAttempt
  /** A message came back under this key: true, and the draft is gone, if it was the one on its way. */
  readonly arrived: (session: string, key: string) => boolean
  readonly clear: (session: string) => void
}

export function createDrafts(localStore: LocalStore, newKey: () => string): Drafts {
  const attached = new Map<string, readonly DraftFile[]>()
  const attemptAt = (session: string): string => `attempt.${session}`
  const draftAt = (session: string): string => `draft.${session}`
  const files = (session: string): readonly DraftFile[] => attached.get(session) ?? []
  const clear = (session: string): void => {
    localStore.write(draftAt(session), null)
    localStore.write(attemptAt(session), null)
    attached.delete(session)
  }
  return {
    text: session => localStore.read(draftAt(session)) ?? '',
    write: (session, text) => localStore.write(draftAt(session), text === '' ? null : text),
    files,
    attach: (session, some) => {
      if (some.length === 0) attached.delete(session)
      else attached.set(session, some)
    },
    attempt: (session, text) => {
      const earlier = parseAttempt(localStore.read(attemptAt(session)))
      const sign = signOf(files(session))
      if (earlier?.text === text && (earlier.files ?? '') === sign) return earlier
      const attempt: SendAttempt = { text, key: newKey(), ...(sign === '' ? {} : { files: sign }) }
      localStore.write(attemptAt(session), JSON.stringify(attempt))
      return attempt
    },
    arrived: (session, key) => {
      const attempt = parseAttempt(localStore.read(attemptAt(session)))
      if (attempt?.key !== key) return false
      localStore.write(attemptAt(session), null)
      const same =
        (localStore.read(draftAt(session)) ?? '').trimEnd() === attempt.text && (attempt.files ?? '') === signOf(files(session))
      if (same) clear(session)
      return same
    },
    clear,
  }
}

const signOf = (files: readonly DraftFile[]): string => files.map(({ id }) => id).join(' ')

function parseAttempt(stored: string | null): SendAttempt | null {
  if (stored === null) return null
  try {
    const { text, key, files } = (JSON.parse(stored) ?? {}) as Partial<Record<keyof SendAttempt, unknown>>
    if (typeof text !== 'string' || typeof key !== 'string') return null
    return { text, key, ...(typeof files === 'string' ? { files } : {}) }
  } catch {
    return null
  }
}
