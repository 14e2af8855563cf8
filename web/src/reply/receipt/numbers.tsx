// The numbers of a reply: time, tokens, cost.
import type { Step } from '../../view/view.ts'
import { numbersOf } from '../../words/numbers.ts'

export const numbersPlace = (turn: string): string => `numbers ${turn}`

/** What a reply took, in figures, for who wants to know. */
export function Numbers({ steps }: { readonly steps: readonly Step[] }): React.ReactNode {
  const numbers = numbersOf(steps)
  if (numbers.length === 0) return <p className="numbers">Nothing was counted.</p>
  return (
    <dl className="numbers">
      {numbers.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
