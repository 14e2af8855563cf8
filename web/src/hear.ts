import type { Cell } from './cell.ts'
import type { Client } from './client.ts'
import { type Drafts, NEW } from './drafts.ts'
import type { Following } from './follow.ts'
import type { Problem } from './problem.ts'
import { reduce } from './reduce.ts'
import type { Sessions } from './sessions.ts'
import type { Signal } from './signal.ts'
import type { State } from './state.ts'
import { EMPTY_VIEW } from './view.ts'
import { announcementOf } from './words.ts'

/** Listening to the conversation in the middle. */
export type Ear = {
  readonly open: (session: string | null) => void
  /** Connects anew and catches up. */
  readonly reconnect: () => void
  /** Does not wait out a pause between two tries. */
  readonly hurry: () => void
  /** The gateway works on; `reconnect` catches up. */
  readonly hangUp: () => void
}

export type EarNeeds = {
  readonly cell: Cell<State>
  readonly client: Client
  readonly drafts: Drafts
  readonly sessions: Sessions
  readonly onProblem: (problem: Problem) => void
  /** When to show what was heard: with the next frame, in a browser. */
  readonly later: (show: () => void) => void
}

export function createEar({ cell, client, drafts, sessions, onProblem, later }: EarNeeds): Ear {
  let following: Following | null = null
  let heard: Signal[] = []
  /** Turns whose words came while this page listened; only their end is news. */
  const live = new Set<string>()

  const hangUp = (): void => {
    following?.stop()
    following = null
    heard = []
  }

  const connect = (session: string): void => {
    hangUp()
    const mine = client.follow({
      session,
      after: cell.get().view.cursor,
      onSignals: signals => {
        if (following !== mine) return
        if (heard.length === 0) later(() => show(session))
        heard.push(...signals)
      },
      onLink: link => {
        if (cell.get().session !== session) return
        cell.set({ link })
        if (link.state === 'refused') onProblem(link.problem)
      },
    })
    following = mine
  }

  const show = (session: string): void => {
    const signals = heard
    heard = []
    if (cell.get().session !== session) return
    cell.set({ view: signals.reduce(reduce, cell.get().view) })
    for (const signal of signals) tell(session, signal)
  }

  /** What the rest of the page wants to know of a signal. */
  const tell = (session: string, signal: Signal): void => {
    if (signal.type === 'delta') live.add(signal.delta.turn)
    if (signal.type !== 'event') return
    const { event } = signal
    if (event.type === 'message.received') {
      if (event.key !== undefined && drafts.arrived(session, event.key)) cell.set({ draft: '', problem: null })
      sessions.refreshSoon()
    }
    if (event.type === 'session.changed') {
      const { title, agent, council } = event.changes
      sessions.learn(session, {
        ...(title === undefined ? {} : { title }),
        ...(agent === undefined ? {} : { agent }),
        ...(council === undefined ? {} : { council }),
      })
    }
    if (event.type === 'turn.ended') {
      if (live.delete(event.turn)) cell.set({ announcement: announcementOf(cell.get(), event.turn) })
      sessions.refreshSoon()
    }
  }

  /** Trouble is not shown here: following the same session meets it too, and says so. */
  const learnAbout = async (session: string): Promise<void> => {
    const shown = await client.show(session)
    if (shown.ok && cell.get().session === session) cell.set({ about: shown.value })
  }

  return {
    hangUp,
    open: session => {
      if (session !== null && session === cell.get().session) return
      hangUp()
      const about = cell.get().sessions.find(known => known.id === session) ?? null
      const draft = drafts.text(session ?? NEW)
      cell.set({ session, about, view: EMPTY_VIEW, link: null, draft, problem: null, announcement: '' })
      if (session === null) return
      connect(session)
      if (about === null) learnAbout(session).catch(reportError)
    },
    reconnect: () => {
      const { session } = cell.get()
      if (session !== null) connect(session)
    },
    hurry: () => following?.hurry(),
  }
}
