// The card with one advisor's answer to one message.
import { memo } from 'react'
import { usePointed } from '../parts/pointing.ts'
import { VoiceDot } from '../parts/voice-dot.tsx'
import { EndNote, isEnding } from '../reply/end-note.tsx'
import { FaultNote } from '../reply/fault-note.tsx'
import { Marked, SentInPart } from '../reply/marked.tsx'
import { RecalledNote } from '../reply/recalled.tsx'
import { Details, setOpen, useOpen } from '../reply/receipt/details.tsx'
import { StepParts } from '../reply/step-parts.tsx'
import { Truncated } from '../reply/truncated.tsx'
import { WentOn } from '../reply/went-on.tsx'
import { isQuiet, WorkingNote } from '../reply/working.tsx'
import { useStore } from '../store/use-store.ts'
import { advisorOf, shownVoiceName } from '../view/called.ts'
import { markOf } from '../view/shown.ts'
import type { ReplyEntry } from '../view/view.ts'
import { roleWords } from '../words/council-words.ts'
import { clockTime, endWords } from '../words/words.ts'
import { CardActions } from './card-actions.tsx'
import { CardFigures } from './card-figures.tsx'
import { type Card, sameCard, stateOf } from './cards.ts'
import { type Gathering, gatheringWords } from './gathering.ts'
import { HeardAdvisors } from './heard.tsx'
import { HideAdvisor, JustHidden } from './hide-advisor.tsx'
import { LongText } from './long-text.tsx'
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
  const name = useStore(state => shownVoiceName(state, { voice, name: last?.name ?? null }))
  const advisor = useStore(state => advisorOf(state, voice))
  const isPointed = usePointed(stretches.flatMap(({ steps }) => steps.map(({ seq }) => seq)))
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
      data-turn={turn}
      data-pointed={isPointed}
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
        <SentInPart seqs={steps.map(({ seq }) => seq)} />
        {gathering !== null && <span className="gathering">{gatheringWords(gathering)}</span>}
      </header>
      {attempts.map(attempt => (
        <Attempt key={attempt[0]?.turn} stretches={attempt} />
      ))}
      <RecalledNote turn={turn} steps={steps} />
      <LongText place={`text ${turn}`} isOpen={state === 'waits'}>
        {stretches.map(stretch => (
          <StepParts key={stretch.seq} steps={stretch.steps} running={stretch.end === null} voice={name} />
        ))}
        {state === 'running' && isQuiet(last.steps.at(-1)) && <WorkingNote turn={turn} />}
      </LongText>
      <End entry={last} />
      <Truncated steps={steps} />
      <footer className="answer-foot">
        <HeardAdvisors stretches={stretches} />
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

/** If a message came before a turn was tried again, the second try is further down. */
function End({ entry }: { readonly entry: ReplyEntry }): React.ReactNode {
  const { end, resumed } = entry
  if (!resumed || !isEnding(end)) return <EndNote entry={entry} />
  return <FaultNote words={`${endWords(end) ?? 'Not answered'}; tried again below`} detail={null} quiet />
}
