// Keeps the end of the transcript in view while a reader is at the end.
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

export type Stick = {
  readonly scroller: RefObject<HTMLElement | null>
  readonly content: RefObject<HTMLDivElement | null>
  /** True while the reader looks at something further up. */
  readonly away: boolean
  readonly toEnd: () => void
  /** The same for a reader who just said something: until they move themselves, nothing takes them from the end again. */
  readonly leadToEnd: () => void
  /** The reader is shown a place: until they move themselves, nothing but going to another place moves them from it. */
  readonly show: () => void
  /** True from `show` until the reader moves, or goes to the end. */
  readonly isShown: () => boolean
  /** Something was measured or added: the end moves back into sight for a reader who was there. */
  readonly settle: () => void
}

/** Nearer than this to the end counts as being there. */
const NEAR_PX = 60

/** What a reader does to move by themselves; a scroll event alone does not say who scrolled. */
const MOVES = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const

/** Who decides what is in sight: the end, as it grows; a place the page went to; or the reader, who moved. */
type Reading = 'end' | 'place' | 'reader'

/**
 * Keeps the end in sight while text grows, but only for a reader who is already there. `place` is what is being read; while
 * `isHeld` is true, growing text does not move the reader.
 */
export function useStick(place: string | null, isHeld: boolean): Stick {
  const scroller = useRef<HTMLElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const reading = useRef<Reading>('end')
  const before = useRef(0)
  /** The page brings the reader to the end. The list may still be on its way to another row, and would come back to it. */
  const isLed = useRef(false)
  const held = useRef(isHeld)
  held.current = isHeld
  const [away, setAway] = useState(false)

  const showEnd = useCallback((box: HTMLElement) => {
    box.scrollTop = box.scrollHeight
    before.current = box.scrollTop
    // Tell the list now. With the next frame it would show an empty area that it has not drawn yet.
    queueMicrotask(() => box.dispatchEvent(new Event('scroll')))
  }, [])

  const settle = useCallback(() => {
    const box = scroller.current
    if (box === null || reading.current !== 'end' || fromEnd(box) < 1) return
    if (held.current) {
      if (fromEnd(box) >= NEAR_PX) reading.current = 'reader'
      return setAway(reading.current !== 'end')
    }
    showEnd(box)
  }, [showEnd])

  const toEnd = useCallback(() => {
    const box = scroller.current
    reading.current = 'end'
    setAway(false)
    if (box !== null) showEnd(box)
  }, [showEnd])

  const leadToEnd = useCallback(() => {
    isLed.current = true
    toEnd()
  }, [toEnd])

  const show = useCallback(() => {
    isLed.current = false
    reading.current = 'place'
  }, [])
  const isShown = useCallback(() => reading.current === 'place', [])

  // Another conversation opens at its end; the welcome page opens at its beginning.
  useLayoutEffect(() => {
    if (place !== null) return toEnd()
    show()
    scroller.current?.scrollTo(0, 0)
  }, [place, toEnd, show])

  useEffect(() => {
    const box = scroller.current
    const inner = content.current
    if (box === null || inner === null) return
    const onScroll = (): void => {
      // A place the page goes to may be near the end while only a part of the conversation is here: that is no wish to be there.
      if (reading.current !== 'place') {
        // Only who goes up leaves the end: it also moves away from a reader who stays where they are.
        if (fromEnd(box) < NEAR_PX) reading.current = 'end'
        else if (isLed.current && !held.current) {
          showEnd(box)
          return
        } else if (box.scrollTop < before.current - 1) reading.current = 'reader'
      }
      before.current = box.scrollTop
      setAway(reading.current === 'place' ? fromEnd(box) >= NEAR_PX : reading.current === 'reader')
    }
    const onMove = (): void => {
      isLed.current = false
      if (reading.current === 'place') reading.current = 'reader'
    }
    // Focus that goes into the conversation scrolls to what has it.
    const onFocus = (): void => {
      isLed.current = false
    }
    const sizes = new ResizeObserver(settle)
    box.addEventListener('scroll', onScroll, { passive: true })
    for (const move of MOVES) box.addEventListener(move, onMove, { passive: true })
    box.addEventListener('focusin', onFocus, { passive: true })
    sizes.observe(inner)
    sizes.observe(box)
    return () => {
      box.removeEventListener('scroll', onScroll)
      for (const move of MOVES) box.removeEventListener(move, onMove)
      box.removeEventListener('focusin', onFocus)
      sizes.disconnect()
    }
  }, [settle, showEnd])

  return { scroller, content, away, toEnd, leadToEnd, show, isShown, settle }
}

const fromEnd = (box: HTMLElement): number => box.scrollHeight - box.scrollTop - box.clientHeight
