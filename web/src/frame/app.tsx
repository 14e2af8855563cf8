// The whole page: sidebar, conversation, composer and dialogs.
import { lazy, Suspense, useEffect } from 'react'
import { Composer } from '../composer/composer.tsx'
import { FrameContext, type OpenConnect } from '../parts/frame.ts'
import { useBeside } from '../parts/use-beside.ts'
import { Sidebar } from '../sidebar/sidebar.tsx'
import { useStore } from '../store/use-store.ts'
import { TranscriptView } from '../transcript/transcript.tsx'
import type { Look } from '../view/route.ts'
import type { LocalStore } from '../wire/local-storage.ts'
import type { TokenStore } from '../wire/token.ts'
import { pageTitle, sessionTitle } from '../words/words.ts'
import { SettingsDialog } from './dialogs/settings-dialog.tsx'
import { Shortcuts } from './dialogs/shortcuts.tsx'
import { TokenDialog } from './dialogs/token-dialog.tsx'
import { Mishap } from './mishap.tsx'
import { Pages } from './pages.tsx'
import { Palette } from './palette/palette.tsx'
import { Toasts } from './toasts.tsx'
import { TopBar } from './top-bar.tsx'
import { useShortcutActions } from './use-actions.ts'
import { useFrameState } from './use-frame.ts'
import { useKeys } from './use-keys.ts'

/** The whole page: sessions at the left, the conversation, and where to write. */
export function App({ localStore, tokens }: { readonly localStore: LocalStore; readonly tokens: TokenStore }): React.ReactNode {
  const { frame, overlay, connecting, onConnected, onClosed } = useFrameState(localStore)
  const actions = useShortcutActions(frame)
  const route = useStore(state => state.route)
  const session = useStore(state => state.session)
  const about = useStore(state => state.about)
  const locked = useStore(state => state.locked)
  const announcement = useStore(state => state.announcement)
  const look = route.page === 'chat' && route.session !== null && route.session === session ? (route.look ?? null) : null
  // What is looked at lies over the conversation where there is no room beside it.
  const isBeside = useBeside()
  const covered = (frame.narrow && frame.sidebar) || (look !== null && !isBeside)

  useEffect(() => {
    if (route.page !== 'chat') document.title = `${pageTitle(route.page)} · Turnwise`
    else document.title = session === null ? 'Turnwise' : `${sessionTitle(about)} · Turnwise`
  }, [route, session, about])
  useKeys(actions)

  return (
    <FrameContext value={frame}>
      <div className="app" data-sidebar={frame.sidebar ? 'shown' : 'hidden'}>
        <button type="button" className="skip" onClick={focusComposer}>
          Skip to the message box
        </button>
        <Sidebar />
        {frame.narrow && frame.sidebar && (
          <button type="button" className="scrim" aria-label="Close the list" onClick={() => frame.showSidebar(false)} />
        )}
        <main className="main" inert={covered}>
          <TopBar />
          {route.page === 'chat' ? (
            <Mishap key="chat">
              <TranscriptView />
              <Composer />
            </Mishap>
          ) : (
            <Mishap key="pages">
              <Pages route={route} />
            </Mishap>
          )}
        </main>
        {look !== null && session !== null && <Beside session={session} look={look} />}
        <div className="unseen" aria-live="polite">
          {announcement}
        </div>
        <Toasts />
        {overlay === 'palette' && <Palette localStore={localStore} actions={actions} onClose={() => onClosed('palette')} />}
        {overlay === 'shortcuts' && <Shortcuts onClose={() => onClosed('shortcuts')} />}
        {overlay === 'preferences' && <SettingsDialog onClose={() => onClosed('preferences')} />}
        {connecting !== null && <Connect connecting={connecting} onClose={onConnected} />}
        {locked && <TokenDialog tokens={tokens} />}
      </div>
    </FrameContext>
  )
}

/** Not a link, because the page's address is a session's and must stay so. */
const focusComposer = (): void => document.getElementById('message')?.focus()

/** Loaded when the person first opens the inspector. */
const Inspector = lazy(() => import('../inspector/inspector.tsx').then(({ InspectorPanel }) => ({ default: InspectorPanel })))

/** Loaded when the person first connects something. */
const ConnectDialog = lazy(() => import('../connect/connect-dialog.tsx').then(read => ({ default: read.ConnectDialog })))

function Connect({ connecting, onClose }: { readonly connecting: OpenConnect; readonly onClose: () => void }): React.ReactNode {
  return (
    <Mishap>
      <Suspense>
        <ConnectDialog {...connecting} onClose={onClose} />
      </Suspense>
    </Mishap>
  )
}

/** The inspector beside the conversation. */
function Beside({ session, look }: { readonly session: string; readonly look: Look }): React.ReactNode {
  return (
    <Mishap>
      <Suspense fallback={<aside className="inspector" aria-label="Inspector" aria-busy="true" />}>
        <Inspector session={session} look={look} />
      </Suspense>
    </Mishap>
  )
}
