import { useEffect } from 'react'
import { firstSent } from '../boundary.ts'
import { useStore } from '../use-store.ts'
import type { Boundary, Entry } from '../view.ts'
import { BLOCK, type BoundaryPlace, EntryBlock } from './entry-block.tsx'
import { Icon } from './icon.tsx'
import { Missing } from './missing.tsx'
import { RoundActions } from './round-actions.tsx'
import { useStick } from './use-stick.ts'
import { Welcome } from './welcome.tsx'

/** Everything that was said, in order, with the end kept in sight while somebody is there. */
export function Transcript(): React.ReactNode {
  const session = useStore(state => state.session)
  const entries = useStore(state => state.view.entries)
  const boundary = useStore(state => state.view.boundary)
  const link = useStore(state => state.link)
  const { scroller, content, away, toEnd } = useStick(session)
  const lastSaid = entries.findLast(entry => entry.kind === 'message')?.seq

  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever says something wants to see it and what follows
  useEffect(toEnd, [lastSaid, toEnd])

  const place = placeOf(entries, boundary)
  const missing = link?.state === 'refused' && link.problem.status !== 401 ? link.problem : null
  return (
    <div className="transcript">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable to be scrolled by keys */}
      <section className="scroller" ref={scroller} tabIndex={0} aria-label="Conversation">
        <div className="entries" ref={content}>
          {missing !== null && <Missing problem={missing} />}
          {session === null && <Welcome />}
          {blocksOf(entries).map(([first, block]) => (
            <EntryBlock
              key={`${session} ${first}`}
              entries={block}
              boundary={block.some(entry => entry.seq === place?.above) ? place : null}
            />
          ))}
          <RoundActions />
        </div>
      </section>
      {away && (
        <button type="button" className="to-end" onClick={toEnd}>
          <Icon name="down" />
          Latest
        </button>
      )}
    </div>
  )
}

function placeOf(entries: readonly Entry[], boundary: Boundary | null): BoundaryPlace | null {
  const first = boundary === null ? undefined : firstSent(entries, boundary)
  return first === undefined || boundary === null ? null : { above: first.seq, left: boundary.left }
}

/** Cut by position, so that an entry never changes its block: entries are only added at the end. */
function blocksOf(entries: readonly Entry[]): readonly (readonly [number, readonly Entry[]])[] {
  return Array.from({ length: Math.ceil(entries.length / BLOCK) }, (_, index) => [
    index * BLOCK,
    entries.slice(index * BLOCK, (index + 1) * BLOCK),
  ])
}
