// The page that lists the agents.
import { useState } from 'react'
import { ASSISTANT, type WrittenAgent } from '../../../../src/model/voice.ts'
import { ProblemBox } from '../../form/problem-box.tsx'
import { saveFile } from '../../parts/save-file.ts'
import { useLoaded } from '../../parts/use-loaded.ts'
import { useActions, useWorkspaceApi } from '../../store/use-store.ts'
import { hashOf, NEW_KEY, sessionHash } from '../../view/route.ts'
import type { ApiProblem } from '../../wire/problem.ts'
import type { ListedAgent } from '../../wire/workspace-api.ts'
import { Avatar } from '../avatar.tsx'
import { FileButton } from '../file-button.tsx'
import { PageHead } from '../page-head.tsx'
import { Read } from '../read.tsx'
import { agentFile, readAgentFile } from './agent-file.ts'
import { freeKey, keyFrom } from './agent-key.ts'

const toAgent = (key: string): string => hashOf({ page: 'agents', key })

/** Everybody who can answer alone. */
export function AgentsPage(): React.ReactNode {
  const workspaceApi = useWorkspaceApi()
  const { begin } = useActions()
  const agents = useLoaded('agents', workspaceApi.agents)
  const [problem, setProblem] = useState<ApiProblem | null>(null)

  /** Copies under a free key, so that a copy overwrites nothing. */
  const add = async (agent: WrittenAgent): Promise<void> => {
    const key = freeKey(keyFrom(agent.key), agents.value?.items.map(each => each.key) ?? [])
    const put = await workspaceApi.putAgent({ ...agent, key })
    setProblem(put.ok ? null : put.problem)
    if (!put.ok) return
    begin().catch(reportError)
    location.hash = toAgent(key)
  }
  const withAgent = async (key: string, act: (agent: WrittenAgent) => unknown): Promise<void> => {
    const found = await workspaceApi.agent(key)
    setProblem(found.ok ? null : found.problem)
    if (found.ok) await act(found.value)
  }
  const bring = async (file: File): Promise<void> => {
    const read = readAgentFile(await file.text())
    if (read.ok) await add(read.agent)
    else setProblem({ status: 0, title: `“${file.name}” cannot be imported`, detail: read.why })
  }

  return (
    <>
      <PageHead intro="An agent answers with a text of its own: who it is, how it speaks, which model it asks. They stand in agents.json of the workspace; a change takes effect with the next message.">
        <a className="button primary" href={toAgent(NEW_KEY)}>
          New agent
        </a>
        {agents.value !== null && !agents.value.items.some(({ key }) => key === ASSISTANT.key) && (
          <button type="button" className="button" onClick={() => add(ASSISTANT).catch(reportError)}>
            Restore {ASSISTANT.name}
          </button>
        )}
        <FileButton label="Import" accept=".json,application/json" onFile={file => bring(file).catch(reportError)} />
      </PageHead>
      {problem !== null && <ProblemBox problem={problem} />}
      <Read from={agents} what="agents">
        {({ items }) => (
          <ul className="cards">
            {items.map(agent => (
              <AgentCard
                key={agent.key}
                agent={agent}
                onDuplicate={() =>
                  withAgent(agent.key, found => add({ ...found, key: `${found.key}-copy`, name: `${found.name} (copy)` }))
                }
                onExport={() => withAgent(agent.key, found => saveFile(agentFile(found)))}
              />
            ))}
          </ul>
        )}
      </Read>
    </>
  )
}

type AgentCardProps = {
  readonly agent: ListedAgent
  readonly onDuplicate: () => Promise<void>
  readonly onExport: () => Promise<void>
}

function AgentCard({ agent, onDuplicate, onExport }: AgentCardProps): React.ReactNode {
  const { choose } = useActions()
  const { key, name, description, color, model, policy } = agent
  return (
    <li className="card">
      <div className="card-head">
        <Avatar name={name} color={color} />
        <div className="card-words">
          <h2>
            <a className="card-link" href={toAgent(key)}>
              {name}
            </a>
          </h2>
          <p className="card-about">{description ?? <span className="faint">No description</span>}</p>
          <p className="card-facts">
            <code>{key}</code>
            <span>{model ?? 'the usual model'}</span>
            <span>{policy === undefined ? 'the usual policy' : `policy ${policy}`}</span>
          </p>
        </div>
      </div>
      <div className="card-actions">
        <a className="text-button" href={sessionHash(null)} onClick={() => choose({ agent: key })}>
          Talk<span className="unseen"> to {name}</span>
        </a>
        <button type="button" className="text-button" onClick={() => onDuplicate().catch(reportError)}>
          Duplicate<span className="unseen"> {name}</span>
        </button>
        <button type="button" className="text-button" onClick={() => onExport().catch(reportError)}>
          Export<span className="unseen"> {name}</span>
        </button>
      </div>
    </li>
  )
}
