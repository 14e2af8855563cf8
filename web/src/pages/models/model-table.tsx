// Models with their windows, prices and abilities.
import type { ModelRow } from '../../wire/workspace-api.ts'
import { shortCount } from '../../words/amounts.ts'
import { modelPriceWords, seesWords } from '../../words/model-words.ts'
import { formatCount } from '../../words/words.ts'

type ModelTableProps = { readonly models: readonly ModelRow[]; readonly usual: string; readonly of: string }

/** Each model with its window, prices and abilities; prices are for a million tokens. */
export function ModelTable({ models, usual, of }: ModelTableProps): React.ReactNode {
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
          <th scope="col">Price per million tokens</th>
          <th scope="col">Takes</th>
        </tr>
      </thead>
      <tbody>
        {models.map(model => (
          <tr key={model.name}>
            <th scope="row">
              <span className="model-name">{model.name}</span>
              {model.name === usual && <span className="chip">default</span>}
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
            <td data-label="Takes">{['text', ...seesWords(model)].join(', ')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
