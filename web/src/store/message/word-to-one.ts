// Sends a message to one advisor of a council.
import type { ApiClient } from '../../wire/client.ts'
import type { LocalStore } from '../../wire/local-storage.ts'
import type { ApiProblem } from '../../wire/problem.ts'
import type { Cell } from '../cell.ts'
import type { State } from '../state.ts'

/** A message to one advisor of a council: the others never see it. */
export type WordToOne = {
  /** What was written to that advisor here and not said yet. */
  readonly wordTo: (voice: string) => string
  readonly writeTo: (voice: string, text: string) => void
  /** Says it. True once the gateway has it; until then the text stays. */
  readonly tell: (voice: string) => Promise<boolean>
}

export type WordToOneNeeds = {
  readonly cell: Cell<State>
  readonly client: ApiClient
  readonly localStore: LocalStore
  readonly newKey: () => string
  readonly onProblem: (problem: ApiProblem) => void
}

export function createWordToOne({ cell, client, localStore, newKey, onProblem }: WordToOneNeeds): WordToOne {
  const placeOf = (voice: string): string => `word.${cell.get().session ?? ''}.${voice}`
  /** The same text tried again keeps its key, so it cannot be said twice; another text is another message. */
  const keyAt = (place: string): string => {
    const known = localStore.read(`${place}.key`)
    if (known !== null) return known
    const key = newKey()
    localStore.write(`${place}.key`, key)
    return key
  }
  const write = (place: string, text: string): void => {
    localStore.write(place, text === '' ? null : text)
    localStore.write(`${place}.key`, null)
  }
  return {
    wordTo: voice => localStore.read(placeOf(voice)) ?? '',
    writeTo: (voice, text) => write(placeOf(voice), text),
    tell: async voice => {
      const { session } = cell.get()
      const place = placeOf(voice)
      const text = (localStore.read(place) ?? '').trim()
      if (session === null || text === '') return false
      const said = await client.say(session, { text, key: keyAt(place), to: [voice] })
      if (said.ok) {
        write(place, '')
        return true
      }
      onProblem(said.problem)
      if (cell.get().session === session) cell.set({ problem: said.problem })
      return false
    },
  }
}
