// Draws a voice's reply with its end and its receipt.
import { memo } from 'react'
import { isHouseVoice, SYNTHESIS } from '../../../src/model/settings/council.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { useFrame } from '../parts/frame.ts'
import { usePointed } from '../parts/pointing.ts'
import { VoiceDot } from '../parts/voice-dot.tsx'
import { useActions, useStore } from '../store/use-store.ts'
import { shownVoiceName } from '../view/called.ts'
import { markOf, reachOf, spokenWords } from '../view/shown.ts'
import type { ReplyEntry, Step } from '../view/view.ts'
import { councilModeWords } from '../words/council-words.ts'
import { numbersOf } from '../words/numbers.ts'
import { clockTime, endWords } from '../words/words.ts'
import { ActionBar, ActionButton } from './actions/action-bar.tsx'
import { InspectAction, PresenceAction } from './actions/inspect-actions.tsx'
import { LinkAction, MarkActions } from './actions/mark-actions.tsx'
import { EndNote, isEnding } from './end-note.tsx'
import { Marked, SentInPart } from './marked.tsx'
import { RecalledNote } from './recalled.tsx'
import { Details, setOpen, useOpen } from './receipt/details.tsx'
import { SeenLine } from './receipt/seen-line.tsx'
import { Sources } from './receipt/sources.tsx'
import { StepParts } from './step-parts.tsx'
import { Truncated } from './truncated.tsx'
import { WentOn } from './went-on.tsx'
import { isQuiet, WorkingNote } from './working.tsx'

type ReplyProps = { readonly entry: ReplyEntry }

/** What a voice said in one stretch: its steps, how it ended, and the account of what it had seen. */
export const ReplyView: React.NamedExoticComponent<ReplyProps> = memo(function Reply({ entry }: ReplyProps) {
  const { steps, end, voice, at, mode, resumed, turn } = entry
  const name = useStore(state => shownVoiceName(state, entry))
  const isPointed = usePointed(steps.map(({ seq }) => seq))
  return (
    <article
      className="reply"
      aria-label={name}
      aria-busy={end === null}
      data-running={end === null}
      data-turn={turn}
      data-pointed={isPointed}
    >
      <header className="reply-head">
        <VoiceDot voice={voice} />
        <h2 className="voice">{name}</h2>
        {mode !== null && <span className="said-at">{councilModeWords(mode)}</span>}
        <time className="said-at" dateTime={at}>
          {clockTime(at)}
        </time>
        <WentOn steps={steps} />
        <Marked mark={markOf(steps)} reach={reachOf(steps)} />
        <SentInPart seqs={steps.map(({ seq }) => seq)} />
      </header>
      {resumed && isEnding(end) ? (
        <Details place={`attempt ${turn}`} className="attempt" summary={`${endWords(end) ?? 'Not answered'}; tried again below`}>
          <Said entry={entry} name={name} />
        </Details>
      ) : (
        <Said entry={entry} name={name} />
      )}
    </article>
  )
})

function Said({ entry, name }: ReplyProps & { readonly name: string }): React.ReactNode {
  const { steps, end, voice, turn, resumed } = entry
  return (
    <>
      <RecalledNote turn={turn} steps={steps} />
      <StepParts steps={steps} running={end === null} voice={name} />
      {end === null && isQuiet(steps.at(-1)) && <WorkingNote turn={turn} />}
      {!resumed && <EndNote entry={entry} />}
      <Truncated steps={steps} />
      {voice === SYNTHESIS && isEnding(end) && end.reason === 'done' && <Sources turn={turn} />}
      {end !== null && <ReplyFoot entry={entry} />}
    </>
  )
}

function ReplyFoot({ entry }: ReplyProps): React.ReactNode {
  const { askAgain } = useActions()
  const { steps, voice, turn, cause, seq } = entry
  const isBusy = useStore(state => state.view.running.length > 0)
  const areNumbersOpen = useOpen(numbersPlace(turn))
  const text = spokenWords(steps).join('\n\n').trim()
  const isHouse = isHouseVoice(voice)
  // Only what was said to the end can be marked.
  const seqs = isHouse ? [] : steps.flatMap(step => (step.state === 'finished' && step.seq !== null ? [step.seq] : []))
  return (
    <footer className="reply-foot">
      <SeenLine turn={turn} steps={steps} />
      <ActionBar label="This reply">
        {text !== '' && <CopyButton text={text} />}
        {!isHouse && (
          <ActionButton icon="again" label="Ask again" isDisabled={isBusy} onPress={() => askAgain(cause).catch(reportError)} />
        )}
        <InspectAction turn={turn} />
        <MarkActions seqs={seqs} mark={markOf(steps)} reach={reachOf(steps)} isBusy={isBusy} />
        <PresenceAction seq={seqs.at(-1) ?? null} />
        <LinkAction seq={seqs.at(-1) ?? seq} />
        <ActionButton
          icon="bars"
          label="Numbers of this reply"
          isPressed={areNumbersOpen}
          onPress={() => setOpen(numbersPlace(turn), !areNumbersOpen)}
        />
      </ActionBar>
      {areNumbersOpen && <Numbers steps={steps} />}
      <DemoLine entry={entry} />
    </footer>
  )
}

const numbersPlace = (turn: string): string => `numbers ${turn}`

/** The figures of a reply, on demand. */
function Numbers({ steps }: { readonly steps: readonly Step[] }): React.ReactNode {
  const numbers = numbersOf(steps)
  if (numbers.length === 0) return <p className="numbers">Nothing was counted.</p>
  return (
    <dl className="numbers">
      {numbers.map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Says that the demo answered, with the way to a real model; once is enough, so only under the newest reply. */
function DemoLine({ entry: { turn, steps } }: { readonly entry: ReplyEntry }): React.ReactNode {
  const { connect } = useFrame()
  const isNewest = useStore(state => state.view.entries.findLast(({ kind }) => kind === 'reply'))
  const isDemo = steps.findLast(({ receipt }) => receipt !== null)?.receipt?.model === 'demo'
  if (!isDemo || isNewest?.kind !== 'reply' || isNewest.turn !== turn) return null
  return (
    <p className="demo-line">
      This is the demo.
      <button type="button" className="link" onClick={() => connect(null)}>
        Connect a model
      </button>
    </p>
  )
}
