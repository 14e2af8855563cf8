// Starts the page.
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './frame/tokens.css'
import './frame/base.css'
import './frame/layout.css'
import './parts/voice-dot.css'
import './sidebar/sidebar.css'
import './sidebar/session-list.css'
import './parts/menu/menu.css'
import './frame/toast.css'
import './transcript/transcript.css'
import './transcript/welcome.css'
import './reply/actions/actions.css'
import './parts/files/shown-files.css'
import './transcript/find/find.css'
import './transcript/folds/folds.css'
import './reply/reply.css'
import './reply/recalled.css'
import './reply/ending.css'
import './reply/receipt/receipt.css'
import './reply/tool.css'
import './markdown/markdown.css'
import './markdown/code/code.css'
import './council/council.css'
import './council/round.css'
import './council/card.css'
import './composer/composer.css'
import './composer/notices.css'
import './composer/draft.css'
import './composer/ring/ring.css'
import './composer/offers/offers.css'
import './frame/dialogs/dialog.css'
import './frame/palette/palette.css'
import './form/form.css'
import './model-picker/model-picker.css'
import './connect/connect.css'
import './pages/workspace-page.css'
import './pages/cards.css'
import './pages/page-figures.css'
import './pages/bench/bench.css'
import './pages/memory/memory.css'
import './pages/models/models-page.css'
import './pages/equipment/equipment.css'
import './pages/policies/policies.css'
import './pages/settings/settings.css'
import './pages/skills/skills.css'
import './pages/mcp/mcp.css'
import './pages/usage/usage.css'
import './pages/councils/council-page.css'
import './inspector/inspector.css'
import './inspector/items/items.css'
import './inspector/views/views.css'
import { App } from './frame/app.tsx'
import { nextFrame } from './frame/next-frame.ts'
import { applySettings } from './store/settings.ts'
import { createStore } from './store/store.ts'
import { InspectApiContext, StoreContext, WorkspaceApiContext } from './store/use-store.ts'
import { routeOf, sessionHash } from './view/route.ts'
import { createApiConnection } from './wire/ask.ts'
import { createApiClient } from './wire/client.ts'
import { createInspectApi } from './wire/inspect-api.ts'
import { localStoreIn } from './wire/local-storage.ts'
import { createTokenStore } from './wire/token.ts'
import { createWorkspaceApi } from './wire/workspace-api.ts'

const localStore = localStoreIn(() => localStorage)
const tokens = createTokenStore(
  localStoreIn(() => sessionStorage),
  localStore,
)
const wire = createApiConnection(tokens.read)
const workspaceApi = createWorkspaceApi(wire)
const inspectApi = createInspectApi(wire.ask)
const store = createStore({
  client: createApiClient(wire),
  localStore,
  newKey: () =>
    `web-${Array.from(crypto.getRandomValues(new Uint8Array(12)), byte => byte.toString(16).padStart(2, '0')).join('')}`,
  go: session => {
    location.hash = sessionHash(session)
  },
  later: nextFrame,
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
      <WorkspaceApiContext value={workspaceApi}>
        <InspectApiContext value={inspectApi}>
          <App localStore={localStore} tokens={tokens} />
        </InspectApiContext>
      </WorkspaceApiContext>
    </StoreContext>
  </StrictMode>,
)
