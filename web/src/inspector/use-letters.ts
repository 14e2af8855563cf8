// Single-key shortcuts inside the inspector.
import { useEffect } from 'react'
import { useActions } from '../store/use-store.ts'
import type { ReplyEntry, ViewEntry } from '../view/view.ts'
import { goTo } from './go-to.ts'
import type { TabName } from './tabs.tsx'

const TAB_LETTERS: Readonly<Record<string, TabName>> = { d: 'difference', w: 'what-if' }

/** Single keys inside the inspector: a tab by its letter, and another voice of the same round by its place in it. */
export function useLetters(session: string, turn: string, onTab: (tab: TabName) => void): void {
  const { get } = useActions()
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const { target, key } = event
      if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return
      if (!(target instanceof HTMLElement) || target.closest('.inspector') === null) return
      if (target.closest('input, select, textarea') !== null) return
      const tab = TAB_LETTERS[key]
      const other = turnsBeside(get().view.entries, turn)[Number(key) - 1]
      if (tab !== undefined) {
        onTab(tab)
        // What had the focus may be gone with the tab before.
        document.getElementById(`look-tab-${tab}`)?.focus()
      } else if (other !== undefined) goTo(session, { turn: other, step: 1 })
      else return
      event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [session, turn, onTab, get])
}

/** The turns that answer the same message, in the order of the conversation. */
export function turnsBeside(entries: readonly ViewEntry[], turn: string): readonly string[] {
  const replies = entries.filter((entry): entry is ReplyEntry => entry.kind === 'reply')
  const cause = replies.find(entry => entry.turn === turn)?.cause
  return [...new Set(replies.filter(entry => entry.cause === cause).map(entry => entry.turn))]
}
