// The actions that keys, the palette and the frame's buttons run.
import { useMemo } from 'react'
import { copy } from '../parts/copy.ts'
import type { AppFrame } from '../parts/frame.ts'
import type { ShortcutAction } from '../parts/keys.ts'
import { listedSessions } from '../sidebar/groups.ts'
import type { Store } from '../store/store.ts'
import { useActions } from '../store/use-store.ts'
import { lookHash, sessionHash } from '../view/route.ts'
import { spokenWords } from '../view/shown.ts'
import type { ReplyEntry } from '../view/view.ts'

/** Everything a key, the palette or a button of the frame can have done. */
export type ShortcutActions = Readonly<Record<ShortcutAction, () => void>>

export function useShortcutActions(frame: AppFrame): ShortcutActions {
  const store = useActions()
  return useMemo(() => shortcutActions(store, frame), [store, frame])
}

const NOTHING = (): void => {}

export function shortcutActions(store: Store, { narrow, sidebar, showSidebar, show, rename, find }: AppFrame): ShortcutActions {
  const { stop, undo, settings } = store
  return {
    'new-chat': () => {
      location.hash = sessionHash(null)
      focusMessage()
    },
    palette: () => show('palette'),
    shortcuts: () => show('shortcuts'),
    search: () => {
      showSidebar(true)
      // What was hidden can take the focus only once it is shown.
      requestAnimationFrame(() => focusField('search'))
    },
    'focus-message': focusMessage,
    'previous-chat': () => step(store, -1),
    'next-chat': () => step(store, 1),
    rename: () => {
      const { session, about, route } = store.get()
      if (route.page === 'chat' && session !== null && about !== null) rename(true)
    },
    'toggle-sidebar': () => showSidebar(!sidebar),
    stop: () => {
      if (narrow && sidebar) return showSidebar(false)
      if (leaveLook(store)) return
      // On another page the person does not see what they would stop.
      if (store.get().route.page === 'chat') stop().catch(reportError)
    },
    'copy-reply': () => void copyReply(store).catch(reportError),
    theme: () => settings.choose('theme', isDark(settings.get().theme) ? 'light' : 'dark'),
    undo: () => undo.undo(),
    find: () => find(true),
    inspect: () => inspectLast(store),
    // Heard where they belong.
    'edit-last': NOTHING,
    'inspect-here': NOTHING,
  }
}

function focusMessage(): void {
  requestAnimationFrame(() => document.getElementById('message')?.focus())
}

function focusField(id: string): void {
  const field = document.getElementById(id)
  field?.focus()
  if (field instanceof HTMLInputElement) field.select()
}

const isDark = (theme: string): boolean =>
  theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)

/** To the conversation above or below in the list; from a new one, to the nearest end. */
function step({ get }: Store, by: 1 | -1): void {
  const rows = listedSessions(get(), new Date())
  const { about, session } = get()
  const at = session === null ? -1 : rows.findIndex(({ family }) => family === about?.family)
  const to = at < 0 ? (by === 1 ? rows[0] : rows.at(-1)) : rows[at + by]
  if (to !== undefined) location.hash = sessionHash(to.id)
}

function inspectLast({ get }: Store): void {
  const { session, view, route } = get()
  const last = view.entries.findLast(entry => entry.kind === 'reply' && entry.steps.some(({ receipt }) => receipt !== null))
  if (route.page !== 'chat' || session === null || last?.kind !== 'reply') return
  location.hash = lookHash(session, { turn: last.turn, step: null })
}

/** Closes the inspector, unless a voice speaks: then Escape is for stopping. */
function leaveLook({ get }: Store): boolean {
  const { route, view } = get()
  if (route.page !== 'chat' || route.look === undefined || view.running.length > 0) return false
  location.hash = sessionHash(route.session)
  return true
}

async function copyReply({ get, undo }: Store): Promise<void> {
  const last = get().view.entries.findLast((entry): entry is ReplyEntry => entry.kind === 'reply')
  if (last === undefined) return
  const isCopied = await copy(spokenWords(last.steps).join('\n\n'))
  const text = isCopied ? 'Copied the last reply' : 'This browser does not allow copying'
  undo.offer({ text })
}
