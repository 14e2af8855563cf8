// The entries that the palette offers, and messages that match.
import { useEffect, useMemo, useState } from 'react'
import type { SessionHit } from '../../../../src/model/session.ts'
import { useFrame } from '../../parts/frame.ts'
import { SHORTCUTS, type ShortcutAction } from '../../parts/keys.ts'
import { useChoices, useWorkspaceLists } from '../../parts/use-workspace-lists.ts'
import { PAGE_LINKS } from '../../sidebar/page-links.tsx'
import { useActions, useStore } from '../../store/use-store.ts'
import { onePerFamily } from '../../view/families.ts'
import { hashOf, sessionHash } from '../../view/route.ts'
import type { NewSessionFor } from '../../wire/client.ts'
import { sessionTitle } from '../../words/words.ts'
import type { ShortcutActions } from '../use-actions.ts'
import { commandEntries, type PaletteEntry } from './rank.ts'

/** What the palette offers without asking the gateway. */
export function useEntries(actions: ShortcutActions): readonly PaletteEntry[] {
  const store = useActions()
  const { show, showSidebar } = useFrame()
  const sessions = useStore(state => state.sessions)
  const gone = useStore(state => state.gone)
  const choices = useChoices(useWorkspaceLists())
  const isChat = useStore(state => state.route.page === 'chat')
  const about = useStore(state => (state.session === null ? null : state.about))
  const names = useStore(state => state.names)
  const councils = useStore(state => state.councils)
  const projects = useStore(state => state.projects)
  const running = useStore(state => state.view.running.length > 0)

  return useMemo(() => {
    const begin = (whom: NewSessionFor): void => {
      store.choose(whom)
      actions['new-chat']()
    }
    const act = (action: ShortcutAction, words = wordsOf(action)): PaletteEntry => ({
      key: action,
      kind: 'Action',
      words,
      action,
      run: actions[action],
    })
    const order = (key: string, words: string, run: () => void): PaletteEntry => ({ key, kind: 'Action', words, run })
    const list = (key: string, words: string, turn: () => void): PaletteEntry => ({
      ...order(key, words, () => {
        turn()
        showSidebar(true)
      }),
      rare: true,
    })
    const rare = (entry: PaletteEntry): PaletteEntry => ({ ...entry, rare: true })
    const go = (hash: string) => (): void => {
      location.hash = hash
    }
    return [
      ...onePerFamily(sessions.filter(({ family }) => !gone.includes(family))).map(session =>
        chatEntry(session, go(sessionHash(session.id))),
      ),
      act('new-chat'),
      ...(running ? [order('stop', 'Stop what is being written', () => store.stop().catch(reportError))] : []),
      ...(about === null
        ? []
        : [
            ...(isChat ? [act('find'), act('rename')] : []),
            act('copy-reply'),
            about.archived
              ? order('restore', 'Restore this conversation', () => store.archive(about, false).catch(reportError))
              : order('archive', 'Archive this conversation', () => store.archive(about, true).catch(reportError)),
            rare(order('delete', 'Delete this conversation', () => store.remove(about))),
          ]),
      ...(isChat
        ? commandEntries(store.get(), choices, (command, argument) => {
            Promise.resolve(command.run(store, argument)).catch(reportError)
          })
        : []),
      act('search'),
      act('theme', 'Switch between light and dark'),
      act('toggle-sidebar'),
      act('shortcuts', 'Keyboard shortcuts'),
      order('preferences', 'Preferences', () => show('preferences')),
      order('import', 'Import conversations from a file', () => chooseFile(file => store.bring(file).catch(reportError))),
      ...Object.entries(names).map(([key, name]) =>
        rare(order(`agent ${key}`, `New conversation with ${name}`, () => begin({ agent: key }))),
      ),
      ...councils.map(({ key, name }) =>
        rare(order(`council ${key}`, `New conversation with ${name}`, () => begin({ council: key }))),
      ),
      ...projects.map(name => list(`project ${name}`, `Show the project ${name}`, () => store.enter(name))),
      list('archived', 'Show archived conversations', () => store.showArchived(true)),
      ...PAGE_LINKS.map(
        ({ target, words }): PaletteEntry => ({ key: target, kind: 'Page', words, run: go(hashOf({ page: target, key: null })) }),
      ),
      { key: 'projects', kind: 'Page', words: 'Projects', run: go(hashOf({ page: 'projects', key: null })) },
    ]
  }, [store, actions, show, showSidebar, sessions, gone, isChat, about, choices, names, councils, projects, running])
}

const wordsOf = (action: ShortcutAction): string => SHORTCUTS.find(shortcut => shortcut.action === action)?.words ?? action

/** Asks for one file, as its button in the preferences does. */
function chooseFile(onFile: (file: File) => void): void {
  const field = document.createElement('input')
  field.type = 'file'
  field.accept = '.json,.jsonl,.zip'
  field.hidden = true
  field.onchange = () => {
    const [file] = field.files ?? []
    field.remove()
    if (file !== undefined) onFile(file)
  }
  field.oncancel = () => field.remove()
  // One that belongs to no page may be gone before its file is chosen.
  document.body.append(field)
  field.click()
}

const chatEntry = (session: SessionHit, run: () => void): PaletteEntry => ({
  key: session.id,
  kind: 'Conversation',
  words: sessionTitle(session),
  run,
})

const PAUSE_MS = 180

/** Messages that contain what was typed, once the person pauses; an answer that comes too late is not shown. */
export function useMessages(query: string): readonly PaletteEntry[] {
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
            words: sessionTitle(hit),
            detail: hit.snippet ?? '',
            run: () => {
              location.hash = sessionHash(hit.id, hit.seq)
            },
          })),
    [found, query],
  )
}
