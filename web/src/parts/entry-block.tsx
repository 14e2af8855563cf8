import { memo } from 'react'
import type { Entry } from '../view.ts'
import { Line } from './line.tsx'
import { Message } from './message.tsx'
import { Reply } from './reply.tsx'

/** How many entries share a block; a growing reply costs one block, not the whole conversation. */
export const BLOCK = 20

type EntryBlockProps = { readonly entries: readonly Entry[] }

/** A stretch of the transcript that is drawn again only when one of its entries changed. */
export const EntryBlock: React.NamedExoticComponent<EntryBlockProps> = memo(function EntryBlock({ entries }: EntryBlockProps) {
  return (
    <div className="block">
      {entries.map(entry => (
        <Shown key={`${entry.kind}:${entry.seq}`} entry={entry} />
      ))}
    </div>
  )
}, sameEntries)

function sameEntries(before: EntryBlockProps, after: EntryBlockProps): boolean {
  return before.entries.length === after.entries.length && before.entries.every((entry, index) => entry === after.entries[index])
}

function Shown({ entry }: { readonly entry: Entry }): React.ReactNode {
  switch (entry.kind) {
    case 'message':
      return <Message entry={entry} />
    case 'reply':
      return <Reply entry={entry} />
    case 'line':
      return <Line entry={entry} />
  }
}
