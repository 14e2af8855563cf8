import type { Session, SessionHit } from '../../src/model/session.ts'
import type { Cell } from './cell.ts'
import type { Client, SessionPage } from './client.ts'
import type { Problem } from './problem.ts'
import type { State } from './state.ts'

/** The list at the left. */
export type Sessions = {
  readonly refresh: () => Promise<void>
  /** Soon, and once however often it is asked for. */
  readonly refreshSoon: () => void
  readonly search: (query: string) => void
  readonly more: () => Promise<void>
  readonly rename: (id: string, title: string) => Promise<void>
  /** True when it is gone. */
  readonly remove: (id: string) => Promise<boolean>
  /** What became known of a session elsewhere. */
  readonly learn: (id: string, changes: Partial<Session>) => void
}

const SOON_MS = 160

export function createSessions(cell: Cell<State>, client: Client, onProblem: (problem: Problem) => void): Sessions {
  let asked = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Answers may overtake each other; only the newest question's answer counts. */
  const load = async (cursor: string | null, take: (page: SessionPage) => Partial<State>): Promise<void> => {
    if (cell.get().locked) return
    asked += 1
    const ticket = asked
    const page = await client.list({ query: cell.get().query.trim(), cursor })
    if (ticket !== asked) return
    if (page.ok) {
      const { session, about } = cell.get()
      const current = page.value.items.find(item => item.id === session) ?? about
      return cell.set({ ...take(page.value), about: current, listed: true, listProblem: null })
    }
    onProblem(page.problem)
    cell.set({ listed: true, listProblem: page.problem })
  }

  const refresh = (): Promise<void> => load(null, page => mergeFirst(page, cell.get()))
  const refreshSoon = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => refresh().catch(reportError), SOON_MS)
  }
  const learn = (id: string, changes: Partial<Session>): void => {
    const { sessions, about } = cell.get()
    cell.set({
      sessions: sessions.map(session => (session.id === id ? { ...session, ...changes } : session)),
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
    rename: async (id, title) => {
      const renamed = await client.change(id, { title: title === '' ? null : title })
      if (renamed.ok) return learn(id, { title: title === '' ? null : title })
      onProblem(renamed.problem)
      cell.set({ problem: renamed.problem })
    },
    remove: async id => {
      const removed = await client.remove(id)
      const gone = removed.ok || removed.problem.status === 404
      if (gone) cell.set({ sessions: cell.get().sessions.filter(session => session.id !== id) })
      else {
        onProblem(removed.problem)
        cell.set({ problem: removed.problem })
      }
      return gone
    },
  }

  function isNew(session: SessionHit): boolean {
    return !cell.get().sessions.some(known => known.id === session.id)
  }
}

/** A new first page, and behind it what was already opened of the rest: reading the list again must not shorten it. */
function mergeFirst(page: SessionPage, { sessions, next, query, listed }: State): Partial<State> {
  const last = page.items.at(-1)?.id
  const cut = sessions.findIndex(session => session.id === last)
  const rest = sessions.slice(cut + 1).filter(session => !page.items.some(fresh => fresh.id === session.id))
  if (!listed || query !== '' || cut < 0 || rest.length === 0 || page.next === null)
    return { sessions: page.items, next: page.next }
  return { sessions: [...page.items, ...rest], next }
}
