// What a synthesis rests on, sentence by sentence.
import { useEffect, useState } from 'react'
import type { Attribution, Origin, Sentence } from '../../../../src/context/synthesis/attribution.ts'
import { VoiceDot } from '../../parts/voice-dot.tsx'
import { useActions } from '../../store/use-store.ts'
import { doubtWords, quoteWords, sourcesWords } from '../../words/council-words.ts'

/** The sources of a synthesis, sentence by sentence. The closed line already says whether the quotes are right. */
export function Sources({ turn }: { readonly turn: string }): React.ReactNode {
  const found = useSources(turn)
  if (found === 'reading') return <p className="sources">Sources: checking …</p>
  if (found === null) return <p className="sources">Sources: they could not be read</p>
  const { sentences, counts } = found
  return (
    <details className="sources">
      <summary data-doubt={counts.attributed < counts.sentences}>
        <span className="receipt-link">Sources</span>: {sourcesWords(counts)}
      </summary>
      <ol className="source-list">
        {sentences.map((sentence, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the sentences of a finished text never move
          <SourceRow key={index} sentence={sentence} />
        ))}
      </ol>
    </details>
  )
}

function SourceRow({ sentence }: { readonly sentence: Sentence }): React.ReactNode {
  const doubt = doubtWords(sentence)
  return (
    <li data-heading={sentence.heading === true}>
      <p>{sentence.text}</p>
      {sentence.from.length > 0 && (
        <ul>
          {sentence.from.map((origin, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the sources of a finished sentence never move
            <OriginRow key={index} origin={origin} />
          ))}
        </ul>
      )}
      {doubt !== null && <p className="doubt">{doubt}</p>}
    </li>
  )
}

function OriginRow({ origin }: { readonly origin: Origin }): React.ReactNode {
  const doubt = quoteWords(origin)
  return (
    <li className="origin">
      <VoiceDot voice={origin.voice} />
      <span>
        <span className="origin-name">{origin.label}</span>
        {origin.quote !== undefined && <> “{origin.quote.text}”</>}
        {doubt !== null && <span className="doubt"> ({doubt})</span>}
      </span>
    </li>
  )
}

function useSources(turn: string): Attribution | null | 'reading' {
  const { sources } = useActions()
  const [found, setFound] = useState<Attribution | null | 'reading'>('reading')
  useEffect(() => {
    let wanted = true
    sources(turn)
      .then(value => {
        if (wanted) setFound(value)
      })
      .catch(reportError)
    return () => {
      wanted = false
    }
  }, [turn, sources])
  return found
}
