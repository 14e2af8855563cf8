// The ring that shows how full the newest request was.
import { useEffect, useMemo, useRef } from 'react'
import { Icon } from '../../parts/icon.tsx'
import type { WorkspaceLists } from '../../parts/use-workspace-lists.ts'
import { useStore } from '../../store/use-store.ts'
import { openCouncil } from '../../view/called.ts'
import { percentWords } from '../../words/amounts.ts'
import { usePopover } from '../use-popover.ts'
import { Breakdown, policyIn } from './breakdown.tsx'
import { type RingFigures as RingShown, ringOf, ringWarning, ringWords } from './figures.ts'

/** Around the ring: its radius in its own units. */
const RADIUS = 8.25
const ROUND = 2 * Math.PI * RADIUS
/** A pointer that only passes by opens nothing, and one that slips off for a moment closes nothing. */
const INTENT_MS = 120
const GRACE_MS = 180

function useRing(): RingShown | null {
  const entries = useStore(state => state.view.entries)
  const about = useStore(state => state.about)
  const councils = useStore(state => state.councils)
  return useMemo(() => {
    const council = openCouncil({ about, councils })
    const isHere = (voice: string): boolean =>
      council === undefined ? about?.agent == null || voice === about.agent : council.advisors.some(({ id }) => id === voice)
    return ringOf(entries, isHere)
  }, [entries, about, councils])
}

/** What will happen next is said in sight once it is near. */
export function RingWarning({ lists }: { readonly lists: WorkspaceLists | null }): React.ReactNode {
  const ring = useRing()
  const words = ring?.level === 'hot' ? ringWarning(ring, policyIn(lists, ring)) : null
  return words === null ? null : (
    <p className="composer-warning" role="status">
      <Icon name="info" />
      {words}
    </p>
  )
}

/** How full the newest request was; a click shows what it was made of. */
export function Ring({ lists }: { readonly lists: WorkspaceLists | null }): React.ReactNode {
  const ring = useRing()
  const { button, panel, state, pin, peek, close, closePeek } = usePopover('right')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  if (ring === null) return null

  const soon = (ms: number, act: () => void) => (): void => {
    clearTimeout(timer.current)
    timer.current = setTimeout(act, ms)
  }
  const hover = { onMouseEnter: soon(INTENT_MS, peek), onMouseLeave: soon(GRACE_MS, closePeek) }
  return (
    <>
      <button
        type="button"
        ref={button}
        className="ring"
        data-level={ring.level}
        aria-label={`Context: ${ringWords(ring)}`}
        aria-expanded={state !== 'closed'}
        aria-haspopup="dialog"
        onClick={() => (state === 'pinned' ? close() : pin())}
        {...hover}
      >
        <svg viewBox="0 0 20 20" aria-hidden="true" focusable="false">
          <circle className="ring-track" cx="10" cy="10" r={RADIUS} data-unknown={ring.share === null} />
          {ring.share !== null && (
            <circle
              className="ring-used"
              cx="10"
              cy="10"
              r={RADIUS}
              strokeDasharray={`${Math.max(0.6, Math.min(1, ring.share) * ROUND)} ${ROUND}`}
            />
          )}
        </svg>
        {ring.level !== 'calm' && ring.share !== null && <span className="ring-share">{percentWords(ring.share)}</span>}
      </button>
      <div
        className="ring-panel"
        ref={panel}
        popover="manual"
        role="dialog"
        aria-label="What the newest request was made of"
        {...hover}
      >
        {state !== 'closed' && <Breakdown ring={ring} lists={lists} isPinned={state === 'pinned'} onClose={close} />}
      </div>
    </>
  )
}
