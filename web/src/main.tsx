import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './frame/tokens.css'
import './frame/base.css'
import './frame/layout.css'
import './sidebar/sidebar.css'
import './sidebar/menu.css'
import './sidebar/toast.css'
import './transcript/transcript.css'
import './transcript/actions.css'
import './transcript/files.css'
import './transcript/find.css'
import './transcript/reply.css'
import './transcript/receipt.css'
import './transcript/tool.css'
import './markdown/markdown.css'
import './council/council.css'
import './council/round.css'
import './composer/composer.css'
import './composer/draft.css'
import './composer/ring.css'
import './frame/dialog.css'
import './frame/palette.css'
import './form/form.css'
import './pages/shelf.css'
import './pages/shelf-figures.css'
import './pages/council-page.css'
import { App } from './frame/app.tsx'
import { routeOf, sessionHash } from './store/route.ts'
import { applySettings } from './store/settings.ts'
import { createStore } from './store/store.ts'
import { DeskContext, StoreContext } from './store/use-store.ts'
import { createWire } from './wire/ask.ts'
import { createClient } from './wire/client.ts'
import { createDesk } from './wire/desk.ts'
import { keepIn } from './wire/keep.ts'
import { createTokenKeep } from './wire/token.ts'

const keep = keepIn(() => localStorage)
const tokens = createTokenKeep(
  keepIn(() => sessionStorage),
  keep,
)
const wire = createWire(tokens.read)
const desk = createDesk(wire.ask)
const store = createStore({
  client: createClient(wire),
  keep,
  newKey: () =>
    `web-${Array.from(crypto.getRandomValues(new Uint8Array(12)), byte => byte.toString(16).padStart(2, '0')).join('')}`,
  go: session => {
    location.hash = sessionHash(session)
  },
  // Frames do not come to a tab in the background, but what was heard must not pile up there.
  later: show => (document.hidden ? setTimeout(show, 200) : requestAnimationFrame(show)),
})

store.settings.watch(() => applySettings(store.settings.get(), document))
// Another tab may have chosen.
addEventListener('storage', store.settings.refresh)

const openAddress = (): void => store.visit(routeOf(location.hash))
addEventListener('hashchange', openAddress)
addEventListener('online', store.retry)
// Another tab may have queued something, or sent it.
addEventListener('storage', store.recall)
addEventListener('pagehide', store.undo.flush)
document.addEventListener('visibilitychange', () => store.setVisible(!document.hidden))
openAddress()
store.begin().catch(reportError)

const page = document.getElementById('page')
if (page === null) throw new Error('the page has no place for itself')
createRoot(page).render(
  <StrictMode>
    <StoreContext value={store}>
      <DeskContext value={desk}>
        <App keep={keep} tokens={tokens} />
      </DeskContext>
    </StoreContext>
  </StrictMode>,
)
