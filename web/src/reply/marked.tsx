// The word beside a pinned or excluded message.
import type { Mark } from '../../../src/model/event.ts'
import { useStore } from '../store/use-store.ts'
import type { Step } from '../view/view.ts'
import { pinnedWords } from '../words/memory-words.ts'

const WORDS: Readonly<Record<Exclude<Mark, 'pin'>, string>> = { exclude: 'Not sent', removed: 'Removed' }
const MEANS: Readonly<Record<Mark, string>> = {
  pin: 'Goes with every request, wherever the window begins',
  exclude: 'Kept out of every request',
  removed: 'Removed: kept out of every request',
}

/** What a person decided about a message: a word beside it, no more. */
export function Marked({ mark, reach }: Pick<Step, 'mark'> & { readonly reach?: Step['reach'] | undefined }): React.ReactNode {
  if (mark === null) return null
  return (
    <span className="marked" data-mark={mark} title={MEANS[mark]}>
      {mark === 'pin' ? pinnedWords(reach) : WORDS[mark]}
    </span>
  )
}

/** That the newest request has a message only in part, or could not take it although it is pinned. */
export function SentInPart({ seqs }: { readonly seqs: readonly (number | null)[] }): React.ReactNode {
  const isInPart = useStore(({ view }) => view.notWhole.excerpts.some(seq => seqs.includes(seq)))
  const isUnfit = useStore(({ view }) => view.notWhole.unpinned.some(seq => seqs.includes(seq)))
  return (
    <>
      {isInPart && (
        <span
          className="marked"
          data-mark="part"
          title="Too long to be sent whole: its beginning and its end went with the last reply"
        >
          Sent in part
        </span>
      )}
      {isUnfit && (
        <span className="marked" data-mark="unfit" title="There was no room for this pin in the last request">
          Did not fit
        </span>
      )}
    </>
  )
}
