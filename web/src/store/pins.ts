// Pinned sessions, saved in this browser.
import type { SessionHit } from '../../../src/model/session.ts'
import type { ApiClient } from '../wire/client.ts'
import type { LocalStore } from '../wire/local-storage.ts'
import type { Cell } from './cell.ts'
import type { State } from './state.ts'

/** Pinned conversations, by family. This browser keeps them; the gateway does not know about them. */
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
  /** The newest session of a family; null if there is none any more, undefined if the gateway did not say. */
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

/** The stored value may come from an older page or another program, so only names of families are believed. */
export function readPins(localStore: LocalStore): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStore.read('pins') ?? '[]')
    return Array.isArray(kept) ? kept.filter(each => typeof each === 'string') : []
  } catch {
    return []
  }
}
