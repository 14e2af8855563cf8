// Shows what the written message would cost, once typing pauses.
import { useEffect, useState } from 'react'
import { textOfFile } from '../../../src/model/message/attachment.ts'
import type { Quote } from '../../../src/model/quote.ts'
import { Icon } from '../parts/icon.tsx'
import { orderIn } from '../store/commands.ts'
import { type DraftFile, draftFileText } from '../store/message/attachments.ts'
import { useActions, useStore } from '../store/use-store.ts'
import { quoteLine, quoteSpoken } from './quote.ts'

/** Waits for a pause: figures that change with every key are a distraction. */
const AFTER_MS = 700
/** A longer text than this is not carried to the gateway only to be counted. */
const LONGEST = 400_000

/** What the message would cost, once the person pauses typing; sending never waits for it. */
export function QuoteLine(): React.ReactNode {
  const quote = useQuote()
  const images = useStore(state => state.files.filter(({ kind }) => kind !== 'text').length)
  if (quote === null) return null
  if (quote.refused !== null)
    return (
      <p className="quote-refused" role="status">
        <Icon name="alert" />
        This would not be sent: {quote.refused}
      </p>
    )
  return (
    <p className="quote" title={quoteSpoken(quote)}>
      <span className="unseen">{quoteSpoken(quote)}</span>
      <span aria-hidden="true">
        {quoteLine(quote)}
        {images > 0 && ` + ${images} ${images === 1 ? 'file' : 'files'}`}
      </span>
    </p>
  )
}

function useQuote(): Quote | null {
  const { quote } = useActions()
  const draft = useStore(state => state.draft)
  const files = useStore(state => state.files)
  const session = useStore(state => state.session)
  const whom = useStore(state => state.whom)
  const wish = useStore(state => state.wish)
  const about = useStore(state => state.about)
  const isIdle = useStore(state => state.view.running.length === 0 && state.sending.length === 0)
  const [shown, setShown] = useState<{ readonly text: string; readonly quote: Quote } | null>(null)
  const isWanted = isIdle && (draft.trim() !== '' || files.length > 0) && orderIn(draft) === null
  const text = isWanted ? whole(draft, files) : ''

  // biome-ignore lint/correctness/useExhaustiveDependencies: who answers and with what changes the price of the same words
  useEffect(() => {
    if (text === '' || text.length > LONGEST) return setShown(null)
    let isMeant = true
    const timer = setTimeout(() => {
      quote(text)
        .then(found => {
          if (isMeant) setShown(found === null ? null : { text, quote: found })
        })
        .catch(reportError)
    }, AFTER_MS)
    return () => {
      isMeant = false
      clearTimeout(timer)
    }
  }, [text, session, whom, wish, about?.agent, about?.council, about?.model, about?.policy, quote])

  return isWanted ? (shown?.quote ?? null) : null
}

/** The words as a model reads them, text files and all. */
const whole = (draft: string, files: readonly DraftFile[]): string =>
  [
    ...files
      .filter(({ kind }) => kind === 'text')
      .map(file => textOfFile({ type: 'text', name: file.name, mediaType: '', text: draftFileText(file) })),
    draft,
  ]
    .join('\n')
    .trim() || '…'
