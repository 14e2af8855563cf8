// Names the messages that a summary in a request is about.
import { useMemo } from 'react'
import { JumpLink } from '../../reply/actions/jump-link.tsx'
import { useStore } from '../../store/use-store.ts'
import { foldSpans, type KnownStretch } from '../../view/folds.ts'
import { messagesSpan } from '../../words/fold-words.ts'
import { reasonSentence } from '../../words/reasons.ts'

type SummaryProps = { readonly seq: number | undefined }

const useStretch = (seq: number | undefined): KnownStretch | undefined =>
  useStore(state => state.view.folds.known.find(fold => fold.seq === seq))

/** Which messages the summary at a seq is about, as a person counts them. */
export function SummaryName({ seq }: SummaryProps): React.ReactNode {
  const stretch = useStretch(seq)
  const entries = useStore(state => state.view.entries)
  const span = useMemo(() => (stretch === undefined ? undefined : foldSpans(entries, [stretch])[0]), [entries, stretch])
  return span === undefined ? reasonSentence('summary.folded') : `Summary of ${messagesSpan(span).toLowerCase()}`
}

/** Leads to where the summary is shown. */
export function SummaryLink({ seq }: SummaryProps): React.ReactNode {
  const stretch = useStretch(seq)
  return stretch === undefined ? null : <JumpLink seq={stretch.to}>Show it</JumpLink>
}
