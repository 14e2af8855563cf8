// The page that lists what is remembered, and where chats may recall from.
import { useCallback, useState } from 'react'
import { useLoaded } from '../../parts/use-loaded.ts'
import { useActions, useWorkspaceApi } from '../../store/use-store.ts'
import type { ApiProblem } from '../../wire/problem.ts'
import type { MemoryPageData, MemoryRow } from '../../wire/workspace-api.ts'
import { formatCount } from '../../words/words.ts'
import { PageHead } from '../page-head.tsx'
import { Read } from '../read.tsx'
import { MemoryCard } from './memory-card.tsx'
import { RecallSwitches } from './recall-switches.tsx'

/** What chats remember beyond what they show: pins, summaries, and where else they may look. */
export function MemoryPage(): React.ReactNode {
  const workspaceApi = useWorkspaceApi()
  const loaded = useLoaded('memory', () => workspaceApi.memory(null))
  return (
    <>
      <PageHead intro="What is sent with messages beyond the chat as you see it: pinned messages and summaries. Nothing is remembered that is not listed here or said in a chat." />
      <Read from={loaded} what="memory">
        {first => (
          <>
            <RecallSwitches from={first.from} projects={first.projects} onChanged={loaded.reload} />
            <Remembered key={keyOf(first)} first={first} onReload={loaded.reload} />
          </>
        )}
      </Read>
    </>
  )
}

/** Another first page begins the list anew. */
const keyOf = ({ items, next }: MemoryPageData): string => `${items.map(itemKey).join(' ')} ${next}`

const itemKey = ({ kind, session, seq }: MemoryRow): string => `${kind}-${session}-${seq}`

type RememberedProps = { readonly first: MemoryPageData; readonly onReload: () => void }

function Remembered({ first, onReload }: RememberedProps): React.ReactNode {
  const workspaceApi = useWorkspaceApi()
  const { unpin, removeFold } = useActions()
  const [more, setMore] = useState<Pick<MemoryPageData, 'items' | 'next'>>({ items: [], next: first.next })
  const [gone, setGone] = useState<readonly string[]>([])
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const items = [...first.items, ...more.items].filter(item => !gone.includes(itemKey(item)))
  const forget = useCallback(
    async (item: MemoryRow): Promise<void> => {
      const onUndone = (): void => {
        setGone(now => now.filter(key => key !== itemKey(item)))
        onReload()
      }
      const isGone = await (item.kind === 'pin' ? unpin(item, onUndone) : removeFold(item, item.session, onUndone))
      if (isGone) setGone(now => [...now, itemKey(item)])
    },
    [unpin, removeFold, onReload],
  )
  const readMore = async (): Promise<void> => {
    const page = await workspaceApi.memory(more.next)
    setProblem(page.ok ? null : page.problem)
    if (page.ok) setMore({ items: [...more.items, ...page.value.items], next: page.value.next })
  }
  if (items.length === 0 && more.next === null) return <NothingYet />
  const tokens = items.reduce((sum, item) => sum + item.tokens, 0)
  return (
    <section className="page-part" aria-label="Remembered">
      <div className="row-head">
        <h2>Pins and summaries</h2>
        <span className="faint memory-sum">
          {formatCount(items.length)}
          {more.next === null ? '' : ' shown'} · {formatCount(tokens)} tokens
        </span>
      </div>
      <ul className="cards">
        {items.map(item => (
          <MemoryCard key={itemKey(item)} item={item} onForget={forget} />
        ))}
      </ul>
      {problem !== null && (
        <p className="page-note" role="alert">
          {problem.title}. {problem.detail}
        </p>
      )}
      {more.next !== null && (
        <button type="button" className="more" onClick={() => readMore().catch(reportError)}>
          Show more
        </button>
      )}
    </section>
  )
}

const NothingYet = (): React.ReactNode => (
  <p className="empty">
    Nothing is pinned or summarized yet. Pin a message to send it every time, and long chats are summarized by themselves.
  </p>
)
