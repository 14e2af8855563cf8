// Chooses which model of a provider answers from now on.
import { useState } from 'react'
import type { ConnectedProvider } from '../../../src/model/connectable-providers.ts'
import { ProblemBox } from '../form/problem-box.tsx'
import { ModelOptions } from '../model-picker/model-list.tsx'
import { pickerSections } from '../model-picker/sections.ts'
import { useLoaded } from '../parts/use-loaded.ts'
import { useActions, useModelChoices, useWorkspaceApi } from '../store/use-store.ts'
import type { ApiProblem } from '../wire/problem.ts'
import type { ListedModels, ModelRow } from '../wire/workspace-api.ts'
import { environmentKeyWords, modelCountWords } from '../words/provider-words.ts'
import { NoModels } from './no-models.tsx'

type ChooseDefaultProps = {
  readonly provider: ConnectedProvider
  readonly onBack: () => void
  /** To enter another key or address. */
  readonly onEdit: () => void
  readonly onChecked: (provider: ConnectedProvider) => void
  readonly onDone: () => void
}

/** The default model counts for every agent and chat that has none of its own, from the next message on. */
export function ChooseDefault({ provider, onBack, onEdit, onChecked, onDone }: ChooseDefaultProps): React.ReactNode {
  const { models: read, settings } = useWorkspaceApi()
  const store = useActions()
  const choices = useModelChoices()
  const listed = useLoaded(`models ${provider.name} ${provider.checkedAt}`, read)
  const [query, setQuery] = useState('')
  const [picked, setPicked] = useState<string | null>(null)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const [isBusy, setBusy] = useState(false)
  const rows = listed.value === null ? [] : rowsOf(provider, listed.value)
  const chosen = picked ?? suggestion(rows, listed.value?.default)
  const usual = listed.value?.default ?? null

  const choose = async (model: string): Promise<void> => {
    setBusy(true)
    const changed = await settings.change({ model })
    setBusy(false)
    if (!changed.ok) return setProblem(changed.problem)
    store.modelChoices.use(model)
    const { session, about, wish } = store.get()
    // The demo was chosen for want of anything better.
    if ((session === null ? wish.model : about?.model) === 'demo') await store.arrange({ model: null })
    store.workspaceChanged()
    onDone()
    store.undo.offer({ text: `${model} is the default model now.` })
    document.getElementById('message')?.focus()
  }

  if (provider.models.length === 0)
    return (
      <NoModels
        provider={provider}
        problem={problem}
        isBusy={isBusy}
        onBack={onBack}
        onEdit={onEdit}
        onChecked={onChecked}
        onChoose={model => choose(model).catch(reportError)}
      />
    )
  return (
    <>
      <p>
        {provider.keyFrom === 'environment' ? `${environmentKeyWords(provider)} ` : ''}
        {capital(modelCountWords(provider.models.length))} found. Choose the one that answers from now on.
      </p>
      <div className="connect-models">
        <ModelOptions
          label={`Models of ${provider.title}`}
          query={query}
          onQuery={setQuery}
          sections={pickerSections({
            models: rows,
            choices: { ...choices, recent: [] },
            query,
            value: chosen ?? '',
            defaultLabel: null,
            connectable: [{ name: provider.name, title: provider.title }],
          })}
          value={chosen ?? ''}
          isLoading={listed.value === null}
          onPick={option => option.kind === 'model' && setPicked(option.model.name)}
          onStar={store.modelChoices.star}
        />
      </div>
      {problem !== null && <ProblemBox problem={problem} />}
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onEdit}>
          {provider.needsKey ? 'Change key' : 'Change address'}
        </button>
        {usual !== null && usual !== 'demo' && usual !== chosen && (
          <button type="button" className="button" onClick={onDone}>
            Keep {usual}
          </button>
        )}
        <button
          type="button"
          className="button primary"
          disabled={chosen === null || isBusy}
          onClick={() => chosen !== null && choose(chosen).catch(reportError)}
        >
          Use this model
        </button>
      </div>
    </>
  )
}

/** Its models in the order it gave, with what is known of them. */
function rowsOf({ name, models }: ConnectedProvider, { items }: ListedModels): readonly ModelRow[] {
  const known = new Map(items.map(row => [row.name, row]))
  return models.map(model => ({ ...(known.get(model) ?? unknownModel(model, name)), ready: true }))
}

const unknownModel = (name: string, provider: string): ModelRow => ({
  ...{ name, provider, window: 0, output: null, price: null, ready: true },
  ...{ images: false, files: false, thinking: false, tools: false },
})

/** The present default if it is one of them, else the first that is known well enough to have a price, else the first. */
function suggestion(rows: readonly ModelRow[], usual: string | undefined): string | null {
  const found = rows.find(({ name }) => name === usual) ?? rows.find(({ price }) => price !== null) ?? rows[0]
  return found?.name ?? null
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1)
