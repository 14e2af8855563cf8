// The list of sessions: load, search, more pages.
import type { Session, SessionHit } from '../../../src/model/session.ts'
import { onePerFamily } from '../view/families.ts'
import type { ApiClient, SessionHitPage, SessionListQuery } from '../wire/client.ts'
import type { LocalStore } from '../wire/local-storage.ts'
import type { ApiProblem } from '../wire/problem.ts'
import type { Cell } from './cell.ts'
import type { State } from './state.ts'

/** The list at the left. */
export type SessionListStore = {
  readonly refresh: () => Promise<void>
  /** Soon, and once however often it is asked for. */
  readonly refreshSoon: () => void
  readonly search: (query: string) => void
  readonly more: () => Promise<void>
  /** The hits of a search, without showing them in the list; empty if the gateway does not answer. */
  readonly seek: (query: string) => Promise<readonly SessionHit[]>
  /** Lists the conversations of one project, to which new ones will belong; null lists all conversations. */
  readonly enter: (project: string | null) => void
  /** Lists those that were put away, or the others again. */
  readonly showArchived: (archived: boolean) => void
  /** What became known of a session elsewhere. */
  readonly learn: (id: string, changes: Partial<Session>) => void
}

const SOON_MS = 160

type SessionsNeeds = {
  readonly cell: Cell<State>
  readonly client: ApiClient
  readonly localStore: LocalStore
  readonly onProblem: (problem: ApiProblem) => void
}

export function createSessionList({ cell, client, localStore, onProblem }: SessionsNeeds): SessionListStore {
  let asked = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Answers may overtake each other; only the newest question's answer counts. */
  const load = async (cursor: string | null, take: (page: SessionHitPage) => Partial<State>): Promise<void> => {
    if (cell.get().locked) return
    asked += 1
    const ticket = asked
    const wanted = wantedOf(cell.get(), cursor)
    const page = await client.list(wanted)
    if (ticket !== asked) return
    if (page.ok) {
      const { session, about } = cell.get()
      const current = page.value.items.find(item => item.id === session) ?? about
      return cell.set({ ...take(page.value), about: current, listed: true, listedFor: wanted.query, listProblem: null })
    }
    onProblem(page.problem)
    cell.set({ listed: true, listProblem: page.problem })
  }

  const refresh = (): Promise<void> => load(null, page => mergeFirst(page, cell.get()))
  const refreshSoon = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => refresh().catch(reportError), SOON_MS)
  }
  /** Another list is shown from its beginning. */
  const turnTo = (what: Partial<State>): void => {
    cell.set({ ...what, sessions: [], next: null, listed: false })
    refresh().catch(reportError)
  }
  const learn = (id: string, changes: Partial<Session>): void => {
    const { sessions, pinned, about } = cell.get()
    const learned = (session: SessionHit): SessionHit => (session.id === id ? { ...session, ...changes } : session)
    cell.set({
      sessions: sessions.map(learned),
      pinned: pinned.map(learned),
      about: about?.id === id ? { ...about, ...changes } : about,
    })
  }

  return {
    refresh,
    refreshSoon,
    learn,
    search: query => {
      cell.set({ query })
      refreshSoon()
    },
    more: () =>
      load(cell.get().next, page => ({ sessions: [...cell.get().sessions, ...page.items.filter(isNew)], next: page.next })),
    seek: async query => {
      if (query.trim() === '') return []
      const found = await client.list({ query: query.trim(), cursor: null, archived: false })
      return found.ok ? onePerFamily(found.value.items) : []
    },
    enter: project => {
      localStore.write('project', project)
      turnTo({ project, archived: false, query: '' })
    },
    showArchived: archived => turnTo({ archived, query: '' }),
  }

  function isNew(session: SessionHit): boolean {
    return !cell.get().sessions.some(known => known.id === session.id)
  }
}

/** Archived sessions are never listed with the rest; this includes sessions that the gateway keeps for itself. */
const wantedOf = ({ query, project, archived }: State, cursor: string | null): SessionListQuery => ({
  query: query.trim(),
  cursor,
  archived,
  ...(project === null ? {} : { project }),
})

/** A new first page, and behind it what was already opened of the rest: reading the list again must not shorten it. */
function mergeFirst(page: SessionHitPage, { sessions, next, query, listed }: State): Partial<State> {
  const last = page.items.at(-1)?.id
  const cut = sessions.findIndex(session => session.id === last)
  const rest = sessions.slice(cut + 1).filter(session => !page.items.some(fresh => fresh.id === session.id))
  if (!listed || query !== '' || cut < 0 || rest.length === 0 || page.next === null)
    return { sessions: page.items, next: page.next }
  return { sessions: [...page.items, ...rest], next }
}
