import { sessionHash } from '../route.ts'
import { useStore } from '../use-store.ts'
import { shelfWords, titleOf } from '../words.ts'
import { Icon } from './icon.tsx'

type TopBarProps = { readonly narrow: boolean; readonly drawer: boolean; readonly onMenu: () => void }

/** Where one is; on a narrow screen also the way to the list and to a new conversation. */
export function TopBar({ narrow, drawer, onMenu }: TopBarProps): React.ReactNode {
  const session = useStore(state => state.session)
  const about = useStore(state => state.about)
  const route = useStore(state => state.route)
  const isNew = route.page === 'chat' && session === null
  const title = route.page !== 'chat' ? shelfWords(route.page) : isNew ? 'New conversation' : titleOf(about)
  return (
    <header className="top-bar">
      {narrow && (
        <button
          type="button"
          className="quiet-button"
          aria-label="Open the list of conversations"
          aria-expanded={drawer}
          onClick={onMenu}
        >
          <Icon name="menu" />
        </button>
      )}
      <h1 className="top-title" title={title}>
        {isNew && !narrow ? <span className="unseen">{title}</span> : title}
      </h1>
      {narrow && (
        <a className="quiet-button" href={sessionHash(null)} aria-label="New conversation">
          <Icon name="plus" />
        </a>
      )}
    </header>
  )
}
