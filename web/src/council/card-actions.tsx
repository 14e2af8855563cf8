// The buttons of a card: stop, copy, mark, inspect.
import { CopyButton } from '../parts/copy-button.tsx'
import { ActionBar } from '../reply/actions/action-bar.tsx'
import { InspectAction, PresenceAction } from '../reply/actions/inspect-actions.tsx'
import { LinkAction, MarkActions } from '../reply/actions/mark-actions.tsx'
import { useActions, useStore } from '../store/use-store.ts'
import { spokenWords } from '../view/shown.ts'
import type { Step } from '../view/view.ts'
import { type Card, stateOf } from './cards.ts'

type CardActionsProps = { readonly card: Card; readonly name: string; readonly mark: Step['mark'] }

/** What can be done with one answer: while it grows it can be stopped, then copied, marked and pointed at. */
export function CardActions({ card, name, mark }: CardActionsProps): React.ReactNode {
  const { halt } = useActions()
  const isBusy = useStore(state => state.view.running.length > 0)
  const steps = card.stretches.flatMap(stretch => stretch.steps)
  const last = card.stretches.at(-1)
  const state = stateOf(card)
  if (last === undefined) return null
  if (state === 'running' || state === 'waits')
    return (
      <button
        type="button"
        className="small-button"
        aria-label={`Stop ${name}`}
        title="Stop this one"
        onClick={() => halt(last.turn).catch(reportError)}
      >
        <span className="stop-square" aria-hidden="true" />
      </button>
    )
  const text = spokenWords(steps).join('\n\n').trim()
  // Only what was said to the end can be marked.
  const seqs = steps.flatMap(step => (step.state === 'finished' && step.seq !== null ? [step.seq] : []))
  return (
    <ActionBar label={`The answer of ${name}`}>
      {text !== '' && <CopyButton text={text} />}
      <InspectAction turn={last.turn} />
      <MarkActions seqs={seqs} mark={mark} isBusy={isBusy} />
      <PresenceAction seq={seqs.at(-1) ?? null} />
      <LinkAction seq={seqs.at(-1) ?? last.seq} />
    </ActionBar>
  )
}
