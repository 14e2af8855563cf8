// The bar that shows what a request was made of.
import { SLICE_WORDS, type Slice } from '../composer/ring/figures.ts'
import { percentWords, shortCount } from '../words/amounts.ts'
import { formatCount } from '../words/words.ts'
import type { FilledWindow } from './items/filled.ts'

type BarProps = {
  readonly filled: FilledWindow
  readonly lit: Slice | null
  readonly onLight: (slice: Slice | null) => void
  readonly name?: string
}

/** What a request was made of, by kind, the hatched part not cached; below it how much of the window that is. */
export function WindowBar({ filled, lit, onLight, name = 'What filled the window' }: BarProps): React.ReactNode {
  const { parts, used, reserved, free, whole } = filled
  const share = (tokens: number, of: number): { width: string } => ({ width: `${(tokens / Math.max(1, of)) * 100}%` })
  return (
    <section className="look-bar" aria-label={name} data-used={used}>
      <div className="breakdown-bar" aria-hidden="true">
        {parts.map(({ slice, tokens, cached }) => (
          <span
            key={slice}
            className="bar-part"
            data-slice={slice}
            data-tokens={tokens}
            data-faded={lit !== null && lit !== slice}
            style={share(tokens, used)}
            onPointerEnter={() => onLight(slice)}
            onPointerLeave={() => onLight(null)}
          >
            <span className="bar-fresh" style={{ left: `${(cached / tokens) * 100}%` }} />
          </span>
        ))}
      </div>
      <div className="window-bar" aria-hidden="true">
        <span className="window-used" style={share(used, whole)} />
        <span className="bar-free" />
        <span className="bar-reserved" style={share(reserved, whole)} />
      </div>
      <ul className="look-legend">
        {parts.map(({ slice, tokens, cached }) => (
          <li key={slice} data-lit={lit === slice} onPointerEnter={() => onLight(slice)} onPointerLeave={() => onLight(null)}>
            <span className="slice-swatch" data-slice={slice} aria-hidden="true" />
            {SLICE_WORDS[slice]} <b>{formatCount(tokens)}</b>
            {cached > 0 && <span className="unseen">, {formatCount(cached)} of it cached</span>}
          </li>
        ))}
        <li>
          <span className="slice-swatch bar-reserved" aria-hidden="true" />
          Kept for the answer <b>{shortCount(reserved)}</b>
        </li>
        {free !== null && (
          <li>
            <span className="slice-swatch" data-slice="free" aria-hidden="true" />
            Free <b>{shortCount(free)}</b> ({percentWords(free / Math.max(1, used + free))})
          </li>
        )}
      </ul>
    </section>
  )
}
