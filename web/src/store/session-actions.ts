// Renames, archives and deletes a session with its forks.
import type { SessionChange } from '../../../src/model/event.ts'
import type { Session } from '../../../src/model/session.ts'
import type { ApiClient } from '../wire/client.ts'
import type { ApiProblem, ApiResult } from '../wire/problem.ts'
import { sessionTitle } from '../words/words.ts'
import type { Cell } from './cell.ts'
import type { Drafts } from './message/drafts.ts'
import type { SessionListStore } from './sessions.ts'
import type { State } from './state.ts'
import type { Undo } from './undo.ts'

/** What a person does to a conversation as a whole. To them a tree of forks is one, so it happens to the whole family. */
export type SessionActions = {
  /** An empty title gives it back to the first message. */
  readonly rename: (session: Session, title: string) => Promise<void>
  /** Null takes it out of its project. */
  readonly move: (session: Session, project: string | null) => Promise<void>
  /** Whether other chats may quote it. */
  readonly setPrivate: (session: Session, isPrivate: boolean) => Promise<void>
  /** Puts it away, or takes it back. */
  readonly archive: (session: Session, archived: boolean) => Promise<void>
  /** The session vanishes at once, and is deleted when the time for undo is over. */
  readonly remove: (session: Session) => void
}

export type SessionActionsNeeds = {
  readonly cell: Cell<State>
  readonly client: ApiClient
  readonly drafts: Drafts
  readonly sessions: SessionListStore
  readonly undo: Undo
  readonly onProblem: (problem: ApiProblem) => void
  readonly go: (session: string | null) => void
}

export function createSessionActions({
  cell,
  client,
  drafts,
  sessions,
  undo,
  onProblem,
  go,
}: SessionActionsNeeds): SessionActions {
  const fail = (problem: ApiProblem): void => {
    onProblem(problem)
    cell.set({ problem })
  }
  const hide = (family: string): void => cell.set({ gone: [...cell.get().gone, family] })
  const bringBack = (family: string): void => cell.set({ gone: cell.get().gone.filter(other => other !== family) })
  const strike = (family: string): void => {
    cell.set({
      sessions: cell.get().sessions.filter(session => session.family !== family),
      pinned: cell.get().pinned.filter(session => session.family !== family),
    })
    bringBack(family)
  }
  /** Leaves a session if it is open; returns where the person was. */
  const leave = ({ family, id }: Session): string | null => {
    const { session, about } = cell.get()
    if (session === null || (session !== id && about?.family !== family)) return null
    go(null)
    return session
  }
  /** All sessions of the family, this one first; if the gateway cannot say, this one alone. */
  const membersOf = async ({ id, family }: Session): Promise<readonly string[]> => {
    const found = await client.family(family)
    const others = found.ok ? found.value.items.filter(member => member.family === family && member.id !== id) : []
    return [id, ...others.map(member => member.id)]
  }
  const change = async (session: Session, changes: SessionChange): Promise<boolean> => {
    const outcomes = await Promise.all(
      (await membersOf(session)).map(async id => ({ id, outcome: await client.change(id, changes) })),
    )
    for (const { id, outcome } of outcomes) if (outcome.ok) sessions.learn(id, changes as Partial<Session>)
    return heardAll(outcomes.map(({ outcome }) => outcome))
  }
  /** A session that is already gone is no problem; any other failure is shown. */
  const heardAll = (outcomes: readonly ApiResult<unknown>[]): boolean => {
    const failed = outcomes.find(outcome => !outcome.ok && outcome.problem.status !== 404)
    if (failed !== undefined && !failed.ok) fail(failed.problem)
    return failed === undefined
  }

  const archive = async (session: Session, archived: boolean): Promise<void> => {
    const wasIn = archived ? leave(session) : null
    hide(session.family)
    if (!(await change(session, { archived }))) {
      bringBack(session.family)
      return
    }
    strike(session.family)
    undo.offer({
      text: `${archived ? 'Archived' : 'Restored'} “${sessionTitle(session)}”`,
      undo: () => {
        change(session, { archived: !archived }).then(sessions.refresh).catch(reportError)
        if (wasIn !== null) go(wasIn)
      },
    })
  }

  return {
    archive,
    rename: async (session, title) => {
      await change(session, { title: title === '' ? null : title })
    },
    move: async (session, project) => {
      if (!(await change(session, { project }))) return
      undo.offer({
        text: project === null ? 'Taken out of its project' : `Moved to “${project}”`,
        undo: () => change(session, { project: session.project }).then(sessions.refresh).catch(reportError),
      })
      await sessions.refresh()
    },
    setPrivate: async (session, isPrivate) => {
      if (!(await change(session, { private: isPrivate }))) return
      undo.offer({
        text: isPrivate ? `“${sessionTitle(session)}” is private: never quoted in other chats` : 'Other chats may quote it again',
        undo: () => change(session, { private: !isPrivate }).catch(reportError),
      })
    },
    remove: session => {
      const known = cell.get().sessions.filter(({ family, id }) => family === session.family && id !== session.id)
      let members: readonly string[] = [session.id, ...known.map(({ id }) => id)]
      membersOf(session)
        .then(all => {
          members = all
        })
        .catch(reportError)
      const wasIn = leave(session)
      hide(session.family)
      undo.offer({
        text: `Deleted “${sessionTitle(session)}”`,
        undo: () => {
          bringBack(session.family)
          if (wasIn !== null) go(wasIn)
        },
        // Not awaited: a page that is being left has no later.
        settle: () => {
          const removals = members.map(client.remove)
          Promise.all(removals)
            .then(outcomes => {
              if (!heardAll(outcomes)) return bringBack(session.family)
              for (const id of members) drafts.clear(id)
              strike(session.family)
            })
            .catch(reportError)
        },
      })
    },
  }
}
