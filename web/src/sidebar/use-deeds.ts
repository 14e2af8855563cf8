import { useMemo } from 'react'
import type { Frame } from '../frame/frame.ts'
import type { Action } from '../frame/keys.ts'
import { sessionHash } from '../store/route.ts'
import type { Store } from '../store/store.ts'
import { useActions } from '../store/use-store.ts'
import { spokenWords } from '../view/shown.ts'
import type { ReplyEntry } from '../view/view.ts'
import { rowsOf } from './groups.ts'

/** Everything a key, the palette or a button of the frame can have done. */
export type Deeds = Readonly<Record<Action, () => void>>

export function useDeeds(frame: Frame): Deeds {
  const store = useActions()
  return useMemo(() => deedsOf(store, frame), [store, frame])
}

const NOTHING = (): void => {}

function deedsOf(store: Store, { narrow, sidebar, showSidebar, show, rename }: Frame): Deeds {
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
    stop: () => (narrow && sidebar ? showSidebar(false) : stop().catch(reportError)),
    'copy-reply': () => void copyReply(store).catch(reportError),
    theme: () => settings.choose('theme', isDark(settings.get().theme) ? 'light' : 'dark'),
    undo: () => undo.undo(),
    // Heard where they belong.
    find: NOTHING,
    'edit-last': NOTHING,
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
  const rows = rowsOf(get(), new Date())
  const { about, session } = get()
  const at = session === null ? -1 : rows.findIndex(({ family }) => family === about?.family)
  const to = at < 0 ? (by === 1 ? rows[0] : rows.at(-1)) : rows[at + by]
  if (to !== undefined) location.hash = sessionHash(to.id)
}

async function copyReply({ get, undo }: Store): Promise<void> {
  const last = get().view.entries.findLast((entry): entry is ReplyEntry => entry.kind === 'reply')
  if (last === undefined) return
  const text = await navigator.clipboard.writeText(spokenWords(last.steps).join('\n\n')).then(
    () => 'Copied the last reply',
    () => 'This browser does not allow copying',
  )
  undo.offer({ text })
}
