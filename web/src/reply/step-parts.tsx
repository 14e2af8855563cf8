// Draws the steps of a reply: thinking, text and tool calls.
import { Markdown } from '../markdown/markdown.tsx'
import { shownOf } from '../view/shown.ts'
import type { Step } from '../view/view.ts'
import { faultWordsOf } from '../words/fault-words.ts'
import { FaultNote } from './fault-note.tsx'
import { ThinkingBlock } from './thinking.tsx'
import { ToolCard } from './tool-card.tsx'

type StepPartsProps = {
  readonly steps: readonly Step[]
  readonly running: boolean
  /** Who speaks, where a question must say who asks it. */
  readonly voice?: string
}

/** What a voice said, step by step: thinking, text, tool calls, in the order in which they came. */
export function StepParts({ steps, running, voice }: StepPartsProps): React.ReactNode {
  const receipt = steps.find(step => step.receipt !== null)?.receipt
  return shownOf(steps).map(shown => {
    if ('fault' in shown) {
      const { words, detail } = faultWordsOf(shown.fault, receipt?.model ?? null)
      return <FaultNote key={shown.key} words={words} detail={detail} quiet={shown.fault.kind === 'cancelled'} />
    }
    const { key, part, ms } = shown
    const growing = running && shown.growing
    if (part.type === 'call')
      return <ToolCard key={key} place={`call ${receipt?.id} ${key}`} part={part} writing={growing} voice={voice} />
    if (part.text === '') return null
    if (part.type === 'think')
      return <ThinkingBlock key={key} place={`thinking ${receipt?.id} ${key}`} text={part.text} growing={growing} ms={ms} />
    return <Markdown key={key} text={part.text} growing={growing} />
  })
}
