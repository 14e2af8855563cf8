/** A small memory that outlives the page. Private windows may refuse it: then it holds nothing, and that is no error. */
export type Keep = {
  readonly read: (name: string) => string | null
  /** Null forgets. */
  readonly write: (name: string, value: string | null) => void
}

const PREFIX = 'turnwise.'

/** The browser's storage as a `Keep`; given as a function because even touching it may be refused. */
export function keepIn(storage: () => Storage): Keep {
  return {
    read: name => {
      try {
        return storage().getItem(PREFIX + name)
      } catch {
        return null
      }
    },
    write: (name, value) => {
      try {
        if (value === null) storage().removeItem(PREFIX + name)
        else storage().setItem(PREFIX + name, value)
      } catch {
        // Full or forbidden: the page works on without remembering.
      }
    },
  }
}
