// Usage by model and by day, as tables.
import { type UsageSum, usageSum } from '../../../../src/model/usage.ts'
import { formatCount } from '../../words/words.ts'
import { byModel, type ModelUse, type UsageBar, type UsageCost, usageCost, usageCostWords } from './usage.ts'

const HEADS = ['Tokens in', 'Tokens out', 'Cache read', 'Cache written', 'Requests', 'Cost'] as const

/** What each model was used for. */
export const ModelUseTable = ({ uses }: { readonly uses: readonly ModelUse[] }): React.ReactNode => (
  <UseTable caption="Usage by model" first="Model">
    {uses.map(({ model, sum, cost }) => (
      <tr key={model}>
        <th scope="row">
          <span className="model-name">{model}</span>
        </th>
        <Counts sum={sum} cost={cost} />
      </tr>
    ))}
  </UseTable>
)

/** What the chart shows, in numbers. */
export const DayTable = ({ bars }: { readonly bars: readonly UsageBar[] }): React.ReactNode => (
  <UseTable caption="Usage by day and model" first="Day">
    {bars.flatMap(({ key, label, rows }) => [
      <tr key={key} className="sum-row">
        <th scope="row">{label}</th>
        <Counts sum={usageSum(rows)} cost={usageCost(rows)} />
      </tr>,
      ...byModel(rows).map(({ model, sum, cost }) => (
        <tr key={`${key} ${model}`} className="part-row">
          <th scope="row">
            <span className="model-name">{model}</span>
          </th>
          <Counts sum={sum} cost={cost} />
        </tr>
      )),
    ])}
  </UseTable>
)

type UseTableProps = { readonly caption: string; readonly first: string; readonly children: React.ReactNode }

const UseTable = ({ caption, first, children }: UseTableProps): React.ReactNode => (
  <table className="table" data-cards="true">
    <caption className="unseen">{caption}</caption>
    <thead>
      <tr>
        <th scope="col">{first}</th>
        {HEADS.map(head => (
          <th key={head} scope="col" className="number">
            {head}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>{children}</tbody>
  </table>
)

function Counts({ sum, cost }: { readonly sum: UsageSum; readonly cost: UsageCost }): React.ReactNode {
  const cells = [...[sum.input, sum.output, sum.cacheRead, sum.cacheWrite, sum.requests].map(formatCount), usageCostWords(cost)]
  return HEADS.map((head, index) => (
    <td key={head} className="number" data-label={head}>
      {cells[index]}
    </td>
  ))
}
