// Shown when a provider answers but lists no models: a person who knows the name of one can enter it.
import { useState } from 'react'
import type { ConnectedProvider } from '../../../src/model/connectable-providers.ts'
import { ProblemBox } from '../form/problem-box.tsx'
import { TextField } from '../form/text-field.tsx'
import type { ApiProblem } from '../wire/problem.ts'

type NoModelsProps = {
  readonly provider: ConnectedProvider
  readonly problem: ApiProblem | null
  readonly isBusy: boolean
  readonly onBack: () => void
  readonly onEdit: () => void
  readonly onChoose: (model: string) => void
}

/** Ollama lists all it has, so there a name would not help. */
export function NoModels({ provider, problem, isBusy, onBack, onEdit, onChoose }: NoModelsProps): React.ReactNode {
  const { name, kind, title } = provider
  const [model, setModel] = useState('')
  const isOllama = kind === 'ollama'
  const prefix = kind === 'compatible' ? `compatible/${name}/` : `${name}/`
  const wanted = model.trim().startsWith(prefix) ? model.trim() : `${prefix}${model.trim()}`
  return (
    <form
      className="connect-form"
      noValidate
      onSubmit={event => {
        event.preventDefault()
        if (!isOllama && model.trim() !== '' && !isBusy) onChoose(wanted)
      }}
    >
      {isOllama ? (
        <p>
          {title} answers, but has no models yet. Fetch one with <code>ollama pull llama3.2</code>, then look again.
        </p>
      ) : (
        <>
          <p>
            {title} answers, but does not list its models. Enter the name of one as {title} knows it.
          </p>
          <TextField label="Model" value={model} isCode onChange={setModel} />
        </>
      )}
      {problem !== null && <ProblemBox problem={problem} />}
      <div className="dialog-actions">
        <button type="button" className="button" onClick={onBack}>
          Back
        </button>
        <button type="button" className={isOllama ? 'button primary' : 'button'} onClick={onEdit}>
          Look again
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
