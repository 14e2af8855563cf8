// The bar chart of the timeline, with a link for each bar.
import { useState } from 'react'
import { point } from '../../parts/pointing.ts'
import { lookHash } from '../../view/route.ts'
import type { RequestAt, TimelineMoment } from '../../wire/inspect-api.ts'
import { barsOf, momentWords, type TimelineBar } from './timeline.ts'
import { isAt } from './timeline-tab.tsx'

const WIDTH = 560
const TALL = 120
const COSTS = 28
const BETWEEN = 10
const HEIGHT = TALL + BETWEEN + COSTS

type TimelineChartProps = { readonly session: string; readonly moments: readonly TimelineMoment[]; readonly at: RequestAt }

/** Bars for the eye; over them lie links that say what each is. One stop of the Tab key, and the arrow keys go between them. */
export function TimelineChart({ session, moments, at }: TimelineChartProps): React.ReactNode {
  const here = moments.findIndex(moment => isAt(moment, at))
  const [shown, setShown] = useState<number | null>(null)
  const bars = barsOf(moments)
  const wide = WIDTH / Math.max(1, moments.length)
  const read = shown ?? (here === -1 ? null : here)
  const moment = read === null ? undefined : moments[read]
  const show = (index: number | null): void => {
    setShown(index)
    const cause = index === null ? undefined : moments[index]
    point(cause === undefined ? null : { from: cause.seq, to: cause.seq + 1 })
  }
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    const links = [...event.currentTarget.querySelectorAll<HTMLElement>('a')]
    if (by === undefined) return
    event.preventDefault()
    links[Math.max(0, Math.min(links.length - 1, links.indexOf(event.target as HTMLElement) + by))]?.focus()
  }
  return (
    <div className="timeline-chart">
      <div className="timeline-sheet">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
          <line className="timeline-ground" x1="0" x2={WIDTH} y1={TALL} y2={TALL} />
          <line className="timeline-ground" x1="0" x2={WIDTH} y1={HEIGHT} y2={HEIGHT} />
          {bars.map((bar, index) => (
            <Drawn key={bar.moment.seq} bar={bar} left={index * wide} width={wide} isHere={index === here} />
          ))}
        </svg>
        <ul className="timeline-hits" aria-label="Requests" data-arrows onKeyDown={onKeyDown}>
          {bars.map((bar, index) => (
            <li key={bar.moment.seq}>
              <a
                href={lookHash(session, bar.moment)}
                tabIndex={index === Math.max(0, here) ? 0 : -1}
                aria-current={index === here ? 'true' : undefined}
                data-dropped={bar.hasDropped}
                onFocus={() => show(index)}
                onBlur={() => show(null)}
                onPointerEnter={() => show(index)}
                onPointerLeave={() => show(null)}
              >
                <span className="unseen">{momentWords(bar.moment, index + 1)}</span>
              </a>
            </li>
          ))}
        </ul>
      </div>
      <p className="timeline-words" aria-hidden="true">
        {moment === undefined || read === null ? 'Point at a bar to read what it was.' : momentWords(moment, read + 1)}
      </p>
      <p className="timeline-key">
        Above: tokens sent, darker what was cached. Below: what it cost. <span className="drop-mark" aria-hidden="true" /> The
        window dropped messages.
      </p>
    </div>
  )
}

type DrawnProps = { readonly bar: TimelineBar; readonly left: number; readonly width: number; readonly isHere: boolean }

function Drawn({ bar, left, width, isHere }: DrawnProps): React.ReactNode {
  const gap = Math.min(2, width * 0.2)
  const [x, wide] = [left + gap / 2, Math.max(0.5, width - gap)]
  const top = TALL * (1 - bar.height)
  return (
    <g data-here={isHere}>
      <rect className="timeline-fresh" x={x} width={wide} y={top} height={TALL * (bar.height - bar.cached)} />
      <rect className="timeline-cached" x={x} width={wide} y={TALL * (1 - bar.cached)} height={TALL * bar.cached} />
      <rect className="timeline-cost" x={x} width={wide} y={HEIGHT - COSTS * bar.cost} height={COSTS * bar.cost} />
    </g>
  )
}
