import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './tokens.css'
import './base.css'
import './layout.css'
import './sidebar.css'
import './menu.css'
import './toast.css'
import './transcript.css'
import './actions.css'
import './files.css'
import './find.css'
import './reply.css'
import './receipt.css'
import './tool.css'
import './markdown.css'
import './council.css'
import './round.css'
import './composer.css'
import './draft.css'
import './ring.css'
import './dialog.css'
import './palette.css'
import './form.css'
import './shelf.css'
import './shelf-figures.css'
import './council-page.css'
import { createWire } from './ask.ts'
import { createClient } from './client.ts'
import { createDesk } from './desk.ts'
import { keepIn } from './keep.ts'
import { App } from './parts/app.tsx'
import { routeOf, sessionHash } from './route.ts'
import { applySettings } from './settings.ts'
import { createStore } from './store.ts'
import { createTokenKeep } from './token.ts'
import { DeskContext, StoreContext } from './use-store.ts'

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
