// Links to the pages beside the conversations.
import { Icon, type IconName } from '../parts/icon.tsx'
import { useStore } from '../store/use-store.ts'
import { hashOf, type WorkspacePageName } from '../view/route.ts'

/** The pages in the order they are met, each by one word. */
export const PAGE_LINKS: readonly { readonly target: WorkspacePageName; readonly words: string; readonly icon: IconName }[] = [
  { target: 'agents', words: 'Agents', icon: 'person' },
  { target: 'councils', words: 'Councils', icon: 'people' },
  { target: 'skills', words: 'Skills', icon: 'spark' },
  { target: 'policies', words: 'Policies', icon: 'scales' },
  { target: 'memory', words: 'Memory', icon: 'memory' },
  { target: 'models', words: 'Models', icon: 'chip' },
  { target: 'mcp', words: 'MCP servers', icon: 'plug' },
  { target: 'usage', words: 'Usage', icon: 'bars' },
  { target: 'settings', words: 'Settings', icon: 'gear' },
]

/** The ways to the pages beside the conversations. */
export function PageLinks({ onOpen }: { readonly onOpen: () => void }): React.ReactNode {
  const page = useStore(state => state.route.page)
  return (
    <ul className="page-links" aria-label="Pages">
      {PAGE_LINKS.map(({ target, words, icon }) => (
        <li key={target}>
          <a href={hashOf({ page: target, key: null })} aria-current={page === target ? 'page' : undefined} onClick={onOpen}>
            <Icon name={icon} />
            {words}
          </a>
        </li>
      ))}
    </ul>
  )
}
