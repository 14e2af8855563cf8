import type { Route } from '../../route.ts'
import { shelfWords } from '../../words.ts'

type ShelfProps = { readonly route: Exclude<Route, { readonly page: 'chat' }> }

/** Which page an address means. */
export function Shelf({ route }: ShelfProps): React.ReactNode {
  return (
    <section className="shelf" aria-label={shelfWords(route.page)}>
      <div className="shelf-inner">{shelfWords(route.page)}</div>
    </section>
  )
}
