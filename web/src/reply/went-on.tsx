// Says that a reply was cut off and went on.
import { firstBroken } from '../../../src/model/turn-view/join-cuts.ts'
import type { Step } from '../view/view.ts'
import { faultWords } from '../words/fault-words.ts'

/** A word beside a reply that was cut off and went on; why it was is behind it. */
export function WentOn({ steps }: { readonly steps: readonly Step[] }): React.ReactNode {
  const cut = firstBroken(steps)
  if (cut === undefined || cut.fault === null) return null
  const why = `${faultWords(cut.fault)}: ${cut.fault.message}`
  return (
    <span className="marked" data-mark="went-on" title={why}>
      Interrupted, went on
    </span>
  )
}
