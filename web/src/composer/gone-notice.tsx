// Says that the agent of this chat was deleted, and offers another.
import { useState } from 'react'
import { ASSISTANT } from '../../../src/model/voice.ts'
import { Icon } from '../parts/icon.tsx'
import { useActions, useStore, useWorkspaceApi } from '../store/use-store.ts'
import type { ApiProblem } from '../wire/problem.ts'
import { answeringVoices, isThere } from './answering.ts'
import { WhoOptions, whomOf } from './choice/who-options.tsx'

/** Says that the agent or council of this chat is gone from the workspace, and offers others or restores the Assistant. */
export function GoneNotice({ onLeave }: { readonly onLeave: () => void }): React.ReactNode {
  const { arrange, learnNames } = useActions()
  const workspaceApi = useWorkspaceApi()
  const names = useStore(state => state.names)
  const councils = useStore(state => state.councils)
  const whom = useStore(state => state.whom)
  const session = useStore(state => state.session)
  const about = useStore(state => state.about)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const now = answeringVoices({ names, councils, whom, session, about })
  if (now === null || isThere({ names, councils }, now)) return null

  const give = async (option: string): Promise<void> => {
    await arrange(whomOf(option))
    onLeave()
  }
  const restore = async (): Promise<void> => {
    const restored = await workspaceApi.putAgent(ASSISTANT)
    setProblem(restored.ok ? null : restored.problem)
    if (!restored.ok) return
    await learnNames()
    onLeave()
  }
  return (
    <div className="notice gone" data-kind="gone">
      <Icon name="info" />
      <span>
        <span role="status">
          {'council' in now
            ? `The council “${now.council}” was removed. Choose who answers in this chat.`
            : `The agent “${now.agent}” was removed. Until you choose another, this chat is answered without its instructions.`}
        </span>
        {problem !== null && (
          <span className="fault-detail" role="alert">
            {problem.title}. {problem.detail}
          </span>
        )}
        <span className="gone-actions">
          {'agent' in now && now.agent === ASSISTANT.key && (
            <button type="button" className="link" onClick={() => restore().catch(reportError)}>
              Restore {ASSISTANT.name}
            </button>
          )}
          <select
            className="pick"
            aria-label="Give this chat to"
            value=""
            onChange={event => give(event.target.value).catch(reportError)}
          >
            <option value="" disabled hidden>
              Give this chat to …
            </option>
            <WhoOptions names={names} councils={councils} />
          </select>
        </span>
      </span>
    </div>
  )
}
