import { useEffect, useMemo, useState } from 'react'
import type { SessionHit } from '../../../src/model/session.ts'
import { onePerFamily } from '../sidebar/families.ts'
import { SHELF_LINKS } from '../sidebar/shelf-links.tsx'
import type { Deeds } from '../sidebar/use-deeds.ts'
import { hashOf, sessionHash } from '../store/route.ts'
import { useActions, useStore } from '../store/use-store.ts'
import type { Whom } from '../wire/client.ts'
import { titleOf } from '../words/words.ts'
import { useFrame } from './frame.ts'
import { type Action, SHORTCUTS } from './keys.ts'
import type { Entry } from './palette.ts'

/** What the palette offers without asking the gateway. */
export function useEntries(deeds: Deeds): readonly Entry[] {
  const store = useActions()
  const { show, showSidebar } = useFrame()
  const sessions = useStore(state => state.sessions)
  const about = useStore(state => (state.session === null ? null : state.about))
  const names = useStore(state => state.names)
  const councils = useStore(state => state.councils)
  const projects = useStore(state => state.projects)
  const running = useStore(state => state.view.running.length > 0)

  return useMemo(() => {
    const begin = (whom: Whom): void => {
      store.choose(whom)
      deeds['new-chat']()
    }
    const act = (action: Action, words = wordsOf(action)): Entry => ({
      key: action,
      kind: 'Action',
      words,
      action,
      run: deeds[action],
    })
    const order = (key: string, words: string, run: () => void): Entry => ({ key, kind: 'Action', words, run })
    const list = (key: string, words: string, turn: () => void): Entry => ({
      ...order(key, words, () => {
        turn()
        showSidebar(true)
      }),
      rare: true,
    })
    const rare = (entry: Entry): Entry => ({ ...entry, rare: true })
    const go = (hash: string) => (): void => {
      location.hash = hash
    }
    return [
      ...onePerFamily(sessions).map(session => chatEntry(session, go(sessionHash(session.id)))),
      act('new-chat'),
      ...(running ? [act('stop', 'Stop what is being written')] : []),
      ...(about === null
        ? []
        : [
            act('rename'),
            act('copy-reply'),
            order('resume', 'Go on with what was interrupted', () => store.resume().catch(reportError)),
            about.archived
              ? order('restore', 'Restore this conversation', () => store.archive(about, false).catch(reportError))
              : order('archive', 'Archive this conversation', () => store.archive(about, true).catch(reportError)),
            rare(order('delete', 'Delete this conversation', () => store.remove(about))),
          ]),
      act('search'),
      act('theme', 'Switch between light and dark'),
      act('toggle-sidebar'),
      act('shortcuts', 'Keyboard shortcuts'),
      order('preferences', 'Preferences', () => show('preferences')),
      ...Object.entries(names).map(([key, name]) =>
        rare(order(`agent ${key}`, `New conversation with ${name}`, () => begin({ agent: key }))),
      ),
      ...councils.map(({ key, name }) =>
        rare(order(`council ${key}`, `New conversation with ${name}`, () => begin({ council: key }))),
      ),
      ...projects.map(name => list(`project ${name}`, `Show the project ${name}`, () => store.enter(name))),
      list('archived', 'Show archived conversations', () => store.showArchived(true)),
      ...SHELF_LINKS.map(
        ({ shelf, words }): Entry => ({ key: shelf, kind: 'Page', words, run: go(hashOf({ page: shelf, key: null })) }),
      ),
      { key: 'projects', kind: 'Page', words: 'Projects', run: go(hashOf({ page: 'projects', key: null })) },
    ]
  }, [store, deeds, show, showSidebar, sessions, about, names, councils, projects, running])
}

const wordsOf = (action: Action): string => SHORTCUTS.find(shortcut => shortcut.action === action)?.words ?? action

const chatEntry = (session: SessionHit, run: () => void): Entry => ({
  key: session.id,
  kind: 'Conversation',
  words: titleOf(session),
  run,
})

const PAUSE_MS = 180

/** Messages that hold what was typed, once somebody pauses; an answer that comes too late is not shown. */
export function useMessages(query: string): readonly Entry[] {
  const { seek } = useActions()
  const [found, setFound] = useState<readonly SessionHit[]>([])
  useEffect(() => {
    let isWanted = true
    const timer = setTimeout(() => {
      seek(query)
        .then(hits => isWanted && setFound(hits))
        .catch(reportError)
    }, PAUSE_MS)
    return () => {
      isWanted = false
      clearTimeout(timer)
    }
  }, [query, seek])
  return useMemo(
    () =>
      query.trim() === ''
        ? []
        : found.map(hit => ({
            key: `message ${hit.id}`,
            kind: 'Message',
            words: titleOf(hit),
            detail: hit.snippet ?? '',
            run: () => {
              location.hash = sessionHash(hit.id, hit.seq)
            },
          })),
    [found, query],
  )
}
