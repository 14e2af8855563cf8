// The buttons below a round: synthesis and another round.
import { useState } from 'react'
import { SYNTHESIS_MODES } from '../../../src/model/settings/council.ts'
import { leaveFocus } from '../parts/leave-focus.ts'
import { useActions, useStore } from '../store/use-store.ts'
import { openCouncil } from '../view/called.ts'
import { answeredWords, councilModeWords } from '../words/council-words.ts'
import { HiddenAdvisors } from './hidden-advisors.tsx'
import { type LastRound, lastCouncilRound } from './round.ts'

/** How far the last round of a council has come, and what can be done with it once everybody has spoken. */
export function RoundActions(): React.ReactNode {
  const council = useStore(openCouncil)
  const isCouncil = useStore(state => (state.about?.council ?? null) !== null)
  const view = useStore(state => state.view)
  const round = isCouncil ? lastCouncilRound(view) : null
  if (round === null) return null
  return (
    <div className="round-end" data-cards={Math.min(round.of, 3)}>
      {round.of > 1 && (
        <span className="round-count" data-open={round.isOpen}>
          {answeredWords(round)}
        </span>
      )}
      {!round.isOpen && <Wishes round={round} isQuiet={view.running.length === 0} />}
      {council !== undefined && <HiddenAdvisors council={council} />}
    </div>
  )
}

type WishesProps = {
  readonly round: LastRound
  /** No voice speaks, not even to answer a message to it alone. */
  readonly isQuiet: boolean
}

function Wishes({ round, isQuiet }: WishesProps): React.ReactNode {
  const { exchange, synthesize, resume } = useActions()
  const [asking, setAsking] = useState(false)
  // With one answer there is nothing to synthesize, and no other advisor to answer.
  const several = round.answered > 1
  if (!several && round.failed.length === 0) return null
  const ask = (wish: () => Promise<unknown>) => (event: React.MouseEvent<HTMLElement>) => {
    leaveFocus(event.currentTarget)
    setAsking(true)
    wish()
      .catch(reportError)
      .finally(() => setAsking(false))
  }
  // If a message went to one advisor since, a plain resume would continue that one, so the failed turns are named.
  const retry = (): Promise<unknown> => (round.isLatest ? resume() : Promise.all(round.failed.map(turn => resume(turn))))
  return (
    <fieldset className="round-actions" disabled={asking}>
      <legend className="unseen">This round</legend>
      {round.failed.length > 0 && (
        <button type="button" className="chip-button" onClick={ask(retry)}>
          Retry failed ({round.failed.length})
        </button>
      )}
      {several && isQuiet && (
        <button type="button" className="chip-button" onClick={ask(exchange)}>
          Answer each other
        </button>
      )}
      {several && (
        <span className="chip-group">
          <span aria-hidden="true">Synthesis</span>
          {SYNTHESIS_MODES.map(mode => (
            <button
              key={mode}
              type="button"
              className="chip-button"
              aria-label={`Synthesis: ${councilModeWords(mode)}`}
              onClick={ask(() => synthesize(mode))}
            >
              {councilModeWords(mode)}
            </button>
          ))}
        </span>
      )}
    </fieldset>
  )
}
