import { useCallback, useState } from 'react'
import type { SessionHit } from '../../../src/model/session.ts'
import { useActions, useStore } from '../use-store.ts'
import { dateGroup, titleOf } from '../words.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { SessionRow } from './session-row.tsx'

/** The conversations by day, or what a search found. */
export function SessionList({ onOpen }: { readonly onOpen: () => void }): React.ReactNode {
  const { more, remove, retry } = useActions()
  const sessions = useStore(state => state.sessions)
  const current = useStore(state => state.session)
  const query = useStore(state => state.query.trim())
  const next = useStore(state => state.next)
  const listed = useStore(state => state.listed)
  const problem = useStore(state => state.listProblem)
  const [leaving, setLeaving] = useState<SessionHit | null>(null)
  const askRemoval = useCallback((session: SessionHit) => setLeaving(session), [])

  return (
    <div className="session-list">
      {groups(sessions, query).map(({ heading, items }) => (
        <section key={heading} aria-label={heading}>
          <h2 className="group">{heading}</h2>
          <ul>
            {items.map(session => (
              <SessionRow
                key={session.id}
                session={session}
                query={query}
                current={session.id === current}
                onOpen={onOpen}
                onRemove={askRemoval}
              />
            ))}
          </ul>
        </section>
      ))}
      {listed && problem !== null && (
        <p className="list-note">
          {problem.title}.{' '}
          <button type="button" className="link" onClick={retry}>
            Try again
          </button>
        </p>
      )}
      {listed && problem === null && sessions.length === 0 && (
        <p className="list-note">{query === '' ? 'Your conversations will appear here.' : `Nothing found for “${query}”.`}</p>
      )}
      {next !== null && (
        <button type="button" className="more" onClick={() => more().catch(reportError)}>
          Show more
        </button>
      )}
      {leaving !== null && (
        <ConfirmDialog
          title="Delete this conversation?"
          text={`“${titleOf(leaving)}” and everything said in it will be gone for good.`}
          action="Delete"
          onClose={() => setLeaving(null)}
          onConfirm={() => remove(leaving.id).catch(reportError)}
        />
      )}
    </div>
  )
}

type Group = { readonly heading: string; readonly items: SessionHit[] }

/** Neighbours of one day share a heading; found ones stand in the order of the search. */
function groups(sessions: readonly SessionHit[], query: string): readonly Group[] {
  if (query !== '') return sessions.length === 0 ? [] : [{ heading: 'Found', items: [...sessions] }]
  const now = new Date()
  const found: Group[] = []
  for (const session of sessions) {
    const heading = dateGroup(session.updatedAt, now)
    const known = found.find(group => group.heading === heading)
    if (known === undefined) found.push({ heading, items: [session] })
    else known.items.push(session)
  }
  return found
}
