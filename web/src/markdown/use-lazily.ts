// Loads a large module the first time a component needs it.
import { useEffect, useSyncExternalStore } from 'react'

/** Something large that most conversations never need, fetched from our own server the first time it is wanted. */
export type Lazily<T> = {
  readonly get: () => T | null
  readonly want: () => void
  readonly listen: (hear: () => void) => () => void
}

export function lazily<T>(load: () => Promise<T>): Lazily<T> {
  const listeners = new Set<() => void>()
  let loaded: T | null = null
  let loading = false
  return {
    get: () => loaded,
    want: () => {
      if (loading) return
      loading = true
      load().then(
        value => {
          loaded = value
          for (const hear of listeners) hear()
        },
        // Without it everything is still there to read; the next one that wants it asks again.
        () => {
          loading = false
        },
      )
    },
    listen: hear => {
      listeners.add(hear)
      return () => listeners.delete(hear)
    },
  }
}

/** Null until it is there. */
export function useLazily<T>(thing: Lazily<T>, wanted: boolean): T | null {
  const value = useSyncExternalStore(thing.listen, thing.get)
  useEffect(() => {
    if (wanted) thing.want()
  }, [thing, wanted])
  return value
}
