// The search bar for words in this conversation.
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useFrame } from '../../parts/frame.ts'
import { Icon } from '../../parts/icon.tsx'
import { formatCount } from '../../words/words.ts'
import { useReading } from '../reading.ts'
import type { TranscriptRowData } from '../rows.ts'
import { findPlaces, stepTo } from './find.ts'
import { clearFound, showFound } from './show-found.ts'

type FindBarProps = { readonly rows: readonly TranscriptRowData[]; readonly scroller: RefObject<HTMLElement | null> }

/** Finds words in this conversation: the browser's own search sees only what is drawn. Pressed again, that one comes. */
export function FindBar({ rows, scroller }: FindBarProps): React.ReactNode {
  const { jump } = useReading()
  const field = useRef<HTMLInputElement>(null)
  const { finding: isOpen, find: setOpen } = useFrame()
  const [words, setWords] = useState('')
  const [at, setAt] = useState<number | null>(null)
  const places = useMemo(() => (isOpen ? findPlaces(rows, words) : []), [rows, words, isOpen])
  const here = at === null ? undefined : places[at]

  useFindKey(() => {
    if (field.current !== null && field.current === document.activeElement) return false
    setOpen(true)
    field.current?.select()
    return true
  }, rows.length > 0)

  const close = useCallback(() => {
    setOpen(false)
    setAt(null)
    clearFound()
    scroller.current?.focus({ preventScroll: true })
  }, [scroller, setOpen])
  // What was marked in a conversation that is left must not stay marked.
  useEffect(() => clearFound, [])

  const go = (by: 1 | -1): void => {
    const next = stepTo(places, at, by)
    const place = next === null ? undefined : places[next]
    setAt(next)
    if (place === undefined || scroller.current === null) return
    jump(place.row, false)
    showFound(scroller.current, place, words)
  }
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') {
      // It closes this, and stops nothing.
      event.preventDefault()
      close()
    } else if (event.key === 'Enter') {
      event.preventDefault()
      // Reading begins at the end, so the first place is the last one, and Enter goes up from there.
      go(event.shiftKey ? 1 : -1)
    }
  }
  if (!isOpen) return null
  return (
    <search className="find" aria-label="Find in this conversation" onKeyDown={onKeyDown}>
      <Icon name="search" />
      <input
        ref={field}
        type="text"
        aria-label="Find in this conversation"
        placeholder="Find in this conversation"
        value={words}
        // biome-ignore lint/a11y/noAutofocus: the person just asked for this field
        autoFocus
        onChange={event => {
          setWords(event.target.value)
          setAt(null)
          clearFound()
        }}
      />
      <span className="find-count" role="status">
        {foundWords(words, places.length, here === undefined ? null : at)}
      </span>
      <button type="button" className="small-button" aria-label="Earlier" title="Earlier (Enter)" onClick={() => go(-1)}>
        <Icon name="send" />
      </button>
      <button type="button" className="small-button" aria-label="Later" title="Later (Shift+Enter)" onClick={() => go(1)}>
        <Icon name="down" />
      </button>
      <button type="button" className="small-button" aria-label="Close" title="Close (Esc)" onClick={close}>
        <Icon name="close" />
      </button>
    </search>
  )
}

function foundWords(words: string, many: number, at: number | null): string {
  if (words.trim() === '') return ''
  if (many === 0) return 'Nothing found'
  return at === null ? `${formatCount(many)} found` : `${formatCount(at + 1)} of ${formatCount(many)}`
}

/** Ctrl or ⌘ with F. What is asked says whether it took the key. */
function useFindKey(ask: () => boolean, isWanted: boolean): void {
  const latest = useRef(ask)
  useEffect(() => {
    latest.current = ask
  })
  useEffect(() => {
    if (!isWanted) return
    const onKey = (event: KeyboardEvent): void => {
      const isFind = event.key.toLowerCase() === 'f' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey
      if (!isFind || event.defaultPrevented || document.querySelector('dialog[open]') !== null) return
      if (latest.current()) event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [isWanted])
}
