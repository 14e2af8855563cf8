// Warns that a model saw much less than was sent.
import { truncationOf } from '../../../src/turn/step/truncation.ts'
import type { Step } from '../view/view.ts'
import { formatCount } from '../words/words.ts'
import { FaultNote } from './fault-note.tsx'

/** Where a model saw much less than was sent, its answer may rest on half of the conversation: that must be said beside it. */
export function Truncated({ steps }: { readonly steps: readonly Step[] }): React.ReactNode {
  const found = steps.flatMap(({ receipt, usage }) => {
    const cut = receipt === null || usage === null ? undefined : truncationOf(receipt, usage)
    return receipt === null || cut === undefined ? [] : [{ ...cut, model: receipt.model }]
  })
  const last = found.at(-1)
  if (last === undefined) return null
  const { sent, seen, model } = last
  return (
    <FaultNote
      words={`${model} saw about ${formatCount(seen)} of ${formatCount(sent)} tokens; the rest was cut off before it`}
      detail={null}
      remedy={`Make its context larger on the server, or set models."${model}".window to what it really holds.`}
      quiet
    />
  )
}
