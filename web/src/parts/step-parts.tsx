import type { Fault } from '../../../src/model/fault.ts'
import type { Step } from '../view.ts'
import { faultWords } from '../words.ts'
import { FaultNote } from './fault-note.tsx'
import { ToolCard } from './tool-card.tsx'

type StepPartsProps = { readonly step: Step; readonly last: boolean; readonly fault: Fault | null }

/** What one model call said: thinking, text, tool calls, in the order in which they came. */
export function StepParts({ step, last, fault }: StepPartsProps): React.ReactNode {
  const writing = last && step.state === 'open'
  return (
    <>
      {step.parts.map((part, index) => {
        const growing = writing && index === step.parts.length - 1
        // biome-ignore-start lint/suspicious/noArrayIndexKey: a part's index is its name
        if (part.type === 'call') return <ToolCard key={index} part={part} writing={growing} />
        if (part.text === '') return null
        if (part.type === 'think') return <Thinking key={index} text={part.text} growing={growing} />
        return (
          <p key={index} className="said spoken" data-growing={growing}>
            {part.text}
          </p>
        )
        // biome-ignore-end lint/suspicious/noArrayIndexKey: a part's index is its name
      })}
      {fault !== null && <FaultNote words={faultWords(fault)} detail={fault.message} quiet={fault.kind === 'cancelled'} />}
    </>
  )
}

function Thinking({ text, growing }: { readonly text: string; readonly growing: boolean }): React.ReactNode {
  return (
    <details className="thinking">
      <summary>{growing ? <span className="shimmer">Thinking …</span> : 'Thoughts'}</summary>
      <p className="said thoughts">{text}</p>
    </details>
  )
}
