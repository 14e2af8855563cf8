// The page of one project.
import { useState } from 'react'
import { whyNoProject } from '../../../src/model/settings/project.ts'
import { complaintsOf, whyAt } from '../form/complaints.ts'
import { SaveBar } from '../form/save-bar.tsx'
import { Switch } from '../form/switch.tsx'
import { TextArea } from '../form/text-area.tsx'
import { TextField } from '../form/text-field.tsx'
import { useEdit } from '../form/use-edit.ts'
import { useLoaded } from '../parts/use-loaded.ts'
import { useActions, useWorkspaceApi } from '../store/use-store.ts'
import { hashOf, sessionHash } from '../view/route.ts'
import type { ApiResult } from '../wire/problem.ts'
import type { WrittenProject } from '../wire/workspace-api.ts'
import { roughWords } from '../words/rough-tokens.ts'
import { BackLink } from './page-head.tsx'
import { Read } from './read.tsx'

const NEW_PROJECT: WrittenProject = { name: '', context: '' }

/** One project; null is a new one. */
export function ProjectPage({ name }: { readonly name: string | null }): React.ReactNode {
  const workspaceApi = useWorkspaceApi()
  const loaded = useLoaded<WrittenProject>(`project ${name}`, async () =>
    name === null ? { ok: true, value: NEW_PROJECT } : workspaceApi.project(name),
  )
  return (
    <>
      <BackLink href={hashOf({ page: 'projects', key: null })}>All projects</BackLink>
      <Read from={loaded} what="project">
        {project => <ProjectEditor from={project} isNew={name === null} />}
      </Read>
    </>
  )
}

function ProjectEditor({ from, isNew }: { readonly from: WrittenProject; readonly isNew: boolean }): React.ReactNode {
  const workspaceApi = useWorkspaceApi()
  const { enter, begin } = useActions()
  const editing = useEdit<WrittenProject>({
    place: isNew ? 'projects ~new' : `projects ${from.name}`,
    from: withoutSwitch(from),
    isNew,
    read: async ({ name }) => edited(await workspaceApi.project(name)),
    write: async project => edited(await workspaceApi.putProject(project)),
    onSaved: ({ name }) => {
      begin().catch(reportError)
      if (isNew) location.hash = hashOf({ page: 'projects', key: name })
    },
  })
  const { draft, change, isChanged, save, problem } = editing
  const complaints = complaintsOf(problem)
  const wrongName = isNew && draft.name !== '' ? whyNoProject(draft.name) : undefined
  return (
    <form
      className="form"
      noValidate
      onSubmit={event => {
        event.preventDefault()
        if (isChanged && wrongName === undefined) save().catch(reportError)
      }}
    >
      <div className="editor-head">
        <h2>{isNew ? 'New project' : from.name}</h2>
        {!isNew && (
          <a className="button" href={sessionHash(null)} onClick={() => enter(from.name)}>
            Show its conversations
          </a>
        )}
      </div>
      {isNew && (
        <TextField
          label="Name"
          value={draft.name}
          maxLength={64}
          error={wrongName ?? whyAt(complaints, 'name')}
          hint="The name of its folder; it cannot be changed later."
          onChange={name => change({ name })}
        />
      )}
      <TextArea
        label="Context"
        rows={12}
        value={draft.context}
        aside={roughWords(draft.context)}
        error={whyAt(complaints, 'context')}
        hint="What every conversation of this project should know. It is sent with every request, after the agent’s own text."
        onChange={context => change({ context })}
      />
      {!isNew && <ProjectRecall name={from.name} isOn={from.recall === true} />}
      <SaveBar editing={editing} fields={['name', 'context']} thing="project" isNew={isNew} />
    </form>
  )
}

/** What is edited and saved here; the switch counts at once. */
const withoutSwitch = ({ name, context }: WrittenProject): WrittenProject => ({ name, context })

const edited = (read: ApiResult<WrittenProject>): ApiResult<WrittenProject> =>
  read.ok ? { ok: true, value: withoutSwitch(read.value) } : read

/** Whether the chats of a project recall from each other. It counts at once, without saving. */
function ProjectRecall({ name, isOn }: { readonly name: string; readonly isOn: boolean }): React.ReactNode {
  const { setProjectRecall } = useWorkspaceApi()
  const { learnNames, undo } = useActions()
  const [chosen, setChosen] = useState(isOn)
  const turn = async (wanted: boolean): Promise<void> => {
    setChosen(wanted)
    const done = await setProjectRecall(name, wanted)
    if (!done.ok) {
      setChosen(!wanted)
      undo.offer({ text: `${done.problem.title}. ${done.problem.detail}` })
    }
    await learnNames()
  }
  return (
    <Switch
      label="Its chats recall from each other"
      hint="Earlier messages that match are quoted from the other chats of this project. Private chats never are. Applies immediately."
      isOn={chosen}
      onChange={wanted => turn(wanted).catch(reportError)}
    />
  )
}
