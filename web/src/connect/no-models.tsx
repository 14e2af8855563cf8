// Shown when a provider answers but lists no models: a person who knows the name of one can enter it.
import { useState } from 'react'
import type { ConnectedProvider } from '../../../src/model/connectable-providers.ts'
import { ProblemBox } from '../form/problem-box.tsx'
import { TextField } from '../form/text-field.tsx'
import { useActions, useWorkspaceApi } from '../store/use-store.ts'
import type { ApiProblem, ApiResult } from '../wire/problem.ts'

type NoModelsProps = {
  readonly provider: ConnectedProvider
  readonly problem: ApiProblem | null
  readonly isBusy: boolean
  readonly onBack: () => void
  /** To enter another key or address. */
  readonly onEdit: () => void
  readonly onChecked: (provider: ConnectedProvider) => void
  readonly onChoose: (model: string) => void
}

/** Ollama lists all it has, so there a name would not help. */
export function NoModels(props: NoModelsProps): React.ReactNode {
  const { provider, isBusy, onBack, onEdit, onChecked, onChoose } = props
  const { name, kind, title } = provider
  const { providers } = useWorkspaceApi()
  const { workspaceChanged } = useActions()
  const [model, setModel] = useState('')
  const [isChecking, setChecking] = useState(false)
  const [outcome, setOutcome] = useState<ApiResult<ConnectedProvider> | null>(null)
  const isOllama = kind === 'ollama'
  const prefix = kind === 'compatible' ? `compatible/${name}/` : `${name}/`
  const wanted = model.trim().startsWith(prefix) ? model.trim() : `${prefix}${model.trim()}`
  const problem = outcome?.ok === false ? outcome.problem : props.problem
  const check = async (): Promise<void> => {
    setChecking(true)
    const checked = await providers.check(name)
    setChecking(false)
    setOutcome(checked)
    if (!checked.ok) return
    onChecked(checked.value)
    workspaceChanged()
  }
  return (
    <form
      className="connect-form"
      noValidate
      onSubmit={event => {
        event.preventDefault()
        setOutcome(null)
        if (!isOllama && model.trim() !== '' && !isBusy) onChoose(wanted)
      }}
    >
      {isOllama ? (
        <p>
          {title} answers, but has no models yet. Fetch one with <code>ollama pull llama3.2</code>, then check again.
        </p>
      ) : (
        <>
          <p>
            {title} answers, but does not list its models. Enter the name of one as {title} knows it.
          </p>
          <TextField label="Model" value={model} isCode onChange={setModel} />
        </>
      )}
      {outcome?.ok === true && !isChecking && (
        <p className="connect-note" role="status">
          {title} still lists no models.
        </p>
      )}
      {problem !== null && <ProblemBox problem={problem} />}
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onBack}>
          Back
        </button>
        <button type="button" className="button" onClick={onEdit}>
          {provider.needsKey ? 'Change key' : 'Change address'}
        </button>
        <button
          type="button"
          className={isOllama ? 'button primary' : 'button'}
          aria-disabled={isChecking}
          onClick={() => !isChecking && check().catch(reportError)}
        >
          {isChecking ? 'Checking …' : 'Check again'}
        </button>
        {!isOllama && (
          <button type="submit" className="button primary" disabled={isBusy || model.trim() === ''}>
            Use this model
          </button>
        )}
      </div>
    </form>
  )
}
