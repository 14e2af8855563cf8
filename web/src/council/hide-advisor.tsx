// Hides an advisor from the next round on.
import type { Advisor } from '../../../src/model/settings/council.ts'
import { Icon } from '../parts/icon.tsx'
import { leaveFocus } from '../parts/leave-focus.ts'
import { setOpen, useOpen } from '../reply/receipt/details.tsx'
import { useActions } from '../store/use-store.ts'

type HideAdvisorProps = { readonly advisor: Advisor; readonly turn: string }

const placeOf = (turn: string): string => `hidden ${turn}`

/** Hides an advisor from the next round on; what it said stays. */
export function HideAdvisor({ advisor: { id, name, active }, turn }: HideAdvisorProps): React.ReactNode {
  const { seat } = useActions()
  if (!active) return null
  const hide = (button: HTMLElement): void => {
    leaveFocus(button)
    setOpen(placeOf(turn), true)
    seat(id, false).catch(reportError)
  }
  return (
    <button
      type="button"
      className="small-button"
      aria-label={`Hide ${name}`}
      title="Hide: from now on it answers only when named"
      onClick={event => hide(event.currentTarget)}
    >
      <Icon name="close" />
    </button>
  )
}

/** What was just done, and the way back. */
export function JustHidden({ advisor: { id, name, active }, turn }: HideAdvisorProps): React.ReactNode {
  const { seat } = useActions()
  const isNew = useOpen(placeOf(turn))
  if (!isNew || active) return null
  const undo = (button: HTMLElement): void => {
    leaveFocus(button)
    setOpen(placeOf(turn), false)
    seat(id, true).catch(reportError)
  }
  return (
    <p className="answer-hidden" role="status">
      From now on {name} answers only when named.{' '}
      <button type="button" className="link" onClick={event => undo(event.currentTarget)}>
        Undo
      </button>
    </p>
  )
}
