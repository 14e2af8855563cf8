// Every model, by provider, with a filter.
import { useState } from 'react'
import { type ConnectedProvider, providerTitle } from '../../../../src/model/connectable-providers.ts'
import { TextField } from '../../form/text-field.tsx'
import type { ListedModels, ModelRow } from '../../wire/workspace-api.ts'
import { isWanted, modelsByProvider } from '../../words/model-words.ts'
import { formatCount } from '../../words/words.ts'
import { ModelFactsPart } from './model-facts.tsx'
import { ModelTable } from './model-table.tsx'

type ModelsByProviderProps = {
  readonly models: ListedModels
  readonly providers: readonly ConnectedProvider[]
  readonly onChanged: () => void
}

/** Models that can be used are shown; those of providers that are not connected are folded away. */
export function ModelsByProvider({ models, providers, onChanged }: ModelsByProviderProps): React.ReactNode {
  const [filter, setFilter] = useState('')
  const { items, default: usual } = models
  const isFiltered = filter.trim() !== ''
  const shown = items.filter(model => isWanted(model, filter))
  const titles = new Map(providers.map(({ name, title }) => [name, title]))
  return (
    <>
      <section className="page-part">
        <h2>Models</h2>
        <TextField
          label="Filter"
          value={filter}
          isCode
          placeholder="name, images, thinking, ready …"
          aside={
            isFiltered
              ? `${formatCount(shown.length)} of ${formatCount(items.length)} models`
              : `${formatCount(items.length)} models`
          }
          onChange={setFilter}
        />
        {isFiltered && shown.length === 0 && <p className="empty">No matching models</p>}
        {modelsByProvider(shown).map(([name, own]) => (
          <OwnModels
            key={name}
            title={titles.get(name) ?? providerTitle(name)}
            models={own}
            usual={usual}
            isFolded={!isFiltered && own.every(model => !model.ready && model.name !== usual)}
          />
        ))}
      </section>
      <ModelFactsPart models={items} onChanged={onChanged} />
    </>
  )
}

type OwnModelsProps = {
  readonly title: string
  readonly models: readonly ModelRow[]
  readonly usual: string
  readonly isFolded: boolean
}

function OwnModels({ title, models, usual, isFolded }: OwnModelsProps): React.ReactNode {
  const table = <ModelTable models={models} usual={usual} of={title} />
  if (!isFolded)
    return (
      <div className="provider-models">
        <h3>{title}</h3>
        {table}
      </div>
    )
  return (
    <details className="fold">
      <summary>
        {title}: {formatCount(models.length)} {models.length === 1 ? 'model' : 'models'}, not connected
      </summary>
      {table}
    </details>
  )
}
