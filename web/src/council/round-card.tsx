import { memo } from 'react'
import { useStore } from '../store/use-store.ts'
import { Details, setOpen, useOpen } from '../transcript/details.tsx'
import { EndNote, isEnding } from '../transcript/end-note.tsx'
import { FaultNote } from '../transcript/fault-note.tsx'
import { Marked } from '../transcript/marked.tsx'
import { StepParts } from '../transcript/step-parts.tsx'
import { Truncated } from '../transcript/truncated.tsx'
import { WentOn } from '../transcript/went-on.tsx'
import { advisorOf, nameOf } from '../view/called.ts'
import type { ReplyEntry, Step } from '../view/view.ts'
import { roleWords } from '../words/council-words.ts'
import { clockTime, endWords } from '../words/words.ts'
import { CardActions } from './card-actions.tsx'
import { CardFigures } from './card-figures.tsx'
import { type Card, sameCard, stateOf } from './cards.ts'
import { type Gathering, gatheringWords } from './gathering.ts'
import { Heard } from './heard.tsx'
import { HideAdvisor, JustHidden } from './hide-advisor.tsx'
import { LongText } from './long-text.tsx'
import { VoiceDot } from './voice-dot.tsx'
import { WordField } from './word-field.tsx'

type RoundCardProps = {
  readonly card: Card
  /** Said here only where the advisors of a round are not equally far. */
  readonly gathering: Gathering | null
}

/** One advisor's answer to one message. What goes wrong in it stays in it. */
export const RoundCard: React.NamedExoticComponent<RoundCardProps> = memo(function RoundCard({
  card,
  gathering,
}: RoundCardProps) {
  const { voice, stretches, attempts } = card
  const [last] = stretches.slice(-1)
  const turn = last?.turn ?? ''
  const place = `word ${turn}`
  const isWriting = useOpen(place)
  const name = useStore(state => nameOf(state, { voice, name: last?.name ?? null }))
  const advisor = useStore(state => advisorOf(state, voice))
  if (last === undefined) return null
  const state = stateOf(card)
  const running = last.end === null
  const steps = stretches.flatMap(stretch => stretch.steps)
  const mark = markOf(steps)
  return (
    <article
      className="reply answer"
      aria-label={name}
      aria-busy={running}
      data-running={running}
      data-state={state}
      style={{ '--voice': advisor?.color } as React.CSSProperties}
    >
      <header className="answer-head">
        <VoiceDot voice={voice} />
        <h2 className="voice">{name}</h2>
        <time className="said-at" dateTime={last.at}>
          {clockTime(last.at)}
        </time>
        {advisor !== undefined && <HideAdvisor advisor={advisor} turn={turn} />}
        {advisor !== undefined && (
          <p className="answer-role" title={advisor.description}>
            {roleWords(advisor)}
          </p>
        )}
        <WentOn steps={steps} />
        <Marked mark={mark} />
        {gathering !== null && <span className="gathering">{gatheringWords(gathering)}</span>}
      </header>
      {attempts.map(attempt => (
        <Attempt key={attempt[0]?.turn} stretches={attempt} />
      ))}
      <LongText place={`text ${turn}`} isOpen={state === 'waits'}>
        {stretches.map(stretch => (
          <StepParts key={stretch.seq} steps={stretch.steps} running={stretch.end === null} voice={name} />
        ))}
        {state === 'running' && isQuiet(last.steps.at(-1)) && <Waiting />}
      </LongText>
      <End entry={last} />
      <Truncated steps={steps} />
      <footer className="answer-foot">
        <Heard stretches={stretches} />
        <CardFigures turn={turn} steps={steps} />
        <div className="answer-actions">
          {advisor !== undefined && (
            <button type="button" className="word-button" aria-expanded={isWriting} onClick={() => setOpen(place, !isWriting)}>
              Only {name} …
            </button>
          )}
          <CardActions card={card} name={name} mark={mark} />
        </div>
        {isWriting && <WordField voice={voice} name={name} onClose={() => setOpen(place, false)} />}
        {advisor !== undefined && <JustHidden advisor={advisor} turn={turn} />}
      </footer>
    </article>
  )
}, sameProps)

function sameProps(before: RoundCardProps, after: RoundCardProps): boolean {
  const [one, other] = [before.gathering, after.gathering]
  return one?.turn === other?.turn && one?.of === other?.of && sameCard(before.card, after.card)
}

/** A try that was gone on with: there to be opened, and no card of its own. */
function Attempt({ stretches }: { readonly stretches: readonly ReplyEntry[] }): React.ReactNode {
  const [last] = stretches.slice(-1)
  if (last === undefined) return null
  const { turn, end } = last
  return (
    <Details
      place={`attempt ${turn}`}
      className="attempt"
      summary={`${(isEnding(end) ? endWords(end) : null) ?? 'Not answered'}; tried again`}
    >
      {stretches.map(stretch => (
        <StepParts key={stretch.seq} steps={stretch.steps} running={false} />
      ))}
      <EndNote entry={last} />
      <CardFigures turn={turn} steps={stretches.flatMap(stretch => stretch.steps)} />
    </Details>
  )
}

/** Where something was said before a turn was tried again, the second try stands further down. */
function End({ entry }: { readonly entry: ReplyEntry }): React.ReactNode {
  const { end, resumed } = entry
  if (!resumed || !isEnding(end)) return <EndNote entry={entry} />
  return <FaultNote words={`${endWords(end) ?? 'Not answered'}; tried again below`} detail={null} quiet />
}

const Waiting = (): React.ReactNode => (
  <p className="waiting">
    <span className="unseen">Working …</span>
    <i aria-hidden="true" />
    <i aria-hidden="true" />
    <i aria-hidden="true" />
  </p>
)

/** A turn is sent or left out as one: what keeps one of its replies out keeps out all of it. */
function markOf(steps: readonly Step[]): Step['mark'] {
  const marks = steps.map(step => step.mark)
  return marks.includes('exclude') ? 'exclude' : marks.includes('pin') ? 'pin' : null
}

/** Nothing is being written just now: before the first word, or while tools work. */
const isQuiet = (step: Step | undefined): boolean => step === undefined || step.state !== 'open' || step.parts.length === 0
