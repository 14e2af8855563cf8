// What an answer took, with its receipts behind it.
import { unseenIn } from '../../../src/context/receipt/seen.ts'
import { InspectLink } from '../reply/actions/inspect-actions.tsx'
import { Details } from '../reply/receipt/details.tsx'
import { ReceiptTable } from '../reply/receipt/receipt-table.tsx'
import type { Step } from '../view/view.ts'
import { dollars, percentWords, shortCount } from '../words/amounts.ts'
import { figuresOf } from '../words/figures.ts'
import { replySawWords } from '../words/reasons.ts'
import { duration } from '../words/words.ts'

type CardFiguresProps = { readonly turn: string; readonly steps: readonly Step[] }

/** What an answer took, on one line; behind it the receipt of every request. */
export function CardFigures({ turn, steps }: CardFiguresProps): React.ReactNode {
  const planned = steps.flatMap(step => (step.receipt === null ? [] : [{ step, receipt: step.receipt }]))
  const last = planned.at(-1)
  if (last === undefined) return null
  const { input, cached, costUsd, ms } = figuresOf(steps)
  const estimated = last.receipt.tokens.reported ?? last.receipt.tokens.estimated
  return (
    <Details
      place={`receipt ${turn}`}
      className="context"
      summary={
        <>
          <span className="unseen">Receipt: </span>
          <span title="Tokens that went in">{input === null ? `~${shortCount(estimated)}` : shortCount(input)} in</span>
          {cached !== null && (
            <span data-figure="cached" title="How much of that the provider’s cache knew">
              {percentWords(cached)} cached
            </span>
          )}
          {input !== null && (
            <span title={costUsd === null ? 'The price of this model is not known' : 'What it cost'}>
              <span className="unseen">cost </span>
              {dollars(costUsd)}
            </span>
          )}
          {ms !== null && <span title="How long its requests took">{duration(ms)}</span>}
          {unseenIn(last.receipt) > 0 && (
            <span className="missed" data-figure="seen">
              {replySawWords(last.receipt)}
            </span>
          )}
          {last.receipt.degraded !== null && <span className="degraded">without history</span>}
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
