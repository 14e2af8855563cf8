// One receipt as a table: what went in, what stayed out, why.
import type { Usage } from '../../../../src/model/message/delta.ts'
import type { Receipt } from '../../../../src/model/receipt.ts'
import { samplingWords } from '../../../../src/model/sampling-words.ts'
import { receiptRows } from '../../view/recalled.ts'
import { cacheWords, hiddenWords, ladderWords, RECALL_FAILED, reasonSentence, WINDOW_NARROWED } from '../../words/reasons.ts'
import { formatCount } from '../../words/words.ts'

type ReceiptTableProps = {
  readonly receipt: Receipt
  readonly usage: Usage | null
  readonly heading: string | null
  /** Leads to a fuller view. */
  readonly inspect: React.ReactNode
}

/** One receipt: what went into a request and what stayed out, each with its reason. */
export function ReceiptTable({ receipt, usage, heading, inspect }: ReceiptTableProps): React.ReactNode {
  const { tokens, cache, recall } = receipt
  const hidden = recall === undefined ? null : hiddenWords(recall)
  const gaveWay = ladderWords(receipt.ladder)
  return (
    <div className="receipt">
      <table>
        <caption>
          {heading !== null && <strong>{heading}</strong>}
          <span>
            {receipt.model} · {formatCount(tokens.estimated)} tokens estimated
            {usage !== null &&
              `, ${formatCount(usage.input + usage.cacheRead + usage.cacheWrite)} counted, ${formatCount(usage.output)} out`}{' '}
            · limit {formatCount(tokens.limit)}
          </span>
          {receipt.inputs.sampling !== undefined && <span>{samplingWords(receipt.inputs.sampling, receipt.sampling ?? {})}</span>}
          {receipt.degraded !== null && <span className="degraded">Answered without history: {receipt.degraded.reason}</span>}
          {recall?.failed !== undefined && (
            <span className="degraded">
              {RECALL_FAILED}: {recall.failed}
            </span>
          )}
          {receipt.window.narrowed === true && <span>{WINDOW_NARROWED}</span>}
          {hidden !== null && <span>Hidden: {hidden}</span>}
          {gaveWay !== null && <span className="degraded">{gaveWay}</span>}
          {cache !== null && <span>{cacheWords(cache)}</span>}
          {inspect}
        </caption>
        <thead>
          <tr>
            <th scope="col">What</th>
            <th scope="col">Why</th>
            <th scope="col" className="number">
              Messages
            </th>
            <th scope="col" className="number">
              Tokens
            </th>
          </tr>
        </thead>
        <tbody>
          {receiptRows(receipt).map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a receipt never changes
            <tr key={index}>
              <td>
                {reasonSentence(line.reason)}
                {line.source !== undefined && <span className="source"> · {line.source}</span>}
              </td>
              <td className="reason">
                <Code reason={line.reason} />
              </td>
              <td className="number">{line.count ?? ''}</td>
              <td className="number">{formatCount(line.tokens)}</td>
            </tr>
          ))}
          {receipt.out.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a receipt never changes
            <tr key={`out ${index}`} className="left-out">
              <td>Left out: {reasonSentence(line.reason).toLowerCase()}</td>
              <td className="reason">
                <Code reason={line.reason} />
              </td>
              <td className="number">{line.count}</td>
              <td className="number">–</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="digest">{[receipt.id, receipt.digest].filter(text => text !== null).join(' · ')}</p>
    </div>
  )
}

/** A reason's code, which may be broken at its dot where room is scarce. */
function Code({ reason }: { readonly reason: string }): React.ReactNode {
  const [kind, ...rest] = reason.split('.')
  return (
    <>
      {kind}.<wbr />
      {rest.join('.')}
    </>
  )
}
