import type { Step } from '../view.ts'
import { count } from '../words.ts'
import { ReceiptTable } from './receipt-table.tsx'

/** What the model had before it when it answered; opens to the account of it. */
export function ContextLine({ steps }: { readonly steps: readonly Step[] }): React.ReactNode {
  const planned = steps.flatMap(step => (step.receipt === null ? [] : [{ step, receipt: step.receipt }]))
  const last = planned.at(-1)
  if (last === undefined) return null
  const { degraded, policy, tokens } = last.receipt
  return (
    <details className="context">
      <summary>
        context: {count(tokens.reported ?? tokens.estimated)} tokens · {policy} · <span className="receipt-link">receipt</span>
        {degraded !== null && <span className="degraded"> · without history</span>}
      </summary>
      {planned.map(({ step, receipt }, index) => (
        <ReceiptTable
          key={receipt.id ?? receipt.digest}
          receipt={receipt}
          usage={step.usage}
          heading={planned.length > 1 ? `Request ${index + 1} of ${planned.length}` : null}
        />
      ))}
    </details>
  )
}
