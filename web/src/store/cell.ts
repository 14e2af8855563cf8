/** A value that can be watched. Setting the same value again wakes no watcher. */
export type Cell<State extends object> = {
  readonly get: () => State
  readonly set: (changes: Partial<State>) => void
  /** Returns how to stop watching. */
  readonly watch: (watcher: () => void) => () => void
}

export function createCell<State extends object>(first: State): Cell<State> {
  let state = first
  const watchers = new Set<() => void>()
  return {
    get: () => state,
    set: changes => {
      const names = Object.keys(changes) as (keyof State)[]
      if (names.every(name => Object.is(state[name], changes[name]))) return
      state = { ...state, ...changes }
      for (const watcher of watchers) watcher()
    },
    watch: watcher => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
  }
}
