// The page of one agent.
import { useLoaded } from '../../parts/use-loaded.ts'
import { useWorkspaceApi } from '../../store/use-store.ts'
import { hashOf } from '../../view/route.ts'
import { together } from '../../wire/together.ts'
import { BackLink } from '../page-head.tsx'
import { Read } from '../read.tsx'
import { AgentEditor } from './agent-editor.tsx'
import { NEW_AGENT } from './agent-form.ts'

/** One agent; null is a new one. */
export function AgentPage({ agent }: { readonly agent: string | null }): React.ReactNode {
  const workspaceApi = useWorkspaceApi()
  const loaded = useLoaded(`agent ${agent}`, () =>
    together({
      agent: agent === null ? Promise.resolve({ ok: true as const, value: NEW_AGENT }) : workspaceApi.agent(agent),
      agents: workspaceApi.agents(),
      models: workspaceApi.models(),
      policies: workspaceApi.policies(),
    }),
  )
  return (
    <>
      <BackLink href={hashOf({ page: 'agents', key: null })}>All agents</BackLink>
      <Read from={loaded} what="agent">
        {({ agent: found, agents, models, policies }) => (
          <AgentEditor
            from={found}
            isNew={agent === null}
            taken={agents.items.map(({ key }) => key)}
            models={models}
            policies={policies.items}
          />
        )}
      </Read>
    </>
  )
}
