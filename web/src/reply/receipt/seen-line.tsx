// The line under a reply that says how much of the chat it saw.
import { seenIn, unseenIn } from '../../../../src/context/receipt/seen.ts'
import { isHouseVoice } from '../../../../src/model/settings/council.ts'
import { useStore } from '../../store/use-store.ts'
import { lookHash } from '../../view/route.ts'
import type { Step } from '../../view/view.ts'
import { replySawWords } from '../../words/reasons.ts'

type SeenLineProps = { readonly turn: string; readonly steps: readonly Step[] }

/** How many messages the last request of a reply had; opens that request in the inspector. */
export function SeenLine({ turn, steps }: SeenLineProps): React.ReactNode {
  const session = useStore(state => state.session)
  const last = steps.findLast(({ receipt }) => receipt !== null)
  if (session === null || last?.receipt == null) return null
  const { receipt, step } = last
  return (
    <p className="context">
      <a
        className="seen"
        href={lookHash(session, { turn, step })}
        data-missed={unseenIn(receipt) > (seenIn(receipt).folded ?? 0)}
        title="See what was sent"
      >
        {isHouseVoice(receipt.voice) ? 'What was sent' : replySawWords(receipt)}
      </a>
      {receipt.degraded !== null && <span className="degraded"> · without history</span>}
    </p>
  )
}
