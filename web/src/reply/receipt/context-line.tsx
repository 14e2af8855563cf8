// The line under a reply that opens its receipts.
import type { Step } from '../../view/view.ts'
import { formatCount } from '../../words/words.ts'
import { InspectLink } from '../actions/inspect-actions.tsx'
import { Details } from './details.tsx'
import { ReceiptTable } from './receipt-table.tsx'

/** Where a turn's receipts are opened from, also from elsewhere. */
export const receiptPlace = (turn: string): string => `receipt ${turn}`

type ContextLineProps = { readonly turn: string; readonly steps: readonly Step[] }

/** What the model saw when it answered; opens to the receipt. */
export function ContextLine({ turn, steps }: ContextLineProps): React.ReactNode {
  const planned = steps.flatMap(step => (step.receipt === null ? [] : [{ step, receipt: step.receipt }]))
  const last = planned.at(-1)
  if (last === undefined) return null
  const { degraded, policy, tokens } = last.receipt
  return (
    <Details
      place={receiptPlace(turn)}
      className="context"
      summary={
        <>
          context: {formatCount(tokens.reported ?? tokens.estimated)} tokens · {policy} ·{' '}
          <span className="receipt-link">receipt</span>
          {degraded !== null && <span className="degraded"> · without history</span>}
        </>
      }
    >
      {planned.map(({ step, receipt }, index) => (
        <ReceiptTable
          key={receipt.id ?? receipt.digest}
          receipt={receipt}
          usage={step.usage}
          heading={planned.length > 1 ? `Request ${index + 1} of ${planned.length}` : null}
          inspect={<InspectLink turn={turn} step={step.step} />}
        />
      ))}
    </Details>
  )
}
