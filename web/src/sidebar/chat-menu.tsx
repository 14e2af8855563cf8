// The menu of one session.
import type { SessionHit } from '../../../src/model/session.ts'
import { copy } from '../parts/copy.ts'
import { Menu, type MenuItem } from '../parts/menu/menu.tsx'
import { saveBlob } from '../parts/save-file.ts'
import type { Store } from '../store/store.ts'
import { useActions, useStore } from '../store/use-store.ts'
import { sessionHash } from '../view/route.ts'
import type { FileFormat } from '../wire/client.ts'
import { SUMMARIZE } from '../words/fold-words.ts'
import { PRIVATE } from '../words/memory-words.ts'
import { sessionTitle } from '../words/words.ts'

type ChatMenuProps = {
  readonly session: SessionHit
  readonly opener: HTMLElement
  readonly onClose: () => void
  readonly onRename: () => void
  /** It is about to leave the list, and the focus with it. */
  readonly onLeave?: () => void
}

/** What can be done with one conversation. */
export function ChatMenu({ session, opener, onClose, onRename, onLeave }: ChatMenuProps): React.ReactNode {
  const store = useActions()
  const projects = useStore(state => state.projects)
  const isPinned = useStore(state => state.pins.includes(session.family))
  const archive = (archived: boolean): void => {
    onLeave?.()
    store.archive(session, archived).catch(reportError)
  }
  const remove = (): void => {
    onLeave?.()
    store.remove(session)
  }
  const items: readonly MenuItem[] = [
    { words: 'Rename', icon: 'pen', run: onRename },
    ...(session.archived ? [] : [pinning(store, session, isPinned)]),
    ...(projects.length === 0 ? [] : [moving(store, session, projects)]),
    ...(session.council === null ? [keepingPrivate(store, session)] : []),
    { words: SUMMARIZE, icon: 'shrink', run: () => void store.summarize({}, session.id).catch(reportError) },
    { words: 'Copy link', icon: 'link', run: () => copyLink(store, session.id) },
    exporting(store, session),
    session.archived
      ? { words: 'Restore', icon: 'restore', run: () => archive(false) }
      : { words: 'Archive', icon: 'archive', run: () => archive(true) },
    { words: 'Delete', icon: 'bin', danger: true, run: remove },
  ]
  return <Menu label={`“${sessionTitle(session)}”`} items={items} opener={opener} onClose={onClose} />
}

const pinning = (store: Store, { family }: SessionHit, isPinned: boolean): MenuItem => ({
  words: isPinned ? 'Unpin' : 'Pin to the top',
  icon: 'pushpin',
  title: 'Kept in this browser only',
  run: () => store.pin(family, !isPinned),
})

const keepingPrivate = (store: Store, session: SessionHit): MenuItem => ({
  words: PRIVATE,
  icon: 'lock',
  isOn: session.private === true,
  run: () => void store.setPrivate(session, session.private !== true).catch(reportError),
})

const moving = (store: Store, session: SessionHit, projects: readonly string[]): MenuItem => ({
  words: 'Move to project',
  icon: 'folder',
  items: [null, ...projects].map(project => ({
    words: project ?? 'No project',
    checked: session.project === project,
    run: () => {
      if (session.project !== project) store.move(session, project).catch(reportError)
    },
  })),
})

const FORMATS: readonly { readonly words: string; readonly format: FileFormat }[] = [
  { words: 'Archive (JSON)', format: 'json' },
  { words: 'Markdown', format: 'markdown' },
  { words: 'Web page (HTML)', format: 'html' },
]

const exporting = (store: Store, { id }: SessionHit): MenuItem => ({
  words: 'Export',
  icon: 'down',
  items: FORMATS.map(({ words, format }) => ({ words, run: () => void save(store, id, format).catch(reportError) })),
})

/** Fetched and then saved: a plain link could not carry a token. */
async function save(store: Store, id: string, format: FileFormat): Promise<void> {
  const file = await store.exported(id, format)
  if (file !== null) saveBlob(file.name, file.blob)
}

async function writeLink(store: Store, id: string): Promise<void> {
  const address = new URL(sessionHash(id), location.href).href
  const text = (await copy(address)) ? 'Link copied' : `This browser does not allow copying. The link is ${address}`
  store.undo.offer({ text })
}

const copyLink = (store: Store, id: string): void => void writeLink(store, id).catch(reportError)
