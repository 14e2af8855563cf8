// One pinned message or summary on the page of what is remembered.
import { useState } from 'react'
import { Icon } from '../../parts/icon.tsx'
import { sessionHash } from '../../view/route.ts'
import type { MemoryRow } from '../../wire/workspace-api.ts'
import { foldByWords } from '../../words/fold-words.ts'
import { pinReachWords } from '../../words/memory-words.ts'
import { calendarDay, excerpt, formatCount } from '../../words/words.ts'

type MemoryCardProps = { readonly item: MemoryRow; readonly onForget: (item: MemoryRow) => Promise<void> }

/** What is remembered, what it takes, where it is from, and the way to forget it. */
export function MemoryCard({ item, onForget }: MemoryCardProps): React.ReactNode {
  const [isForgetting, setForgetting] = useState(false)
  const { kind, session, seq, text, tokens, at } = item
  const title = item.title ?? 'Untitled chat'
  const forget = (): void => {
    setForgetting(true)
    onForget(item)
      .catch(reportError)
      .finally(() => setForgetting(false))
  }
  return (
    <li className="card memory-card" data-kind={kind}>
      <p className="memory-kind">
        <Icon name={kind === 'pin' ? 'pushpin' : 'shrink'} />
        {kind === 'pin' ? `Pin · ${pinReachWords(item.reach)}` : `Summary · ${foldByWords(item)}`}
        <span className="memory-tokens">
          {kind === 'fold' && item.folded !== undefined && `${formatCount(item.folded)} → `}
          {formatCount(tokens)} tokens
        </span>
      </p>
      <p className="memory-text">{text}</p>
      <div className="memory-foot">
        <p className="card-facts">
          <a className="link" href={sessionHash(session, kind === 'pin' ? seq : item.to)}>
            {title}
          </a>
          <time dateTime={at}>{calendarDay(at)}</time>
        </p>
        <button type="button" className="text-button" disabled={isForgetting} onClick={forget}>
          Forget<span className="unseen">: {excerpt(text)}</span>
        </button>
      </div>
    </li>
  )
}
