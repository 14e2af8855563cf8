// Swipes between cards on a narrow screen.
import { type KeyboardEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react'

export type Deck = {
  readonly ref: RefObject<HTMLDivElement | null>
  /** The card in sight. */
  readonly current: number
  readonly show: (index: number) => void
  readonly onScroll: () => void
  readonly onKeyDown: (event: KeyboardEvent) => void
}

/** Cards side by side that are swiped; if all of them are in sight, this does nothing. */
export function useDeck(cards: number): Deck {
  const ref = useRef<HTMLDivElement>(null)
  const [current, setCurrent] = useState(0)

  const onScroll = useCallback(() => {
    const deck = ref.current
    if (deck !== null) setCurrent(nearest(deck))
  }, [])
  const show = useCallback((index: number) => {
    const deck = ref.current
    const card = deck?.children[index]
    if (deck === null || card === undefined) return
    const behavior = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth'
    deck.scrollTo({ left: leftOf(deck, card), behavior })
  }, [])
  /** Turned to its side, a phone keeps the card that was read. */
  useEffect(() => {
    const deck = ref.current
    if (deck === null) return
    const sizes = new ResizeObserver(onScroll)
    sizes.observe(deck)
    return () => sizes.disconnect()
  }, [onScroll])

  const onKeyDown = (event: KeyboardEvent): void => {
    const deck = ref.current
    if (event.defaultPrevented || deck === null || deck.scrollWidth <= deck.clientWidth + 1 || isWriting(event.target)) return
    const next = nextCard(event.key, current, cards)
    if (next === null) return
    event.preventDefault()
    show(next)
    const tabs = event.currentTarget.querySelectorAll<HTMLElement>('.deck-tab')
    if ([...tabs].some(tab => tab === event.target)) tabs[next]?.focus()
  }
  return { ref, current: Math.min(current, Math.max(0, cards - 1)), show, onScroll, onKeyDown }
}

function nextCard(key: string, current: number, cards: number): number | null {
  if (key === 'ArrowRight') return Math.min(current + 1, cards - 1)
  if (key === 'ArrowLeft') return Math.max(current - 1, 0)
  if (key === 'Home') return 0
  return key === 'End' ? cards - 1 : null
}

const leftOf = (deck: HTMLElement, card: Element): number =>
  card.getBoundingClientRect().left - deck.getBoundingClientRect().left + deck.scrollLeft

function nearest(deck: HTMLElement): number {
  const distances = [...deck.children].map(card => Math.abs(leftOf(deck, card) - deck.scrollLeft))
  return Math.max(0, distances.indexOf(Math.min(...distances)))
}

const isWriting = (target: EventTarget): boolean =>
  target instanceof HTMLElement && target.closest('textarea, input, select, [contenteditable]') !== null
