// The page that lists models and providers.
import { useState } from 'react'
import { TextField } from '../form/text-field.tsx'
import { useLoaded } from '../parts/use-loaded.ts'
import { useWorkspaceApi } from '../store/use-store.ts'
import type { ListedModels, ModelRow } from '../wire/workspace-api.ts'
import { shortCount } from '../words/amounts.ts'
import { abilitiesOf, isWanted, modelPriceWords, type Provided, provided, providerTitle, remedyOf } from '../words/model-words.ts'
import { formatCount } from '../words/words.ts'
import { PageHead } from './page-head.tsx'
import { Read } from './read.tsx'
import { Snippet } from './snippet.tsx'

/** Who can be asked, and what the others want. */
export function ModelsPage(): React.ReactNode {
  const models = useLoaded('models', useWorkspaceApi().models)
  return (
    <>
      <PageHead intro="Whom Turnwise can ask. The demo model is built in and needs nothing; every other provider wants a key or a running server, and each says here what is missing." />
      <Read from={models} what="models">
        {value => <Providers models={value} />}
      </Read>
    </>
  )
}

function Providers({ models }: { readonly models: ListedModels }): React.ReactNode {
  const [filter, setFilter] = useState('')
  const { items, providers = [], default: usual } = models
  const all = provided(items, providers)
  const shown = items.filter(model => isWanted(model, filter))
  return (
    <>
      <TextField
        label="Filter"
        value={filter}
        isCode
        placeholder="name, images, thinking, ready …"
        aside={
          filter.trim() === ''
            ? `${formatCount(items.length)} models`
            : `${formatCount(shown.length)} of ${formatCount(items.length)} models`
        }
        onChange={setFilter}
      />
      {filter.trim() !== '' && shown.length === 0 && <p className="empty">No model is like that.</p>}
      {all.map(each => (
        <ProviderPart
          key={each.provider.name}
          provided={{ ...each, models: each.models.filter(model => shown.includes(model)) }}
          usual={usual}
          isFiltered={filter.trim() !== ''}
        />
      ))}
      <section className="page-part">
        <h2>Another model, or other numbers</h2>
        <p className="page-note">
          <code>model</code> is asked where nothing else is said. What stands under <code>models</code> is added to, or over, what
          is known: a window, the longest reply, a price for a million tokens. It counts from the next start.
        </p>
        <Snippet where="In turnwise.json" text={SETTINGS} />
      </section>
    </>
  )
}

const SETTINGS = `{
  "model": "ollama/llama3.2",
  "models": {
    "ollama/llama3.2": { "window": 8192, "output": 2048, "price": { "input": 0, "output": 0 } }
  }
}`

type ProviderPartProps = { readonly provided: Provided; readonly usual: string; readonly isFiltered: boolean }

function ProviderPart({ provided: { provider, models }, usual, isFiltered }: ProviderPartProps): React.ReactNode {
  const remedy = remedyOf(provider)
  if (isFiltered && models.length === 0) return null
  const table = <ModelTable models={models} usual={usual} of={providerTitle(provider.name)} />
  const isFolded = !provider.ready && !isFiltered && models.length > 0 && models.every(({ name }) => name !== usual)
  return (
    <section className="page-part">
      <div className="row-head">
        <h2>{providerTitle(provider.name)}</h2>
        <span className="chip" data-kind={provider.ready ? 'ready' : 'missing'}>
          {provider.ready ? 'ready' : 'not ready'}
        </span>
        {provider.baseURL !== '' && <code className="faint">{provider.baseURL}</code>}
      </div>
      {remedy !== null && !isFiltered && (
        <>
          <p className="page-note">{remedy.words}</p>
          <div className="snippets">
            {remedy.snippets.map(snippet => (
              <Snippet key={snippet.where} {...snippet} />
            ))}
          </div>
        </>
      )}
      {provider.ready && models.length === 0 && (
        <p className="empty">
          {provider.name === 'ollama'
            ? 'It runs, but has no models yet. Fetch one with “ollama pull”.'
            : 'No models are known of it; name one in the settings under models.'}
        </p>
      )}
      {isFolded ? (
        <details className="fold">
          <summary>
            {formatCount(models.length)} {models.length === 1 ? 'model' : 'models'}
            <span className="unseen"> of {providerTitle(provider.name)}</span>
          </summary>
          {table}
        </details>
      ) : (
        models.length > 0 && table
      )}
    </section>
  )
}

type ModelTableProps = { readonly models: readonly ModelRow[]; readonly usual: string; readonly of: string }

/** Each model with its window, prices and abilities; prices are for a million tokens. */
function ModelTable({ models, usual, of }: ModelTableProps): React.ReactNode {
  return (
    <table className="table" data-cards="true">
      <caption className="unseen">Models of {of}</caption>
      <thead>
        <tr>
          <th scope="col">Model</th>
          <th scope="col" className="number">
            Window
          </th>
          <th scope="col" className="number">
            Reply
          </th>
          <th scope="col">Price for a million tokens</th>
          <th scope="col">Takes</th>
        </tr>
      </thead>
      <tbody>
        {models.map(model => (
          <tr key={model.name}>
            <th scope="row">
              <span className="model-name">{model.name}</span>
              {model.name === usual && <span className="chip">the usual one</span>}
            </th>
            <td className="number" data-label="Window">
              <span title={`${formatCount(model.window)} tokens`}>{shortCount(model.window)}</span>
            </td>
            <td className="number" data-label="Reply">
              {model.output === null ? (
                '–'
              ) : (
                <span title={`${formatCount(model.output)} tokens`}>{shortCount(model.output)}</span>
              )}
            </td>
            <td data-label="Price">{modelPriceWords(model)}</td>
            <td data-label="Takes">{['text', ...abilitiesOf(model)].join(', ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
