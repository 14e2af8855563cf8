// Folds a long text and opens it on demand.
import { useId, useLayoutEffect, useRef, useState } from 'react'
import { setOpen, useOpen } from '../reply/receipt/details.tsx'

type LongTextProps = {
  /** What is folded here; remembered by this. */
  readonly place: string
  /** The text must be open now, even if the reader folded it. */
  readonly isOpen: boolean
  readonly children: React.ReactNode
}

/**
 * Shows the first lines of a text, and the whole text on demand. It stays folded while it grows, so that the cards
 * beside it keep their place; a reader who opens it reads along.
 */
export function LongText({ place, isOpen: mustBeOpen, children }: LongTextProps): React.ReactNode {
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const inner = useRef<HTMLDivElement>(null)
  const isChosen = useOpen(place)
  const [isLong, setLong] = useState(false)
  const isOpen = isChosen || mustBeOpen

  useLayoutEffect(() => {
    const [outside, inside] = [box.current, inner.current]
    if (outside === null || inside === null) return
    const measure = (): void => setLong(inside.scrollHeight > foldedHeight(outside) + 1)
    measure()
    const sizes = new ResizeObserver(measure)
    sizes.observe(inside)
    return () => sizes.disconnect()
  }, [])

  /** What the focus or a search in the page reaches below the fold must be seen. */
  const onScroll = (): void => {
    if (box.current === null || box.current.scrollTop === 0) return
    box.current.scrollTop = 0
    setOpen(place, true)
  }
  return (
    <div className="long-text" data-folded={isLong && !isOpen}>
      <div className="long-text-box" id={id} ref={box} onScroll={onScroll}>
        <div ref={inner}>{children}</div>
      </div>
      {isLong && !mustBeOpen && (
        <button
          type="button"
          className="long-text-more"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(place, !isChosen)}
        >
          {isOpen ? 'Show less' : 'Show more'}
        </button>
      )}
    </div>
  )
}

/** As the style sheet has it, so that both agree at every text size. */
const foldedHeight = (box: HTMLElement): number =>
  Number.parseFloat(getComputedStyle(box).lineHeight) * Number(getComputedStyle(box).getPropertyValue('--fold-lines'))
