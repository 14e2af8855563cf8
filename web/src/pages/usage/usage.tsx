// The page with usage and cost.
import { useState } from 'react'
import { type UsageRow, usageSum } from '../../../../src/model/usage.ts'
import { useLoaded } from '../../parts/use-loaded.ts'
import { useWorkspaceApi } from '../../store/use-store.ts'
import { hashOf } from '../../view/route.ts'
import { formatCount } from '../../words/words.ts'
import { ChoiceField } from '../choice.tsx'
import { PageHead } from '../page-head.tsx'
import { Read } from '../read.tsx'
import { byModel, chartOf, type DaysBack, dayRanges, sinceDay, type UsageMeasure, usageCost, usageCostWords } from './usage.ts'
import { UsageChart } from './usage-chart.tsx'
import { DayTable, ModelUseTable } from './usage-tables.tsx'

const SPANS: readonly (readonly [DaysBack, string])[] = [
  [7, '7 days'],
  [30, '30 days'],
  [90, '90 days'],
  [null, 'All'],
]

/** What was used, and what it cost. */
export function UsagePage(): React.ReactNode {
  const workspaceApi = useWorkspaceApi()
  const [span, setSpan] = useState<DaysBack>(30)
  const today = new Date().toISOString().slice(0, 10)
  const usage = useLoaded(`usage ${span} ${today}`, () => workspaceApi.usage(span === null ? null : sinceDay(span, today)))
  return (
    <>
      <PageHead intro="What providers counted and what that cost, by their public prices. Deleting a conversation does not change it. Days are those of UTC.">
        <ChoiceField label="How far back" options={SPANS} value={span} onChange={setSpan} />
      </PageHead>
      <Read from={usage} what="usage">
        {({ items }) => (items.length === 0 ? <NothingUsed span={span} /> : <Used rows={items} span={span} today={today} />)}
      </Read>
    </>
  )
}

const NothingUsed = ({ span }: { readonly span: DaysBack }): React.ReactNode => (
  <p className="empty">
    {span === null ? 'Nothing was used yet.' : `Nothing was used in the last ${span} days.`} Every answered message is counted
    here.
  </p>
)

type UsedProps = { readonly rows: readonly UsageRow[]; readonly span: DaysBack; readonly today: string }

function Used({ rows, span, today }: UsedProps): React.ReactNode {
  const total = usageSum(rows)
  const cost = usageCost(rows)
  const [wanted, setMeasure] = useState<UsageMeasure | null>(null)
  const measure = wanted ?? (cost.knownUsd > 0 ? 'cost' : 'tokens')
  const chart = chartOf(rows, dayRanges(rows, span, today), measure)
  const facts = [
    ['Cost', usageCostWords(cost)],
    ['Requests', formatCount(total.requests)],
    ['Tokens in', formatCount(total.input)],
    ['Tokens out', formatCount(total.output)],
    ['Cache read', formatCount(total.cacheRead)],
    ['Cache written', formatCount(total.cacheWrite)],
  ] as const
  return (
    <>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name} className="fact">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {cost.unpriced > 0 && (
        <p className="page-note">
          {formatCount(cost.unpriced)} {cost.unpriced === 1 ? 'request was' : 'requests were'} answered by models whose price is
          not known; what they cost is not in any sum. Give such a model a price under <code>models</code> in the settings:{' '}
          <a className="link" href={hashOf({ page: 'models', key: null })}>
            Models
          </a>
          .
        </p>
      )}
      <section className="page-part">
        <div className="row-head">
          <h2>{chart.bars.some(({ key }) => key.length === 7) ? 'By month' : 'By day'}</h2>
          <ChoiceField
            label="What the chart shows"
            options={[
              ['cost', 'Cost'],
              ['tokens', 'Tokens'],
            ]}
            value={measure}
            onChange={setMeasure}
          />
        </div>
        <UsageChart chart={chart} measure={measure} />
        <details className="fold">
          <summary>The same as a table</summary>
          <DayTable bars={chart.bars.filter(bar => bar.rows.length > 0)} />
        </details>
      </section>
      <section className="page-part">
        <h2>By model</h2>
        <ModelUseTable uses={byModel(rows)} />
      </section>
    </>
  )
}
