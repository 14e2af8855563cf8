// A section that opens on demand and is drawn only then.
import { useSyncExternalStore } from 'react'

/** An opened section stays open, even if it was not drawn for a while because the reader scrolled away. */
const opened = new Set<string>()
const watchers = new Set<() => void>()

export function setOpen(place: string, isOpen: boolean): void {
  if (opened.has(place) === isOpen) return
  if (isOpen) opened.add(place)
  else opened.delete(place)
  for (const watcher of watchers) watcher()
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

export const useOpen = (place: string): boolean => useSyncExternalStore(watch, () => opened.has(place))

type DetailsProps = {
  /** What is folded here; remembered by this. */
  readonly place: string
  readonly className: string
  readonly summary: React.ReactNode
  readonly failed?: boolean
  readonly children: React.ReactNode
}

/** A section that opens on demand; its content is built only when the reader opens it. */
export function Details({ place, className, summary, failed, children }: DetailsProps): React.ReactNode {
  const isOpen = useOpen(place)
  return (
    <details
      className={className}
      open={isOpen}
      data-failed={failed}
      onToggle={event => {
        if (event.target === event.currentTarget) setOpen(place, event.currentTarget.open)
      }}
    >
      <summary>{summary}</summary>
      {isOpen && children}
    </details>
  )
}
