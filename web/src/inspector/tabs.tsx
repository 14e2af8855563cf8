// The inspector's tabs.
import { useRef } from 'react'

export const TABS = [
  { name: 'items', words: 'Items' },
  { name: 'request', words: 'Request' },
  { name: 'difference', words: 'Difference' },
  { name: 'what-if', words: 'What if' },
  { name: 'timeline', words: 'Timeline' },
] as const

export type TabName = (typeof TABS)[number]['name']

type TabsProps = { readonly tab: TabName; readonly onTab: (tab: TabName) => void; readonly children: React.ReactNode }

/** One thing at a time. The arrow keys go between the tabs. */
export function Tabs({ tab, onTab, children }: TabsProps): React.ReactNode {
  const list = useRef<HTMLDivElement>(null)
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const at = TABS.findIndex(({ name }) => name === tab)
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: TABS.length - 1 }[event.key]
    if (to === undefined) return
    event.preventDefault()
    const next = TABS[(to + TABS.length) % TABS.length]
    if (next === undefined) return
    onTab(next.name)
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.name}"]`)?.focus()
  }
  return (
    <>
      <div className="look-tabs" role="tablist" aria-label="What to look at" ref={list} onKeyDown={onKeyDown}>
        {TABS.map(({ name, words }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`look-tab-${name}`}
            data-tab={name}
            aria-selected={name === tab}
            aria-controls="look-panel"
            tabIndex={name === tab ? 0 : -1}
            onClick={() => onTab(name)}
          >
            {words}
          </button>
        ))}
      </div>
      <div className="look-panel" id="look-panel" role="tabpanel" aria-labelledby={`look-tab-${tab}`}>
        {children}
      </div>
    </>
  )
}
