// One row of the list of items.
import { Icon } from '../../parts/icon.tsx'
import { reasonSentence } from '../../words/reasons.ts'
import { excerpt, formatCount } from '../../words/words.ts'
import { type CachedShare, groupSpan, itemWords, KNOWN_WORDS, spanWords } from './groups.ts'
import { ItemText } from './item-text.tsx'
import { LeftLine } from './left-line.tsx'
import { SummaryName } from './summary-name.tsx'
import type { ItemRowState } from './tree.ts'

type ItemRowProps = {
  readonly row: ItemRowState
  /** The one row that Tab leads to. */
  readonly isWayIn: boolean
  readonly isLit: boolean
  readonly voice: string
  readonly onOpen: (key: string, isOpen: boolean) => void
  readonly onShow: (row: ItemRowState | null) => void
  readonly onFocus: () => void
}

/** One row of the list; an item that was opened has its text in a row of its own below. */
export function ItemRow({ row, isWayIn, isLit, voice, onOpen, onShow, onFocus }: ItemRowProps): React.ReactNode {
  const { key, level, isOpen } = row
  const toggle = (): void => {
    if (isOpen !== null) onOpen(key, !isOpen)
  }
  return (
    <>
      <tr
        className="item"
        aria-level={level}
        aria-expanded={isOpen ?? undefined}
        data-key={key}
        data-kind={row.kind}
        data-lit={isLit}
        tabIndex={isWayIn ? 0 : -1}
        onClick={toggle}
        onFocus={() => {
          onFocus()
          onShow(row)
        }}
        onBlur={() => onShow(null)}
        onPointerEnter={() => onShow(row)}
        onPointerLeave={() => onShow(null)}
      >
        <Cells row={row} voice={voice} />
      </tr>
      {row.kind === 'item' && isOpen === true && (
        <tr className="item-open" aria-level={level}>
          <td colSpan={4}>
            <ItemText item={row.entry.item} voice={voice} />
          </td>
        </tr>
      )}
    </>
  )
}

function Cells({ row, voice }: { readonly row: ItemRowState; readonly voice: string }): React.ReactNode {
  switch (row.kind) {
    case 'group': {
      const { group } = row
      return (
        <>
          <Name
            slice={group.slice}
            words={`${reasonSentence(group.reason)} (${group.entries.length})`}
            more={spanWords(groupSpan(group) ?? {})}
          />
          <Code reason={group.reason} />
          <Tokens tokens={group.tokens} />
          <Cached known={group.known} />
        </>
      )
    }
    case 'item': {
      const { item, known } = row.entry
      return (
        <>
          <Name
            slice={row.group.slice}
            words={item.kind === 'summary' ? <SummaryName seq={item.from} /> : itemWords(item)}
            more={excerpt(item.text)}
          />
          <Code reason={item.reason} />
          <Tokens tokens={item.tokens} />
          <Cached known={known} />
        </>
      )
    }
    case 'left':
      return (
        <>
          <Name slice={null} words={reasonSentence(row.left.reason)} more="" />
          <Code reason={row.left.reason} />
          <td className="item-tokens" colSpan={2}>
            {formatCount(row.left.count)}
          </td>
        </>
      )
    case 'line':
      return <LeftLine line={row.line} voice={voice} />
  }
}

function Name({
  slice,
  words,
  more,
}: {
  readonly slice: string | null
  readonly words: React.ReactNode
  readonly more: string
}): React.ReactNode {
  return (
    <td className="item-name">
      <Icon name="chevron" />
      {slice !== null && <span className="slice-swatch" data-slice={slice} aria-hidden="true" />}
      <span className="item-words">{words}</span>
      {more !== '' && <span className="item-more">{more}</span>}
    </td>
  )
}

const Code = ({ reason }: { readonly reason: string }): React.ReactNode => (
  <td className="item-code" title={reasonSentence(reason)}>
    {reason}
  </td>
)

const Tokens = ({ tokens }: { readonly tokens: number }): React.ReactNode => (
  <td className="item-tokens">{formatCount(tokens)}</td>
)

/** A filled mark is cached, a half one partly, an empty one not; the words say the same. */
const Cached = ({ known }: { readonly known: CachedShare }): React.ReactNode => (
  <td className="item-cached" title={KNOWN_WORDS[known]}>
    <span className="cached-mark" data-known={known} aria-hidden="true" />
    <span className="unseen">{KNOWN_WORDS[known]}</span>
  </td>
)
