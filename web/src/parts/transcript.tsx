import { useEffect } from 'react'
import { useStore } from '../use-store.ts'
import type { Entry } from '../view.ts'
import { Icon } from './icon.tsx'
import { Line } from './line.tsx'
import { Message } from './message.tsx'
import { Missing } from './missing.tsx'
import { Reply } from './reply.tsx'
import { useStick } from './use-stick.ts'
import { Welcome } from './welcome.tsx'

/** Everything that was said, in order, with the end kept in sight while somebody is there. */
export function Transcript(): React.ReactNode {
  const session = useStore(state => state.session)
  const entries = useStore(state => state.view.entries)
  const link = useStore(state => state.link)
  const { scroller, content, away, toEnd } = useStick(session)
  const last = entries.at(-1)
  const lastSaid = last?.kind === 'message' ? last.seq : null

  useEffect(() => {
    if (lastSaid !== null) toEnd()
  }, [lastSaid, toEnd])

  const missing = link?.state === 'refused' && link.problem.status !== 401 ? link.problem : null
  return (
    <div className="transcript">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable to be scrolled by keys */}
      <div className="scroller" ref={scroller} tabIndex={0} role="region" aria-label="Conversation">
        <div className="entries" ref={content}>
          {missing !== null && <Missing problem={missing} />}
          {session === null && <Welcome />}
          {entries.map(entry => (
            <Shown key={`${entry.kind}:${entry.seq}`} entry={entry} />
          ))}
        </div>
      </div>
      {away && (
        <button type="button" className="to-end" onClick={toEnd}>
          <Icon name="down" />
          Latest
        </button>
      )}
    </div>
  )
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
