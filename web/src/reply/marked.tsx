// The word beside a pinned or excluded message.
import type { Mark } from '../../../src/model/event.ts'

const WORDS: Readonly<Record<Mark, string>> = { pin: 'Pinned', exclude: 'Not sent' }
const MEANS: Readonly<Record<Mark, string>> = {
  pin: 'Goes with every request, wherever the window begins',
  exclude: 'Kept out of every request',
}

/** What a person decided about a message: a word beside it, no more. */
export function Marked({ mark }: { readonly mark: Mark | null }): React.ReactNode {
  if (mark === null) return null
  return (
    <span className="marked" data-mark={mark} title={MEANS[mark]}>
      {WORDS[mark]}
    </span>
  )
}
