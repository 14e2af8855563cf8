// Shows what a model thought, folded.
import { Markdown } from '../markdown/markdown.tsx'
import { thoughtWords } from '../words/numbers.ts'
import { Details } from './receipt/details.tsx'

type ThinkingProps = {
  readonly place: string
  readonly text: string
  readonly growing: boolean
  /** How long the model thought; null if unknown. */
  readonly ms: number | null
}

/** What a model thought before it spoke: folded, with how long that took. */
export function ThinkingBlock({ place, text, growing, ms }: ThinkingProps): React.ReactNode {
  return (
    <Details
      place={place}
      className="thinking"
      summary={growing ? <span className="shimmer">Thinking …</span> : thoughtWords(ms)}
    >
      <Markdown text={text} growing={growing} className="thoughts" />
    </Details>
  )
}
