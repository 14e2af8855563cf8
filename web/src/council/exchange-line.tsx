// The line where advisors begin to answer each other.
import type { Exchange } from '../../../src/model/event.ts'
import type { MessageEntry } from '../view/view.ts'

type ExchangeLineProps = { readonly entry: MessageEntry; readonly exchange: Exchange }

/** Where advisors begin to answer each other; opens to the instruction they got. */
export function ExchangeLine({ entry, exchange: { round, of } }: ExchangeLineProps): React.ReactNode {
  return (
    <details className="line">
      <summary>
        The advisors answer each other, round {round} of {of}
      </summary>
      <p className="said">{entry.text}</p>
    </details>
  )
}
