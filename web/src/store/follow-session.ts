// Follows the open session and puts what it hears into the state.
import type { Event } from '../../../src/model/event.ts'
import type { HeardDelta } from '../../../src/model/message/delta.ts'
import { reduceAll } from '../view/reduce.ts'
import { EMPTY_VIEW } from '../view/view.ts'
import type { ApiClient } from '../wire/client.ts'
import type { Following } from '../wire/follow.ts'
import type { ApiProblem } from '../wire/problem.ts'
import type { PageSignal } from '../wire/signal.ts'
import type { Cell } from './cell.ts'
import { type Drafts, NEW } from './message/drafts.ts'
import type { SessionListStore } from './sessions.ts'
import type { State } from './state.ts'

/** Listening to the conversation in the middle. */
export type SessionFollower = {
  readonly open: (session: string | null) => void
  /** Connects anew and catches up. */
  readonly reconnect: () => void
  /** Does not wait out a pause between two tries. */
  readonly hurry: () => void
  /** The gateway works on; `reconnect` catches up. */
  readonly hangUp: () => void
}

export type TurnEnded = Extract<Event, { readonly type: 'turn.ended' }>

/** Who wants to know what was heard, once it is shown. */
export type FollowListener = {
  readonly opened?: (session: string | null) => void
  readonly arrived?: (session: string, key: string) => void
  readonly delta?: (delta: HeardDelta) => void
  /** `isLive` where this page listened to the turn; the end of any other is no news. */
  readonly turnEnded?: (session: string, event: TurnEnded, isLive: boolean) => void
}

export type SessionFollowerNeeds = {
  readonly cell: Cell<State>
  readonly client: ApiClient
  readonly drafts: Drafts
  readonly sessions: SessionListStore
  readonly onProblem: (problem: ApiProblem) => void
  /** When to show what was heard: with the next frame, in a browser. */
  readonly later: (show: () => void) => void
  readonly listeners: readonly FollowListener[]
}

/** At sixty frames a second, a bit more than a second. */
const MOST_FRAMES = 80
/** Of a session that is longer than this, more may come after a pause of some frames. */
const LONG = 300
const STILL_FRAMES = 5

export function createSessionFollower({
  cell,
  client,
  drafts,
  sessions,
  onProblem,
  later,
  listeners,
}: SessionFollowerNeeds): SessionFollower {
  let following: Following | null = null
  let heard: PageSignal[] = []
  /** How many frames what comes of the past may still be gathered, so that a long session is shown once and not piece by piece. */
  let patience = 0
  /** Turns that streamed while this page listened; only the end of these is news. */
  const live = new Set<string>()

  const hangUp = (): void => {
    following?.stop()
    following = null
    heard = []
  }

  const connect = (session: string): void => {
    hangUp()
    patience = cell.get().view.cursor === 0 ? MOST_FRAMES : 0
    const mine = client.follow({
      session,
      after: cell.get().view.cursor,
      onSignals: signals => {
        if (following !== mine) return
        if (heard.length === 0) later(() => gather(mine, session, 0))
        heard.push(...signals)
        // The past comes first; once a delta arrives, all of the past is here.
        if (signals.some(({ type }) => type === 'delta')) patience = 0
      },
      onLink: link => {
        if (cell.get().session !== session) return
        cell.set({ link })
        if (link.state === 'refused') onProblem(link.problem)
      },
    })
    following = mine
  }

  /** Shows what was heard, as soon as no more of the past comes. */
  const gather = (whose: Following, session: string, before: number, still = 0): void => {
    // What was scheduled for another session must not take what this one has heard.
    if (following !== whose) return
    const now = heard.length
    const stillNow = now > before ? 0 : still + 1
    if (patience > 0 && stillNow < (now > LONG ? STILL_FRAMES : 1)) {
      patience -= 1
      later(() => gather(whose, session, now, stillNow))
      return
    }
    patience = 0
    show(session)
  }

  const show = (session: string): void => {
    const signals = heard
    heard = []
    if (cell.get().session !== session) return
    cell.set({ view: reduceAll(cell.get().view, signals) })
    for (const signal of signals) tell(session, signal)
  }

  /** What the rest of the page wants to know of a signal. */
  const tell = (session: string, signal: PageSignal): void => {
    if (signal.type === 'delta') {
      live.add(signal.delta.turn)
      for (const listener of listeners) listener.delta?.(signal.delta)
    }
    if (signal.type !== 'event') return
    const { event } = signal
    if (event.type === 'message.received') {
      const { key } = event
      if (key !== undefined && drafts.arrived(session, key)) cell.set({ draft: '', files: [], problem: null })
      if (key !== undefined) for (const listener of listeners) listener.arrived?.(session, key)
      sessions.refreshSoon()
    }
    if (event.type === 'session.changed') sessions.learn(session, event.changes)
    if (event.type === 'turn.ended') {
      const isLive = live.delete(event.turn)
      for (const listener of listeners) listener.turnEnded?.(session, event, isLive)
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
      const files = drafts.files(session ?? NEW)
      cell.set({ session, about, view: EMPTY_VIEW, editing: null, link: null, draft, files, problem: null, announcement: '' })
      for (const listener of listeners) listener.opened?.(session)
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
