// The panel behind the ring: what the newest request was made of.
import { useEffect, useRef, useState } from 'react'
import type { UsageSum } from '../../../../src/model/usage.ts'
import { Icon } from '../../parts/icon.tsx'
import type { WorkspaceLists } from '../../parts/use-workspace-lists.ts'
import { recallScope } from '../../store/recall-scope.ts'
import { useActions, useStore } from '../../store/use-store.ts'
import { shownVoiceName } from '../../view/called.ts'
import { hashOf } from '../../view/route.ts'
import { dollars, percentWords, shortCount } from '../../words/amounts.ts'
import { SUMMARIZE } from '../../words/fold-words.ts'
import { recallScopeWords } from '../../words/memory-words.ts'
import { type RingFigures, type RingPart, ringWarning, ringWords, SLICE_WORDS, type Slice } from './figures.ts'

/** The policy a request was made under, as it is now. */
export const policyIn = (lists: WorkspaceLists | null, { policy }: RingFigures): WorkspaceLists['policies'][number] | undefined =>
  lists?.policies.find(({ name }) => name === policy.split('@')[0])

type BreakdownProps = {
  readonly ring: RingFigures
  readonly lists: WorkspaceLists | null
  readonly isPinned: boolean
  readonly onClose: () => void
}

/** What the newest request was made of, and what the whole conversation has used. */
export function Breakdown({ ring, lists, isPinned, onClose }: BreakdownProps): React.ReactNode {
  const name = useStore(state => shownVoiceName(state, ring))
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // A click moves the focus into the panel; a resting pointer leaves the focus where it is.
    if (isPinned) box.current?.focus()
  }, [isPinned])
  const { limit, used, reserved, parts, policy, model } = ring
  const warning = ringWarning(ring, policyIn(lists, ring))
  const free = limit === null ? null : Math.max(0, limit - used)
  const whole = limit === null ? used : Math.max(used, limit) + reserved
  return (
    <div className="breakdown" ref={box} tabIndex={-1}>
      <header className="breakdown-head">
        <p>
          <strong>{ringWords(ring)}</strong>
          <span className="breakdown-who">
            {name} · {model} · {policy}
          </span>
        </p>
        {isPinned && (
          <button type="button" className="small-button" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        )}
      </header>
      {warning !== null && (
        <p className="breakdown-warning" data-level={ring.level}>
          {warning}
        </p>
      )}
      <Bar parts={parts} reserved={reserved} whole={whole} />
      <table className="breakdown-rows">
        <caption className="unseen">Tokens by kind</caption>
        <tbody>
          {parts.map(part => (
            <Row
              key={part.slice}
              slice={part.slice}
              words={SLICE_WORDS[part.slice]}
              tokens={part.tokens}
              of={limit}
              cached={part.cached}
            />
          ))}
          {free !== null && <Row slice="free" words="Free" tokens={free} of={limit} />}
          <Row slice="reserved" words="Kept for the answer" tokens={reserved} of={null} />
        </tbody>
      </table>
      <p className="breakdown-cache">
        {cacheWords(ring)} Hatched: not cached.{!ring.isCounted && ' All of it is estimated.'}
      </p>
      <Totals />
      <Summarize onDone={onClose} />
    </div>
  )
}

/** Summarizes what was said before the last exchange, and says where else this chat can recall from. */
function Summarize({ onDone }: { readonly onDone: () => void }): React.ReactNode {
  const { summarize } = useActions()
  const isMaking = useStore(state => state.view.folds.making.some(({ failed }) => failed === null))
  const scope = useStore(state => {
    const found = recallScope(state)
    return found === null ? null : recallScopeWords(found)
  })
  return (
    <div className="breakdown-more">
      {isMaking ? (
        <p>Summarizing earlier messages …</p>
      ) : (
        <button
          type="button"
          className="link"
          onClick={() => {
            onDone()
            summarize().catch(reportError)
          }}
        >
          {SUMMARIZE}
        </button>
      )}
      {scope !== null && (
        <p>
          {scope} ·{' '}
          <a className="link" href={hashOf({ page: 'memory', key: null })}>
            Memory
          </a>
        </p>
      )}
    </div>
  )
}

const cacheWords = ({ cached, isCounted }: RingFigures): string =>
  cached === 0
    ? 'Nothing of it came from the cache.'
    : `${shortCount(cached)} of it ${isCounted ? 'came' : 'could come'} from the cache.`

function Bar({
  parts,
  reserved,
  whole,
}: {
  readonly parts: readonly RingPart[]
  readonly reserved: number
  readonly whole: number
}): React.ReactNode {
  const width = (tokens: number): { width: string } => ({ width: `${(tokens / whole) * 100}%` })
  return (
    <div className="breakdown-bar" aria-hidden="true">
      {parts.map(({ slice, tokens, cached }) => (
        <span key={slice} className="bar-part" data-slice={slice} style={width(tokens)}>
          <span className="bar-fresh" style={{ left: `${(cached / tokens) * 100}%` }} />
        </span>
      ))}
      <span className="bar-free" />
      <span className="bar-part" data-slice="reserved" style={width(reserved)} />
    </div>
  )
}

type RowProps = {
  readonly slice: Slice | 'reserved' | 'free'
  readonly words: string
  readonly tokens: number
  /** Its share is of what a request may have; what is kept for the answer is beside that. */
  readonly of: number | null
  readonly cached?: number
}

function Row({ slice, words, tokens, of, cached = 0 }: RowProps): React.ReactNode {
  return (
    <tr>
      <th scope="row">
        <span className="slice-swatch" data-slice={slice} aria-hidden="true" />
        {words}
        {cached > 0 && <span className="unseen">, {shortCount(cached)} of it cached</span>}
      </th>
      <td>{shortCount(tokens)}</td>
      <td>{of === null ? '' : percentWords(tokens / of)}</td>
    </tr>
  )
}

/** What the whole conversation has used; an unknown price is not shown as zero. */
function Totals(): React.ReactNode {
  const { usage } = useActions()
  const cursor = useStore(state => state.view.running.length)
  const [total, setTotal] = useState<UsageSum | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: what ends adds to it
  useEffect(() => {
    let isMeant = true
    usage()
      .then(sum => {
        if (isMeant) setTotal(sum)
      })
      .catch(reportError)
    return () => {
      isMeant = false
    }
  }, [usage, cursor])
  const shown = (tokens: number | undefined): string => (tokens === undefined ? '–' : shortCount(tokens))
  const input = total === null ? undefined : total.input + total.cacheRead + total.cacheWrite
  return (
    <dl className="totals" aria-label="This conversation so far">
      {(
        [
          ['In', shown(input)],
          ['Cached', shown(total?.cacheRead)],
          ['Out', shown(total?.output)],
          ['Cost', total === null ? '–' : dollars(total.costUsd)],
        ] as const
      ).map(([words, value]) => (
        <div key={words}>
          <dt>{words}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
