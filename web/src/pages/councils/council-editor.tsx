// The form for one council.
import { useState } from 'react'
import { type Council, SYNTHESIS_MODES } from '../../../../src/model/settings/council.ts'
import type { Policy } from '../../../../src/model/settings/policy.ts'
import { complaintsOf, whyAt } from '../../form/complaints.ts'
import { SaveBar } from '../../form/save-bar.tsx'
import { SelectField } from '../../form/select-field.tsx'
import { TextField } from '../../form/text-field.tsx'
import { useEdit } from '../../form/use-edit.ts'
import { useActions, useWorkspaceApi } from '../../store/use-store.ts'
import { hashOf, sessionHash } from '../../view/route.ts'
import type { ApiResult } from '../../wire/problem.ts'
import type { ListedModels } from '../../wire/workspace-api.ts'
import { councilModeWords } from '../../words/council-words.ts'
import { freeKey, keyFrom } from '../agents/agent-key.ts'
import { useEquipmentLists } from '../equipment/equipment-fields.tsx'
import { AdvisorFile } from './advisor-file.tsx'
import { AdvisorList } from './advisor-list.tsx'
import { type CouncilForm, councilForm, councilFromForm, pathsOf, withAdvisor } from './council-form.ts'
import { DeleteCouncil } from './delete-council.tsx'
import { AdvisorSuggestions } from './suggestions.tsx'

type CouncilEditorProps = {
  readonly from: CouncilForm
  readonly isNew: boolean
  /** The keys there are. */
  readonly taken: readonly string[]
  readonly models: ListedModels
  readonly policies: readonly Policy[]
  readonly onImported: (council: Council) => void
}

/** Who sits in a council and how they hear each other, as its file will have it. */
export function CouncilEditor({ from, isNew, taken, models, policies, onImported }: CouncilEditorProps): React.ReactNode {
  const workspaceApi = useWorkspaceApi()
  const { learnNames, choose } = useActions()
  const lists = useEquipmentLists()
  const [isKeyOwn, setKeyOwn] = useState(false)
  const editing = useEdit<CouncilForm>({
    place: isNew ? 'councils ~new' : `councils ${from.key}`,
    from,
    isNew,
    read: ({ key }: CouncilForm) => formFrom(workspaceApi.council(key)),
    write: (form: CouncilForm) => formFrom(workspaceApi.putCouncil(councilFromForm(form))),
    onSaved: ({ key }: CouncilForm) => {
      learnNames().catch(reportError)
      if (isNew) location.hash = hashOf({ page: 'councils', key })
    },
  })
  const { draft, change, isChanged, save, problem } = editing
  const complaints = complaintsOf(problem)
  const toList = (): void => {
    learnNames().catch(reportError)
    location.hash = hashOf({ page: 'councils', key: null })
  }

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
        <h2>{draft.name.trim() === '' ? 'New council' : draft.name}</h2>
        {!isNew && (
          <a className="button" href={sessionHash(null)} onClick={() => choose({ council: from.key })}>
            Start a conversation
          </a>
        )}
      </div>

      <div className="form-pair">
        <TextField
          label="Name"
          value={draft.name}
          maxLength={80}
          error={whyAt(complaints, 'name')}
          onChange={name => change({ name, ...(isNew && !isKeyOwn ? { key: freeKey(keyFrom(name), taken) } : {}) })}
        />
        <TextField
          label="Key"
          value={draft.key}
          isCode
          readOnly={!isNew}
          maxLength={64}
          error={whyAt(complaints, 'key')}
          hint={isNew ? 'Its name in councils.json. It cannot be changed later.' : 'Its name in councils.json; it stays.'}
          onChange={key => {
            setKeyOwn(key !== '')
            change({ key })
          }}
        />
        <SelectField
          label="What they hear of each other"
          value={draft.references}
          options={[
            { value: 'last-round', label: 'The answers of the round before' },
            { value: 'none', label: 'Nothing' },
          ]}
          error={whyAt(complaints, 'references')}
          onChange={value => change({ references: value === 'none' ? value : 'last-round' })}
        />
        <TextField
          label="Turns in which they only ask"
          value={draft.early}
          maxLength={3}
          error={whyAt(complaints, 'early')}
          hint="At first each asks one short question; 0 turns that off."
          onChange={early => change({ early })}
        />
        <SelectField
          label="Synthesis after every round"
          value={draft.synthesis}
          options={[
            { value: '', label: 'Only when asked for' },
            ...SYNTHESIS_MODES.map(mode => ({ value: mode, label: councilModeWords(mode) })),
          ]}
          error={whyAt(complaints, 'synthesis')}
          onChange={value => change({ synthesis: SYNTHESIS_MODES.find(mode => mode === value) ?? '' })}
        />
      </div>

      <h3 className="form-part">Advisors</h3>
      <AdvisorList
        advisors={draft.advisors}
        complaints={complaints}
        models={models}
        policies={policies}
        lists={lists}
        onChange={advisors => change({ advisors })}
      />
      {!isNew && (
        <>
          <AdvisorSuggestions council={from.key} onPick={given => change({ advisors: withAdvisor(draft.advisors, given) })} />
          <AdvisorFile council={from.key} isChanged={isChanged} onImported={onImported} />
          <section className="danger-zone">
            <DeleteCouncil council={from} words="Delete this council …" onDeleted={toList} />
          </section>
        </>
      )}
      <SaveBar editing={editing} fields={pathsOf(draft)} thing="council" isNew={isNew} />
    </form>
  )
}

/** A council as its form, wherever it was read. */
export const formFrom = async (asked: Promise<ApiResult<Council>>): Promise<ApiResult<CouncilForm>> => {
  const outcome = await asked
  return outcome.ok ? { ok: true, value: councilForm(outcome.value) } : outcome
}
