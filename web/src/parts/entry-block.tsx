import { Fragment, memo } from 'react'
import type { Entry } from '../view.ts'
import { Boundary } from './boundary.tsx'
import { ExchangeLine } from './exchange-line.tsx'
import { Line } from './line.tsx'
import { Message } from './message.tsx'
import { Reply } from './reply.tsx'

/** How many entries share a block; a growing reply costs one block, not the whole conversation. */
export const BLOCK = 20

/** `left` messages are not sent; the line that says so stands above the entry of that seq. */
export type BoundaryPlace = { readonly above: Entry['seq']; readonly left: number }

type EntryBlockProps = { readonly entries: readonly Entry[]; readonly boundary: BoundaryPlace | null }

/** A stretch of the transcript that is drawn again only when one of its entries changed. */
export const EntryBlock: React.NamedExoticComponent<EntryBlockProps> = memo(function EntryBlock({
  entries,
  boundary,
}: EntryBlockProps) {
  return (
    <div className="block">
      {entries.map(entry => (
        <Fragment key={keyOf(entry)}>
          {boundary?.above === entry.seq && <Boundary left={boundary.left} />}
          <Shown entry={entry} />
        </Fragment>
      ))}
    </div>
  )
}, sameBlock)

/** Two voices may go on at one moment, each in a stretch of its own. */
const keyOf = (entry: Entry): string => `${entry.kind}:${entry.seq}:${entry.kind === 'reply' ? entry.turn : ''}`

function sameBlock(before: EntryBlockProps, after: EntryBlockProps): boolean {
  if (before.boundary?.above !== after.boundary?.above || before.boundary?.left !== after.boundary?.left) return false
  return before.entries.length === after.entries.length && before.entries.every((entry, index) => entry === after.entries[index])
}

function Shown({ entry }: { readonly entry: Entry }): React.ReactNode {
  switch (entry.kind) {
    case 'message':
      return entry.exchange === undefined ? <Message entry={entry} /> : <ExchangeLine entry={entry} exchange={entry.exchange} />
    case 'reply':
      return <Reply entry={entry} />
    case 'line':
      return <Line entry={entry} />
  }
}
