// Lists the items that only one of two requests has.
import { sliceOf } from '../../composer/ring/figures.ts'
import { point } from '../../parts/pointing.ts'
import type { InspectedItem } from '../../wire/inspect-api.ts'
import { excerpt, formatCount } from '../../words/words.ts'
import { isHere, itemWords } from '../items/groups.ts'

type ChangesProps = {
  readonly come: readonly InspectedItem[]
  readonly gone: readonly InspectedItem[]
  readonly comeWords: string
  readonly goneWords: string
}

/** A person does not read more than this one by one. */
const MOST = 100

/** Items that only one of two requests has. Each has a sign before it, so that no color is needed. */
export function Changes({ come, gone, comeWords, goneWords }: ChangesProps): React.ReactNode {
  if (come.length + gone.length === 0) return <p className="look-note">Item by item they are the same.</p>
  return (
    <div className="changes">
      <Side items={gone} words={goneWords} sign="−" />
      <Side items={come} words={comeWords} sign="+" />
    </div>
  )
}

function Side({
  items,
  words,
  sign,
}: {
  readonly items: readonly InspectedItem[]
  readonly words: string
  readonly sign: '+' | '−'
}): React.ReactNode {
  if (items.length === 0) return null
  return (
    <section>
      <h3>
        {words} · {formatCount(items.length)}
      </h3>
      <ul className="change-list" data-sign={sign}>
        {items.slice(0, MOST).map((item, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: the same words may come twice, and nothing moves
            key={index}
            onPointerEnter={() =>
              point(item.from === undefined || !isHere(item) ? null : { from: item.from, to: item.to ?? item.from })
            }
            onPointerLeave={() => point(null)}
          >
            <span className="change-sign">{sign}</span>
            <span className="slice-swatch" data-slice={sliceOf(item.reason)} aria-hidden="true" />
            <span className="item-words">{itemWords(item)}</span>
            <span className="item-more">{excerpt(item.text)}</span>
            <span className="item-tokens">{formatCount(item.tokens)}</span>
          </li>
        ))}
      </ul>
      {items.length > MOST && <p className="look-note">and {formatCount(items.length - MOST)} more</p>}
    </section>
  )
}
