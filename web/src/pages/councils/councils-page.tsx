// The page that lists the councils.
import { useState } from 'react'
import type { Council } from '../../../../src/model/settings/council.ts'
import { ProblemBox } from '../../form/problem-box.tsx'
import { useLoaded } from '../../parts/use-loaded.ts'
import { useActions, useWorkspaceApi } from '../../store/use-store.ts'
import { hashOf, NEW_KEY, sessionHash } from '../../view/route.ts'
import type { ApiProblem } from '../../wire/problem.ts'
import { freeKey } from '../agents/agent-key.ts'
import { PageHead } from '../page-head.tsx'
import { Read } from '../read.tsx'
import { DeleteCouncil } from './delete-council.tsx'

const toCouncil = (key: string): string => hashOf({ page: 'councils', key })

/** Every council, with who sits in it. */
export function CouncilsPage(): React.ReactNode {
  const workspaceApi = useWorkspaceApi()
  const { learnNames } = useActions()
  const councils = useLoaded('councils', workspaceApi.councils)
  const [problem, setProblem] = useState<ApiProblem | null>(null)

  /** Copies the advisors under a free key: their pasts stay with the sessions of the original. */
  const duplicate = async (council: Council): Promise<void> => {
    const taken = councils.value?.items.map(({ key }) => key) ?? []
    const put = await workspaceApi.putCouncil({
      ...council,
      key: freeKey(`${council.key.slice(0, 58)}-copy`, taken),
      name: `${council.name.slice(0, 73)} (copy)`,
    })
    setProblem(put.ok ? null : put.problem)
    if (!put.ok) return
    learnNames().catch(reportError)
    location.hash = toCouncil(put.value.key)
  }
  const forget = (): void => {
    councils.reload()
    learnNames().catch(reportError)
  }

  return (
    <>
      <PageHead intro="In a council several advisors answer the same message side by side, each from its own point of view and with its own past. They stand in councils.json of the workspace; a change takes effect with the next message.">
        <a className="button primary" href={toCouncil(NEW_KEY)}>
          New council
        </a>
      </PageHead>
      {problem !== null && <ProblemBox problem={problem} />}
      <Read from={councils} what="councils">
        {({ items }) =>
          items.length === 0 ? (
            <p className="empty">There is no council yet.</p>
          ) : (
            <ul className="cards">
              {items.map(council => (
                <CouncilCard
                  key={council.key}
                  council={council}
                  onDuplicate={() => duplicate(council).catch(reportError)}
                  onDeleted={forget}
                />
              ))}
            </ul>
          )
        }
      </Read>
    </>
  )
}

type CouncilCardProps = { readonly council: Council; readonly onDuplicate: () => void; readonly onDeleted: () => void }

function CouncilCard({ council, onDuplicate, onDeleted }: CouncilCardProps): React.ReactNode {
  const { choose } = useActions()
  const { key, name, advisors } = council
  return (
    <li className="card council-card">
      <div className="card-head">
        <div className="card-words">
          <h2>
            <a className="card-link" href={toCouncil(key)}>
              {name}
            </a>
          </h2>
          <ul className="council-seats" aria-label="Advisors">
            {advisors.map(advisor => (
              <li key={advisor.id} className="council-seat" data-active={advisor.active}>
                <span className="voice-dot" aria-hidden="true" style={{ backgroundColor: advisor.color }} />
                {advisor.name}
                {!advisor.active && <span className="faint">hidden</span>}
              </li>
            ))}
          </ul>
          <p className="card-facts">
            <code>{key}</code>
          </p>
        </div>
      </div>
      <div className="card-actions">
        <a className="text-button" href={sessionHash(null)} onClick={() => choose({ council: key })}>
          Ask<span className="unseen"> {name}</span>
        </a>
        <button type="button" className="text-button" onClick={onDuplicate}>
          Duplicate<span className="unseen"> {name}</span>
        </button>
        <DeleteCouncil council={council} words="Delete …" onDeleted={onDeleted} />
      </div>
    </li>
  )
}
