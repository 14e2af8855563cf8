// Pinned sessions, saved in this browser.
import type { SessionHit } from '../../../src/model/session.ts'
import type { ApiClient } from '../wire/client.ts'
import type { LocalStore } from '../wire/local-storage.ts'
import type { Cell } from './cell.ts'
import type { State } from './state.ts'

/** Conversations that stay at the top of the list, by their families. The gateway knows nothing of it: this browser keeps it. */
export type Pins = {
  readonly pin: (family: string, isPinned: boolean) => void
  /** Reads those that are too old to be in the list by themselves, and forgets those that are gone. */
  readonly gather: () => Promise<void>
}

export function createPins(cell: Cell<State>, client: ApiClient, localStore: LocalStore): Pins {
  const hold = (pins: readonly string[]): void => {
    localStore.write('pins', pins.length === 0 ? null : JSON.stringify(pins))
    cell.set({ pins })
  }
  /** The newest of a family; null where there is none any more, and undefined where nobody could tell. */
  const newest = async (family: string): Promise<SessionHit | null | undefined> => {
    const found = await client.family(family)
    return found.ok ? (found.value.items.find(member => !member.archived) ?? null) : undefined
  }
  return {
    pin: (family, isPinned) => {
      const { pins, pinned, sessions } = cell.get()
      const others = pins.filter(pin => pin !== family)
      const known = sessions.find(session => session.family === family)
      if (known !== undefined) cell.set({ pinned: [known, ...pinned.filter(session => session.family !== family)] })
      hold(isPinned ? [family, ...others] : others)
    },
    gather: async () => {
      const pins = readPins(localStore)
      const found = await Promise.all(pins.map(async family => ({ family, session: await newest(family) })))
      cell.set({ pinned: found.flatMap(({ session }) => session ?? []) })
      hold(found.filter(({ session }) => session !== null).map(({ family }) => family))
    },
  }
}

/** What is kept may come from an older page, or from anybody; only names of families are believed. */
export function readPins(localStore: LocalStore): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStore.read('pins') ?? '[]')
    return Array.isArray(kept) ? kept.filter(each => typeof each === 'string') : []
  } catch {
    return []
  }
}
