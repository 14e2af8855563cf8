// The button that continues or retries a turn without a whole answer.
import { useState } from 'react'
import { Countdown, useSecondsUntil } from '../../parts/countdown.tsx'
import { leaveFocus } from '../../parts/leave-focus.ts'
import { useActions, useStore } from '../../store/use-store.ts'
import { resumableOf } from '../../view/resumable.ts'
import type { ReplyEntry } from '../../view/view.ts'

/** One button where a turn has no whole answer: it continues the text, or asks again. */
export function ResumeButton({ entry }: { readonly entry: ReplyEntry }): React.ReactNode {
  const { resume } = useActions()
  const [asking, setAsking] = useState(false)
  const resumable = useStore(state => resumableOf(state.view, entry))
  const ending = entry.end === null || entry.end === 'continued' ? null : entry.end
  const wait = useSecondsUntil(ending?.retryAt ?? null, ending?.fault?.retryAfterMs)
  if (resumable === null) return null
  const ask = (event: React.MouseEvent<HTMLElement>): void => {
    leaveFocus(event.currentTarget)
    setAsking(true)
    resume(entry.turn)
      .catch(reportError)
      .finally(() => setAsking(false))
  }
  return (
    <span className="resume-box">
      <button type="button" className="chip-button resume" disabled={asking || wait > 0} onClick={ask}>
        {resumable === 'interrupted' || resumable === 'cut' ? 'Continue' : 'Try again'}
      </button>
      {wait > 0 && (
        <span className="resume-wait">
          possible in <Countdown seconds={wait} />
        </span>
      )}
    </span>
  )
}
