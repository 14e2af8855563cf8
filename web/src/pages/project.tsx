// The page of one project.
import { whyNoProject } from '../../../src/model/settings/project.ts'
import { complaintsOf, whyAt } from '../form/complaints.ts'
import { SaveBar } from '../form/save-bar.tsx'
import { TextArea } from '../form/text-area.tsx'
import { TextField } from '../form/text-field.tsx'
import { useEdit } from '../form/use-edit.ts'
import { useLoaded } from '../parts/use-loaded.ts'
import { useActions, useWorkspaceApi } from '../store/use-store.ts'
import { hashOf, sessionHash } from '../view/route.ts'
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
    from,
    isNew,
    read: ({ name }) => workspaceApi.project(name),
    write: workspaceApi.putProject,
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
      <SaveBar editing={editing} fields={['name', 'context']} thing="project" isNew={isNew} />
    </form>
  )
}
