import type { ApprovalAnswer } from '../../src/model/event.ts'
import { type Cell, createCell } from './cell.ts'
import { type Chair, createChair } from './chair.ts'
import type { Client } from './client.ts'
import { createDrafts } from './drafts.ts'
import { createEar } from './hear.ts'
import type { Keep } from './keep.ts'
import type { Problem } from './problem.ts'
import type { Route } from './route.ts'
import { createMouth, type Mouth } from './say.ts'
import { createSessions, type Sessions } from './sessions.ts'
import { FIRST_STATE, type State } from './state.ts'

/** The page without its looks: one state, and everything a person can do. */
export type Store = Pick<Cell<State>, 'get' | 'watch'> &
  Pick<Sessions, 'search' | 'more' | 'rename'> &
  Mouth &
  Chair & {
    /** Goes where an address leads; the conversation in the middle stays open behind the other pages. */
    readonly visit: (route: Route) => void
    /** Reads what the whole page needs. */
    readonly begin: () => Promise<void>
    readonly remove: (id: string) => Promise<void>
    /** A person's word on a call that waits; somebody else may have been first, and then theirs counts. */
    readonly answer: (approval: string, answer: ApprovalAnswer) => Promise<void>
    readonly dismiss: () => void
    /** A token was given: everything that was refused is asked again. */
    readonly unlock: () => Promise<void>
    /** Tries again at once: somebody asked, or the network is back. */
    readonly retry: () => void
    readonly setVisible: (visible: boolean) => void
  }

export type StoreNeeds = {
  readonly client: Client
  readonly keep: Keep
  readonly newKey: () => string
  readonly go: (session: string | null) => void
  readonly later: (show: () => void) => void
}

/** A browser opens few connections per host, so a tab that nobody looks at gives its own back after a while. */
const REST_AFTER_MS = 30_000

export function createStore({ client, keep, newKey, go, later }: StoreNeeds): Store {
  const cell = createCell(FIRST_STATE)
  const drafts = createDrafts(keep, newKey)
  const onProblem = (problem: Problem): void => {
    if (problem.status === 401) cell.set({ locked: true })
  }
  const sessions = createSessions(cell, client, onProblem)
  const ear = createEar({ cell, client, drafts, sessions, onProblem, later })
  const chair = createChair({ cell, client, onProblem })
  const mouth = createMouth({ cell, client, drafts, open: ear.open, onProblem, resume: chair.resume, go })
  /** Who there is to talk to. */
  const learnNames = async (): Promise<void> => {
    const [agents, councils] = await Promise.all([client.agents(), client.councils()])
    if (agents.ok) cell.set({ names: Object.fromEntries(agents.value.items.map(({ key, name }) => [key, name])) })
    if (councils.ok) cell.set({ councils: councils.value.items })
  }
  let resting: ReturnType<typeof setTimeout> | undefined
  let asleep = false

  const begin = async (): Promise<void> => {
    await Promise.all([sessions.refresh(), learnNames()])
  }

  const rest = (): void => {
    if (cell.get().view.running.length > 0) {
      resting = setTimeout(rest, REST_AFTER_MS)
      return
    }
    asleep = true
    ear.hangUp()
  }

  return {
    ...mouth,
    ...chair,
    get: cell.get,
    watch: cell.watch,
    visit: route => {
      cell.set({ route })
      if (route.page === 'chat') ear.open(route.session)
    },
    search: sessions.search,
    more: sessions.more,
    rename: sessions.rename,
    begin,
    remove: async id => {
      const gone = await sessions.remove(id)
      if (!gone) return
      drafts.clear(id)
      if (cell.get().session === id) go(null)
    },
    answer: async (approval, answer) => {
      const given = await client.answer(approval, answer)
      if (given.ok) return
      onProblem(given.problem)
      cell.set({ problem: given.problem })
    },
    dismiss: () => cell.set({ problem: null }),
    unlock: async () => {
      cell.set({ locked: false, problem: null })
      ear.reconnect()
      await begin()
    },
    retry: () => {
      if (cell.get().link?.state === 'refused') ear.reconnect()
      else ear.hurry()
      sessions.refreshSoon()
    },
    setVisible: visible => {
      clearTimeout(resting)
      if (!visible) {
        resting = setTimeout(rest, REST_AFTER_MS)
        return
      }
      if (asleep) ear.reconnect()
      else ear.hurry()
      asleep = false
      sessions.refreshSoon()
      learnNames().catch(reportError)
    },
  }
}
