// Links to the pages beside the conversations.
import { Icon, type IconName } from '../parts/icon.tsx'
import { useStore } from '../store/use-store.ts'
import { hashOf, type Shelf } from '../view/route.ts'

/** The pages in the order they are met, each by one word. */
export const SHELF_LINKS: readonly { readonly shelf: Shelf; readonly words: string; readonly icon: IconName }[] = [
  { shelf: 'agents', words: 'Agents', icon: 'person' },
  { shelf: 'councils', words: 'Councils', icon: 'people' },
  { shelf: 'skills', words: 'Skills', icon: 'spark' },
  { shelf: 'policies', words: 'Policies', icon: 'scales' },
  { shelf: 'models', words: 'Models', icon: 'chip' },
  { shelf: 'usage', words: 'Usage', icon: 'bars' },
]

/** The ways to the pages beside the conversations. */
export function ShelfLinks({ onOpen }: { readonly onOpen: () => void }): React.ReactNode {
  const page = useStore(state => state.route.page)
  return (
    <ul className="shelf-links" aria-label="Pages">
      {SHELF_LINKS.map(({ shelf, words, icon }) => (
        <li key={shelf}>
          <a href={hashOf({ page: shelf, key: null })} aria-current={page === shelf ? 'page' : undefined} onClick={onOpen}>
            <Icon name={icon} />
            {words}
          </a>
        </li>
      ))}
    </ul>
  )
}
