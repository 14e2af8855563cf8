// Asks for a title after the first exchange of a session.
import { spokenWords } from '../view/shown.ts'
import type { ApiClient } from '../wire/client.ts'
import type { LocalStore } from '../wire/local-storage.ts'
import type { FollowListener } from './follow-session.ts'
import type { State } from './state.ts'

export type AutomaticTitles = Pick<FollowListener, 'turnEnded'> & {
  /** Something is about to be said from here; where it is the first, this browser also asks for the title. */
  readonly saying: (session: string) => void
}

export type TitlesNeeds = {
  readonly get: () => State
  readonly client: Pick<ApiClient, 'entitle'>
  readonly localStore: LocalStore
  /** Whether the workspace names chats automatically. */
  readonly isWanted: () => Promise<boolean>
}

/**
 * Has the house find a title once the first exchange of a session has ended well. Of all who listen, only the browser that
 * began asks, and of its tabs the first to hear of the end; a reload in between changes nothing.
 */
export function createAutomaticTitles({ get, client, localStore, isWanted }: TitlesNeeds): AutomaticTitles {
  const at = (session: string): string => `untitled.${session}`
  const entitle = async (session: string): Promise<void> => {
    if (await isWanted()) await client.entitle(session)
  }
  return {
    saying: session => {
      if (messagesIn(get()) === 0 && isUntitled(session, get())) localStore.write(at(session), 'yes')
    },
    turnEnded: (session, { reason }) => {
      if (localStore.read(at(session)) === null || get().view.running.length > 0) return
      const isFirst = messagesIn(get()) === 1 && isUntitled(session, get()) && isAnswered(get())
      // One that failed may still be gone on with.
      if (isFirst && reason !== 'done') return
      localStore.write(at(session), null)
      // If there is nothing to do after all, the gateway refuses, and nothing is missing.
      if (isFirst) entitle(session).catch(reportError)
    },
  }
}

const messagesIn = ({ view }: State): number => view.entries.filter(({ kind }) => kind === 'message').length

/** Without a word there is nothing to find a title in, and the gateway would refuse. */
const isAnswered = ({ view }: State): boolean =>
  view.entries.some(entry => entry.kind === 'reply' && spokenWords(entry.steps).some(words => words.trim() !== ''))

/** A fork has its parent's subject, and what a person named keeps that name. */
const isUntitled = (session: string, { about }: State): boolean =>
  about !== null && about.id === session && about.title === null && about.parent === undefined
