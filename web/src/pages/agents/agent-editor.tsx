// The form for one agent.
import { useState } from 'react'
import type { Policy } from '../../../../src/model/settings/policy.ts'
import type { WrittenAgent } from '../../../../src/model/voice.ts'
import { ColorChoice } from '../../form/color-choice.tsx'
import { complaintsOf, whyAt } from '../../form/complaints.ts'
import { ConfirmDialog } from '../../form/confirm-dialog.tsx'
import { ProblemBox } from '../../form/problem-box.tsx'
import { SaveBar } from '../../form/save-bar.tsx'
import { TextArea } from '../../form/text-area.tsx'
import { TextField } from '../../form/text-field.tsx'
import { useEdit } from '../../form/use-edit.ts'
import { useActions, useWorkspaceApi } from '../../store/use-store.ts'
import { hashOf, sessionHash } from '../../view/route.ts'
import type { ApiProblem, ApiResult } from '../../wire/problem.ts'
import type { ListedModels } from '../../wire/workspace-api.ts'
import { roughWords } from '../../words/rough-tokens.ts'
import { Avatar } from '../avatar.tsx'
import { EquipmentFields, useEquipmentLists } from '../equipment/equipment-fields.tsx'
import { AGENT_PATHS, type AgentForm, agentForm, agentFromForm } from './agent-form.ts'
import { freeKey, keyFrom } from './agent-key.ts'
import { AgentModel } from './agent-model.tsx'

type AgentEditorProps = {
  readonly from: WrittenAgent
  readonly isNew: boolean
  /** The keys there are. */
  readonly taken: readonly string[]
  readonly models: ListedModels
  readonly policies: readonly Policy[]
}

/** Who an agent is, as its file will have it. */
export function AgentEditor({ from, isNew, taken, models, policies }: AgentEditorProps): React.ReactNode {
  const workspaceApi = useWorkspaceApi()
  const { begin, choose } = useActions()
  const lists = useEquipmentLists()
  const [isKeyOwn, setKeyOwn] = useState(false)
  const editing = useEdit<AgentForm>({
    place: isNew ? 'agents ~new' : `agents ${from.key}`,
    from: agentForm(from),
    isNew,
    read: ({ key }) => formFrom(workspaceApi.agent(key)),
    write: form => formFrom(workspaceApi.putAgent(agentFromForm(form))),
    onSaved: ({ key }) => {
      begin().catch(reportError)
      if (isNew) location.hash = hashOf({ page: 'agents', key })
    },
  })
  const { draft, change, isChanged, save, problem } = editing
  const complaints = complaintsOf(problem)
  const text = (field: 'description' | 'prompt' | 'personality' | 'example' | 'suffix') => ({
    value: draft[field],
    onChange: (value: string) => change({ [field]: value }),
    error: whyAt(complaints, field),
  })
  const name = draft.name.trim() === '' ? 'New agent' : draft.name

  return (
    <form
      className="form"
      noValidate
      onSubmit={event => {
        event.preventDefault()
        if (isChanged) save().catch(reportError)
      }}
    >
      <div className="editor-head">
        <Avatar name={name} color={draft.color} />
        <h2>{name}</h2>
        {!isNew && (
          <a className="button" href={sessionHash(null)} onClick={() => choose({ agent: from.key })}>
            Start a conversation<span className="unseen"> with {name}</span>
          </a>
        )}
      </div>

      <div className="form-pair">
        <TextField
          label="Name"
          value={draft.name}
          maxLength={200}
          error={whyAt(complaints, 'name')}
          onChange={value => change({ name: value, ...(isNew && !isKeyOwn ? { key: freeKey(keyFrom(value), taken) } : {}) })}
        />
        <TextField
          label="Key"
          value={draft.key}
          isCode
          readOnly={!isNew}
          maxLength={64}
          error={whyAt(complaints, 'key')}
          hint={
            isNew ? 'Stands in addresses and in agents.json. It cannot be changed later.' : 'Its name in agents.json; it stays.'
          }
          onChange={key => {
            setKeyOwn(key !== '')
            change({ key })
          }}
        />
      </div>
      <TextField label="Description" hint="A line to choose it by. The model does not see it." {...text('description')} />
      <ColorChoice
        label="Colour"
        value={draft.color}
        mayBeNone
        error={whyAt(complaints, 'color')}
        onChange={color => change({ color })}
      />

      <TextArea
        label="Prompt"
        rows={8}
        aside={roughWords(draft.prompt)}
        hint="Stands at the beginning of every request. AGENTS.md, the project’s context and the skills follow it."
        {...text('prompt')}
      />
      <TextArea label="Personality" aside={roughWords(draft.personality)} hint="How it speaks." {...text('personality')} />
      <TextArea
        label="Example"
        aside={roughWords(draft.example)}
        hint={draft.isData ? 'Data, as JSON; it is sent as a block of code.' : 'What a good answer looks like.'}
        {...text('example')}
      />
      <TextArea
        label="Last words"
        rows={2}
        aside={roughWords(draft.suffix)}
        hint="Stand at the end of its text."
        {...text('suffix')}
      />

      <AgentModel draft={draft} change={change} models={models} policies={policies} complaints={complaints} />
      <EquipmentFields value={draft} lists={lists} hasAll complaints={complaints} onChange={change} />
      {!isNew && <DeleteAgent agent={from} />}
      <SaveBar editing={editing} fields={AGENT_PATHS} thing="agent" isNew={isNew} />
    </form>
  )
}

const formFrom = async (asked: Promise<ApiResult<WrittenAgent>>): Promise<ApiResult<AgentForm>> => {
  const outcome = await asked
  return outcome.ok ? { ok: true, value: agentForm(outcome.value) } : outcome
}

function DeleteAgent({ agent: { key, name } }: { readonly agent: WrittenAgent }): React.ReactNode {
  const workspaceApi = useWorkspaceApi()
  const { begin } = useActions()
  const [isAsking, setAsking] = useState(false)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const remove = async (): Promise<void> => {
    const removed = await workspaceApi.removeAgent(key)
    if (!removed.ok) return setProblem(removed.problem)
    begin().catch(reportError)
    location.hash = hashOf({ page: 'agents', key: null })
  }
  return (
    <section className="danger-zone">
      {problem !== null && <ProblemBox problem={problem} />}
      <button type="button" className="text-button danger-words" onClick={() => setAsking(true)}>
        Delete this agent …
      </button>
      {isAsking && (
        <ConfirmDialog
          title={`Delete “${name}”?`}
          text="It is removed from agents.json. Its chats stay. Until you give them to another agent, they are answered without its instructions."
          action="Delete"
          onConfirm={() => remove().catch(reportError)}
          onClose={() => setAsking(false)}
        />
      )}
    </section>
  )
}
