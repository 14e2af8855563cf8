// Shows which advisors' answers an advisor read.
import { useMemo } from 'react'
import { useActions, useStore } from '../store/use-store.ts'
import { shownVoiceName } from '../view/called.ts'
import type { ReplyEntry } from '../view/view.ts'
import { advisorsHeard } from './heard.ts'

/** Which advisors of the previous round an advisor read; shows nothing if it read none. */
export function HeardAdvisors({ stretches }: { readonly stretches: readonly ReplyEntry[] }): React.ReactNode {
  const { get } = useActions()
  const [first] = stretches
  const receipt = first?.steps.find(step => step.receipt !== null)?.receipt
  // A receipt never changes, and neither does what it speaks of.
  // biome-ignore lint/correctness/useExhaustiveDependencies: everything that counts here comes before the receipt
  const heard = useMemo(
    () =>
      first === undefined || receipt === undefined || receipt === null ? [] : advisorsHeard(get().view.entries, first, receipt),
    [receipt],
  )
  const names = useStore(state => heard.map(each => shownVoiceName(state, each)).join(', '))
  if (names === '') return null
  return (
    <p className="answer-heard" title={`What these said in the round before was beside the message: ${names}`}>
      hears: {names}
    </p>
  )
}
