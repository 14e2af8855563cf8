// The rows of the list of items, groups opened or closed.
import type { OutLine } from '../../../../src/model/receipt.ts'
import type { ItemEntry, ItemGroup, LeftOutGroup } from './groups.ts'

/** One visible row of the list. */
export type ItemRowState = {
  readonly key: string
  readonly level: 1 | 2
  /** Null if there is nothing to open. */
  readonly isOpen: boolean | null
  /** The row it was opened from. */
  readonly parent: string | null
} & (
  | { readonly kind: 'group'; readonly group: ItemGroup }
  | { readonly kind: 'item'; readonly group: ItemGroup; readonly entry: ItemEntry }
  | { readonly kind: 'left'; readonly left: LeftOutGroup }
  | { readonly kind: 'line'; readonly line: OutLine }
)

/** What is in, row by row; a group of one is that one. */
export const inRows = (groups: readonly ItemGroup[], opened: ReadonlySet<string>): readonly ItemRowState[] =>
  groups.flatMap((group): readonly ItemRowState[] => {
    const [only, ...more] = group.entries
    const item = (entry: ItemEntry, parent: string | null): ItemRowState => ({
      ...{ key: entry.key, level: parent === null ? 1 : 2, isOpen: opened.has(entry.key), parent },
      ...{ kind: 'item', group, entry },
    })
    if (only !== undefined && more.length === 0) return [item(only, null)]
    const isOpen = opened.has(group.key)
    const head: ItemRowState = { key: group.key, level: 1, isOpen, parent: null, kind: 'group', group }
    return isOpen ? [head, ...group.entries.map(entry => item(entry, group.key))] : [head]
  })

/** What stayed out, row by row. */
export const outRows = (lefts: readonly LeftOutGroup[], opened: ReadonlySet<string>): readonly ItemRowState[] =>
  lefts.flatMap((left): readonly ItemRowState[] => {
    const isOpen = opened.has(left.key)
    const head: ItemRowState = { key: left.key, level: 1, isOpen, parent: null, kind: 'left', left }
    if (!isOpen) return [head]
    const lines = left.lines.map(
      (line, index): ItemRowState => ({
        key: `${left.key} ${index}`,
        level: 2,
        isOpen: null,
        parent: left.key,
        kind: 'line',
        line,
      }),
    )
    return [head, ...lines]
  })

/** What a key asks of the list: to go to a row, or to open or close one. */
export type Move = { readonly to: string } | { readonly open: string; readonly isOpen: boolean } | null

/** The keys of a tree: up and down between rows, right opens one, left closes it. */
export function moveOf(rows: readonly ItemRowState[], at: string, key: string): Move {
  const index = Math.max(
    0,
    rows.findIndex(row => row.key === at),
  )
  const row = rows[index]
  if (row === undefined) return null
  const to = (place: number): Move => {
    const found = rows[Math.max(0, Math.min(rows.length - 1, place))]
    return found === undefined ? null : { to: found.key }
  }
  switch (key) {
    case 'j':
    case 'ArrowDown':
      return to(index + 1)
    case 'k':
    case 'ArrowUp':
      return to(index - 1)
    case 'Home':
      return to(0)
    case 'End':
      return to(rows.length - 1)
    case 'Enter':
    case ' ':
      return row.isOpen === null ? null : { open: row.key, isOpen: !row.isOpen }
    case 'ArrowRight':
      if (row.isOpen === false) return { open: row.key, isOpen: true }
      return rows[index + 1]?.parent === row.key ? to(index + 1) : { to: row.key }
    case 'ArrowLeft':
      if (row.isOpen === true) return { open: row.key, isOpen: false }
      return { to: row.parent ?? row.key }
    default:
      return null
  }
}
