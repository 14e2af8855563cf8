import { lazy, Suspense, useEffect, useState } from 'react'
import type { Keep } from '../keep.ts'
import type { TokenKeep } from '../token.ts'
import { useActions, useStore } from '../use-store.ts'
import { shelfWords, titleOf } from '../words.ts'
import { Composer } from './composer.tsx'
import { Sidebar } from './sidebar.tsx'
import { TokenDialog } from './token-dialog.tsx'
import { TopBar } from './top-bar.tsx'
import { Transcript } from './transcript.tsx'
import { useNarrow } from './use-narrow.ts'

/** The pages beside the conversations are read when somebody goes there. */
const Shelf = lazy(() => import('./pages/shelf.tsx').then(({ Shelf }) => ({ default: Shelf })))

/** The whole page: sessions at the left, the conversation, and where to write. */
export function App({ keep, tokens }: { readonly keep: Keep; readonly tokens: TokenKeep }): React.ReactNode {
  const narrow = useNarrow()
  const [drawer, setDrawer] = useState(false)
  const route = useStore(state => state.route)
  const session = useStore(state => state.session)
  const about = useStore(state => state.about)
  const locked = useStore(state => state.locked)
  const announcement = useStore(state => state.announcement)
  const covered = narrow && drawer

  useEffect(() => {
    if (route.page !== 'chat') document.title = `${shelfWords(route.page)} · Turnwise`
    else document.title = session === null ? 'Turnwise' : `${titleOf(about)} · Turnwise`
  }, [route, session, about])
  useEscape(covered, () => setDrawer(false))

  return (
    <div className="app">
      <button type="button" className="skip" onClick={focusComposer}>
        Skip to the message box
      </button>
      <Sidebar keep={keep} narrow={narrow} open={drawer} onClose={() => setDrawer(false)} />
      {covered && <button type="button" className="scrim" aria-label="Close the list" onClick={() => setDrawer(false)} />}
      <main className="main" inert={covered}>
        <TopBar narrow={narrow} drawer={drawer} onMenu={() => setDrawer(true)} />
        {route.page === 'chat' ? (
          <>
            <Transcript />
            <Composer />
          </>
        ) : (
          <Suspense fallback={null}>
            <Shelf route={route} />
          </Suspense>
        )}
      </main>
      <div className="unseen" aria-live="polite">
        {announcement}
      </div>
      {locked && <TokenDialog tokens={tokens} />}
    </div>
  )
}

/** Escape closes what lies on top, else stops what is running. Dialogs and fields that use it themselves say so. */
function useEscape(covered: boolean, close: () => void): void {
  const { stop } = useActions()
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || document.querySelector('dialog[open]')) return
      if (covered) close()
      else stop().catch(reportError)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [covered, close, stop])
}

/** Not a link, because the page's address is a session's and must stay so. */
const focusComposer = (): void => document.getElementById('message')?.focus()
