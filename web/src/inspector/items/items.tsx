// Lists what went into a request, and what stayed out.
import { useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Slice } from '../../composer/ring/figures.ts'
import { point } from '../../parts/pointing.ts'
import type { InspectedSent } from '../../wire/inspect-api.ts'
import { formatCount } from '../../words/words.ts'
import { groupSpan, isHere, itemGroups, leftOf, listedItems } from './groups.ts'
import { ItemRow } from './item-row.tsx'
import { type ItemRowState, inRows, moveOf, outRows } from './tree.ts'

type ItemsProps = {
  readonly sent: InspectedSent
  readonly cached: number
  readonly lit: Slice | null
  readonly onLight: (slice: Slice | null) => void
}

/** Everything that went in, in the order of the request, and what stayed out; each row opens to what is behind it. */
export function Items({ sent, cached, lit, onLight }: ItemsProps): React.ReactNode {
  const grid = useRef<HTMLTableElement>(null)
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const [current, setCurrent] = useState<string | null>(null)
  const { receipt } = sent
  const items = useMemo(() => listedItems(sent), [sent])
  const groups = useMemo(() => itemGroups(items, cached), [items, cached])
  const lefts = useMemo(() => leftOf(receipt.out), [receipt])
  const inside = useMemo(() => inRows(groups, opened), [groups, opened])
  const outside = useMemo(() => outRows(lefts, opened), [lefts, opened])
  const rows = [...inside, ...outside]
  const way = rows.some(({ key }) => key === current) ? current : (rows[0]?.key ?? null)

  const open = (key: string, isOpen: boolean): void => {
    const next = new Set(opened)
    if (isOpen) next.add(key)
    else next.delete(key)
    setOpened(next)
  }
  const go = (key: string): void => {
    setCurrent(key)
    grid.current?.querySelector<HTMLElement>(`[data-key="${key}"]`)?.focus()
  }
  const show = (row: ItemRowState | null): void => {
    onLight(row === null || row.kind === 'left' || row.kind === 'line' ? null : row.group.slice)
    point(row === null ? null : spanOf(row))
  }
  /** Opens a row and asks what a mark on it would do, as its button does. */
  const decide = (key: string, letter: string): void => {
    if (rows.some(row => row.key === key && row.isOpen === false)) flushSync(() => open(key, true))
    const row = grid.current?.querySelector(`[data-key="${key}"]`)
    const below = row?.nextElementSibling?.matches('.item-open') === true ? row.nextElementSibling : row
    below?.querySelector<HTMLElement>(`[data-letter="${letter}"]`)?.click()
  }
  const onKeyDown = (event: React.KeyboardEvent): void => {
    const at = (event.target as HTMLElement).dataset.key
    if (at === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'p' || event.key === 'x') {
      event.preventDefault()
      decide(at, event.key)
      return
    }
    const move = moveOf(rows, at, event.key)
    if (move === null) return
    event.preventDefault()
    if ('to' in move) go(move.to)
    else open(move.open, move.isOpen)
  }
  const drawn = (row: ItemRowState): React.ReactNode => (
    <ItemRow
      key={row.key}
      row={row}
      isWayIn={row.key === way}
      isLit={'group' in row && row.group.slice === lit}
      voice={receipt.voice}
      onOpen={open}
      onShow={show}
      onFocus={() => setCurrent(row.key)}
    />
  )
  return (
    // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its rows open and close, so it is more than a table
    <table className="items" role="treegrid" aria-label="Items of this request" ref={grid} onKeyDown={onKeyDown}>
      <tbody>
        <tr className="items-head">
          <th scope="col">
            In · {formatCount(items.length)} {items.length === 1 ? 'item' : 'items'}
          </th>
          <th scope="col">Why</th>
          <th scope="col">Tokens</th>
          <th scope="col">
            <span className="unseen">Cached</span>
          </th>
        </tr>
        {inside.map(drawn)}
      </tbody>
      {outside.length > 0 && (
        <tbody>
          <tr className="items-head">
            <th scope="colgroup" colSpan={4}>
              Out · {formatCount(lefts.reduce((sum, left) => sum + left.count, 0))} left out
            </th>
          </tr>
          {outside.map(drawn)}
        </tbody>
      )}
    </table>
  )
}

/** The messages of a row; null if it has none. */
function spanOf(row: ItemRowState): { readonly from: number; readonly to: number } | null {
  if (row.kind === 'left') return null
  if (row.kind === 'group') return groupSpan(row.group)
  if (row.kind === 'item' && !isHere(row.entry.item)) return null
  const { from, to = from } = row.kind === 'line' ? row.line : row.entry.item
  return from === undefined || to === undefined ? null : { from, to }
}
