import { memo } from 'react'
import { SYNTHESIS } from '../../../src/model/council.ts'
import { nameOf } from '../called.ts'
import { modeWords } from '../council-words.ts'
import { spokenWords } from '../shown.ts'
import { useStore } from '../use-store.ts'
import type { Ending, ReplyEntry, Step } from '../view.ts'
import { clockTime, endWords } from '../words.ts'
import { ContextLine } from './context-line.tsx'
import { CopyButton } from './copy-button.tsx'
import { FaultNote } from './fault-note.tsx'
import { Marked } from './marked.tsx'
import { ResumeButton } from './resume-button.tsx'
import { Sources } from './sources.tsx'
import { StepParts } from './step-parts.tsx'
import { VoiceDot } from './voice-dot.tsx'
import { WentOn } from './went-on.tsx'

type ReplyProps = { readonly entry: ReplyEntry }

/** What a voice said in one stretch: its steps, how it ended, and the account of what it had seen. */
export const Reply: React.NamedExoticComponent<ReplyProps> = memo(function Reply({ entry }: ReplyProps) {
  const { steps, end, voice, at, mode, resumed } = entry
  const name = useStore(state => nameOf(state, entry))
  return (
    <article className="reply" aria-label={name} aria-busy={end === null} data-running={end === null}>
      <header className="reply-head">
        <VoiceDot voice={voice} />
        <h2 className="voice">{name}</h2>
        {mode !== null && <span className="said-at">{modeWords(mode)}</span>}
        <time className="said-at" dateTime={at}>
          {clockTime(at)}
        </time>
        <WentOn steps={steps} />
        <Marked mark={markOf(steps)} />
      </header>
      {resumed && isEnding(end) ? (
        <details className="attempt">
          <summary>{`${endWords(end) ?? 'Not answered'}; tried again below`}</summary>
          <Said entry={entry} />
        </details>
      ) : (
        <Said entry={entry} />
      )}
    </article>
  )
})

function Said({ entry }: ReplyProps): React.ReactNode {
  const { steps, end, voice, turn, resumed } = entry
  const text = spokenWords(steps).join('\n\n').trim()
  return (
    <>
      <StepParts steps={steps} running={end === null} />
      {end === null && isQuiet(steps.at(-1)) && <Waiting />}
      {isEnding(end) && !resumed && <EndNote end={end} entry={entry} />}
      {voice === SYNTHESIS && isEnding(end) && end.reason === 'done' && <Sources turn={turn} />}
      {end !== null && (
        <footer className="reply-foot">
          <ContextLine steps={steps} />
          {text !== '' && <CopyButton text={text} />}
        </footer>
      )}
    </>
  )
}

function EndNote({ end, entry }: ReplyProps & { readonly end: Ending }): React.ReactNode {
  const words = endWords(end)
  if (words === null) return null
  const trouble = end.reason === 'failed'
  return (
    <div className="ending">
      <FaultNote words={words} detail={trouble ? (end.fault?.message ?? null) : null} quiet={!trouble} />
      {(trouble || end.reason === 'interrupted') && <ResumeButton entry={entry} />}
    </div>
  )
}

const Waiting = (): React.ReactNode => (
  <p className="waiting">
    <span className="unseen">Working …</span>
    <i aria-hidden="true" />
    <i aria-hidden="true" />
    <i aria-hidden="true" />
  </p>
)

const isEnding = (end: ReplyEntry['end']): end is Ending => end !== null && end !== 'continued'

/** A turn is sent or left out as one: what keeps one of its replies out keeps out all of it. */
function markOf(steps: readonly Step[]): Step['mark'] {
  const marks = steps.map(step => step.mark)
  return marks.includes('exclude') ? 'exclude' : marks.includes('pin') ? 'pin' : null
}

/** Nothing is being written just now: before the first word, or while tools work. */
const isQuiet = (step: Step | undefined): boolean => step === undefined || step.state !== 'open' || step.parts.length === 0
