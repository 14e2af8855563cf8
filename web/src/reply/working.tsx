// Shown while a voice works and writes nothing.
import { Countdown, useSecondsUntil } from '../parts/countdown.tsx'
import { useStore } from '../store/use-store.ts'
import type { Step } from '../view/view.ts'

/** Shown while a voice is at work and says nothing; where its provider asked to wait, for how long. */
export function WorkingNote({ turn }: { readonly turn: string }): React.ReactNode {
  const waits = useStore(({ view }) => view.notices.find(notice => notice.kind === 'retrying' && notice.turn === turn))
  const { heard, afterMs } = waits ?? {}
  const seconds = useSecondsUntil(afterMs === undefined || heard === undefined ? null : heard + afterMs, afterMs)
  return (
    <p className="working">
      <span className="unseen">Working …</span>
      <i aria-hidden="true" />
      <i aria-hidden="true" />
      <i aria-hidden="true" />
      {seconds > 0 && (
        <span className="working-again">
          Trying again in <Countdown seconds={seconds} />
        </span>
      )}
    </p>
  )
}

/** Nothing is being written just now: before the first word, or while tools work; while a person is asked, it is their turn. */
export const isQuiet = (step: Step | undefined): boolean =>
  step === undefined || ((step.state !== 'open' || step.parts.length === 0) && !step.parts.some(isAsking))

const isAsking = (part: Step['parts'][number]): boolean => part.type === 'call' && part.run.state === 'waits'
