import { useState } from 'react'
import { SYNTHESIS_MODES } from '../../../src/model/council.ts'
import { modeWords } from '../council-words.ts'
import { lastRound } from '../round.ts'
import { useActions, useStore } from '../use-store.ts'
import { leaveFocus } from './leave-focus.ts'

/** What can be done with the last round of a council, once everybody has spoken. */
export function RoundActions(): React.ReactNode {
  const { exchange, synthesize, resume } = useActions()
  const isCouncil = useStore(state => (state.about?.council ?? null) !== null)
  const view = useStore(state => state.view)
  const [asking, setAsking] = useState(false)
  const round = isCouncil ? lastRound(view) : null
  // Of one answer there is nothing to bring together, and nobody to answer.
  const several = round !== null && round.answered > 1
  if (round === null || (!several && round.failed === 0)) return null
  const ask = (wish: () => Promise<void>) => (event: React.MouseEvent<HTMLElement>) => {
    leaveFocus(event.currentTarget)
    setAsking(true)
    wish()
      .catch(reportError)
      .finally(() => setAsking(false))
  }
  return (
    <fieldset className="round-actions" disabled={asking}>
      <legend className="unseen">This round</legend>
      {round.failed > 0 && (
        <button type="button" className="chip-button" onClick={ask(() => resume())}>
          Retry failed ({round.failed})
        </button>
      )}
      {several && (
        <>
          <button type="button" className="chip-button" onClick={ask(exchange)}>
            Answer each other
          </button>
          <span className="chip-group">
            <span aria-hidden="true">Synthesis</span>
            {SYNTHESIS_MODES.map(mode => (
              <button
                key={mode}
                type="button"
                className="chip-button"
                aria-label={`Synthesis: ${modeWords(mode)}`}
                onClick={ask(() => synthesize(mode))}
              >
                {modeWords(mode)}
              </button>
            ))}
          </span>
        </>
      )}
    </fieldset>
  )
}
