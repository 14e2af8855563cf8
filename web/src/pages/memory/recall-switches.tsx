// The switches that say from which chats others may recall.
import { useState } from 'react'
import type { RecallFrom } from '../../../../src/model/recall.ts'
import { Switch } from '../../form/switch.tsx'
import { useActions, useWorkspaceApi } from '../../store/use-store.ts'
import type { ApiProblem, ApiResult } from '../../wire/problem.ts'
import type { MemoryPageData } from '../../wire/workspace-api.ts'
import { RECALL_CHOICES, recallMeans } from '../../words/memory-words.ts'
import { ChoiceField } from '../choice.tsx'

type RecallSwitchesProps = Pick<MemoryPageData, 'from' | 'projects'> & { readonly onChanged: () => void }

/** Where chats may look for earlier messages: everywhere by one choice, or project by project. */
export function RecallSwitches({ from, projects, onChanged }: RecallSwitchesProps): React.ReactNode {
  const workspaceApi = useWorkspaceApi()
  const { learnNames } = useActions()
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  /** What was just chosen, until the gateway says the same. */
  const [chosen, setChosen] = useState<{ readonly from: RecallFrom; readonly projects: readonly string[] }>({
    from,
    projects: projects.flatMap(({ name, recall }) => (recall ? [name] : [])),
  })
  const before = chosen
  const change = async (next: typeof chosen, asked: Promise<ApiResult<unknown>>): Promise<void> => {
    setChosen(next)
    const done = await asked
    setProblem(done.ok ? null : done.problem)
    if (!done.ok) return setChosen(before)
    onChanged()
    await learnNames()
  }
  const choose = (wanted: RecallFrom): void => {
    change({ ...chosen, from: wanted }, workspaceApi.setRecallFrom(wanted)).catch(reportError)
  }
  const turn = (name: string, isOn: boolean): void => {
    const others = chosen.projects.filter(other => other !== name)
    const next = { ...chosen, projects: isOn ? [...others, name] : others }
    change(next, workspaceApi.setProjectRecall(name, isOn)).catch(reportError)
  }
  const isByProject = chosen.from === 'session' && projects.length > 0
  return (
    <section className="page-part" aria-label="Recall">
      <div className="row-head">
        <h2>Recall earlier messages from</h2>
        <ChoiceField label="Recall earlier messages from" options={RECALL_CHOICES} value={chosen.from} onChange={choose} />
      </div>
      <p className="page-note">
        {recallMeans(chosen.from)}
        {isByProject && ' Projects can be switched on one by one.'} Private chats and those of councils are never quoted
        elsewhere. Saved in <code>turnwise.json</code>.
      </p>
      {problem !== null && (
        <p className="page-note danger-words" role="alert">
          {problem.title}. {problem.detail}
        </p>
      )}
      {isByProject && (
        <div className="memory-projects">
          {projects.map(({ name }) => (
            <Switch
              key={name}
              label={`Chats in ${name} recall from each other`}
              isOn={chosen.projects.includes(name)}
              onChange={isOn => turn(name, isOn)}
            />
          ))}
        </div>
      )}
    </section>
  )
}
