import { memo } from 'react'
import { SYNTHESIS } from '../../../src/model/council.ts'
import { nameOf } from '../called.ts'
import { modeWords } from '../council-words.ts'
import { useStore } from '../use-store.ts'
import type { Ending, ReplyEntry, Step } from '../view.ts'
import { clockTime, endWords } from '../words.ts'
import { ContextLine } from './context-line.tsx'
import { CopyButton } from './copy-button.tsx'
import { FaultNote } from './fault-note.tsx'
import { Marked } from './marked.tsx'
import { Sources } from './sources.tsx'
import { StepParts } from './step-parts.tsx'
import { VoiceDot } from './voice-dot.tsx'

type ReplyProps = { readonly entry: ReplyEntry }

/** What a voice said in one stretch: its steps, how it ended, and the account of what it had seen. */
export const Reply: React.NamedExoticComponent<ReplyProps> = memo(function Reply({ entry }: ReplyProps) {
  const { steps, end, voice, at, mode, turn, resumed } = entry
  const name = useStore(state => nameOf(state, entry))
  const text = textOf(steps)
  return (
    <article className="reply" aria-label={name} aria-busy={end === null} data-running={end === null}>
      <header className="reply-head">
        <VoiceDot voice={voice} />
        <h2 className="voice">{name}</h2>
        {mode !== null && <span className="said-at">{modeWords(mode)}</span>}
        <time className="said-at" dateTime={at}>
          {clockTime(at)}
        </time>
        <Marked mark={markOf(steps)} />
      </header>
      {steps.map((step, index) => (
        <StepParts
          // biome-ignore lint/suspicious/noArrayIndexKey: steps are only ever added at the end
          key={index}
          step={step}
          last={end === null && index === steps.length - 1}
          fault={faultOf(step, index, entry)}
        />
      ))}
      {end === null && isQuiet(steps.at(-1)) && <Waiting />}
      {end !== null && end !== 'continued' && <EndNote end={end} resumed={resumed} />}
      {voice === SYNTHESIS && isAnswer(end) && <Sources turn={turn} />}
      {end !== null && (
        <footer className="reply-foot">
          <ContextLine steps={steps} />
          {text !== '' && <CopyButton text={text} />}
        </footer>
      )}
    </article>
  )
})

function EndNote({ end, resumed }: { readonly end: Ending; readonly resumed: boolean }): React.ReactNode {
  const words = endWords(end)
  if (words === null) return null
  if (resumed) return <FaultNote words={`${words}; tried again below`} detail={null} quiet={true} />
  const trouble = end.reason === 'failed'
  return <FaultNote words={words} detail={trouble ? (end.fault?.message ?? null) : null} quiet={!trouble} />
}

const Waiting = (): React.ReactNode => (
  <p className="waiting">
    <span className="unseen">Working …</span>
    <i aria-hidden="true" />
    <i aria-hidden="true" />
    <i aria-hidden="true" />
  </p>
)

const isAnswer = (end: ReplyEntry['end']): boolean => end !== null && end !== 'continued' && end.reason === 'done'

/** A step's own fault is told only where the turn's end does not tell it anyway. */
function faultOf(step: Step, index: number, { steps, end }: ReplyEntry): Step['fault'] {
  const toldByEnd = end !== null && end !== 'continued' && end.reason !== 'done' && index === steps.length - 1
  return toldByEnd ? null : step.fault
}

/** A turn is sent or left out as one: what keeps one of its replies out keeps out all of it. */
function markOf(steps: readonly Step[]): Step['mark'] {
  const marks = steps.map(step => step.mark)
  return marks.includes('exclude') ? 'exclude' : marks.includes('pin') ? 'pin' : null
}

/** Nothing is being written just now: before the first word, or while tools work. */
const isQuiet = (step: Step | undefined): boolean => step === undefined || step.state !== 'open' || step.parts.length === 0

const textOf = (steps: readonly Step[]): string =>
  steps
    .flatMap(step => step.parts.flatMap(part => (part.type === 'text' ? [part.text] : [])))
    .join('\n\n')
    .trim()
