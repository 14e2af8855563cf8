// Moves through the list of sessions with the arrow keys.

/** Arrows move through the rows of the list, and from the first row up to the search field. */
export function stepRows(event: React.KeyboardEvent): void {
  const isStep = event.key === 'ArrowDown' || event.key === 'ArrowUp'
  if (!isStep || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-row]')]
  const at = rows.findIndex(row => row.parentElement?.contains(event.target as Node))
  if (at < 0) return
  const to = event.key === 'ArrowDown' ? rows[at + 1] : (rows[at - 1] ?? document.getElementById('search'))
  to?.focus()
  event.preventDefault()
}

/** The first row there is. */
export const firstRow = (): HTMLElement | null => document.querySelector<HTMLElement>('.session-list [data-row]')
