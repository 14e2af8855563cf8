/** A small storage that outlives the page. If the browser refuses it or it is full, it lasts as long as the page. */
export type LocalStore = {
  readonly read: (name: string) => string | null
  /** Null forgets. */
  readonly write: (name: string, value: string | null) => void
}

const PREFIX = 'turnwise.'

/** The browser's storage as a `Keep`; given as a function because even touching it may be refused. */
export function localStoreIn(storage: () => Storage): LocalStore {
  /** What the storage did not take. */
  const held = new Map<string, string>()
  return {
    read: name => {
      const own = held.get(name)
      if (own !== undefined) return own
      try {
        return storage().getItem(PREFIX + name)
      } catch {
        return null
      }
    },
    write: (name, value) => {
      held.delete(name)
      try {
        if (value === null) storage().removeItem(PREFIX + name)
        else storage().setItem(PREFIX + name, value)
      } catch {
        if (value !== null) held.set(name, value)
      }
    },
  }
}
