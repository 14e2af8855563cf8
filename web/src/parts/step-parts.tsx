import { shownOf } from '../shown.ts'
import type { Step } from '../view.ts'
import { faultWords } from '../words.ts'
import { FaultNote } from './fault-note.tsx'
import { ToolCard } from './tool-card.tsx'

type StepPartsProps = { readonly steps: readonly Step[]; readonly running: boolean }

/** What a voice said, step by step: thinking, text, tool calls, in the order in which they came. */
export function StepParts({ steps, running }: StepPartsProps): React.ReactNode {
  return shownOf(steps).map(shown => {
    if ('fault' in shown) {
      const { fault } = shown
      return <FaultNote key={shown.key} words={faultWords(fault)} detail={fault.message} quiet={fault.kind === 'cancelled'} />
    }
    const { key, part } = shown
    const growing = running && shown.growing
    if (part.type === 'call') return <ToolCard key={key} part={part} writing={growing} />
    if (part.text === '') return null
    if (part.type === 'think') return <Thinking key={key} text={part.text} growing={growing} />
    return (
      <p key={key} className="said spoken" data-growing={growing}>
        {part.text}
      </p>
    )
  })
}

function Thinking({ text, growing }: { readonly text: string; readonly growing: boolean }): React.ReactNode {
  return (
    <details className="thinking">
      <summary>{growing ? <span className="shimmer">Thinking …</span> : 'Thoughts'}</summary>
      <p className="said thoughts">{text}</p>
    </details>
  )
}
