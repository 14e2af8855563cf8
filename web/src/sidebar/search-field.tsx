// The search field above the list of sessions.
import { useEffect, useState } from 'react'
import { Icon } from '../parts/icon.tsx'
import { useActions, useStore } from '../store/use-store.ts'
import { firstRow } from './rows-by-key.ts'

/** Searches everything that was said. Down goes to the hits, Enter opens the first hit, Escape clears. */
export function SearchField(): React.ReactNode {
  const { search } = useActions()
  const query = useStore(state => state.query)
  const listedFor = useStore(state => state.listedFor)
  /** The words to open the first hit for, once it is known: until then the list shows the hits of other words. */
  const [opening, setOpening] = useState<string | null>(null)
  const words = query.trim()
  useEffect(() => {
    if (opening === null) return
    if (opening === words && listedFor !== words) return
    setOpening(null)
    if (opening === words) firstRow()?.click()
  }, [opening, words, listedFor])
  const archived = useStore(state => state.archived)
  const project = useStore(state => state.project)
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape' && query !== '') search('')
    else if (event.key === 'ArrowDown') firstRow()?.focus()
    else if (event.key === 'Enter' && words !== '') setOpening(words)
    else return
    event.preventDefault()
  }
  return (
    <label className="search">
      <Icon name="search" />
      <span className="unseen">Search conversations</span>
      <input
        id="search"
        type="search"
        value={query}
        maxLength={200}
        placeholder={archived ? 'Search archived' : project === null ? 'Search' : `Search in ${project}`}
        autoComplete="off"
        spellCheck={false}
        onChange={event => search(event.target.value)}
        onKeyDown={onKeyDown}
      />
    </label>
  )
}
