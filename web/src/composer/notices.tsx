// Quiet lines above the field: notices, connection, problems.
import { useEffect, useState } from 'react'
import type { Notice } from '../../../src/model/message/delta.ts'
import { Countdown, useSecondsUntil } from '../parts/countdown.tsx'
import { Icon } from '../parts/icon.tsx'
import { WindowActions } from '../reply/window-actions.tsx'
import { useActions, useStore } from '../store/use-store.ts'
import type { HeardNotice } from '../view/view.ts'

/** A line that is back at once is not worth a word. */
const WORTH_A_WORD_MS = 900

/** What the reader may do, or need not do, about each. */
const REMEDIES: Record<Notice['kind'], string | null> = {
  degraded: 'Only the new message was sent. Ask again if it needs what was said before.',
  unsaved: 'Keep this page open, and look whether the disk is full.',
  saved: null,
  retrying: 'Nothing to do; it goes on by itself.',
  truncated: null,
  reloaded: null,
  budget: null,
  window: null,
}

/** How long it was to take at first; beside seconds that run down it would be a second number for the same thing. */
const COUNTED = / Trying again in \d+ s\.$/

/** Quiet lines above the field: the gateway's notices, the state of the connection, and problems. */
export function Notices(): React.ReactNode {
  const { dismiss, retry } = useActions()
  const notices = useStore(state => state.view.notices)
  const lost = useLasting(useStore(state => state.link?.state === 'lost'))
  const problem = useStore(state => state.problem)
  const locked = useStore(state => state.locked)
  return (
    <div className="notices">
      {notices.map(notice => (
        <NoticeLine key={`${notice.kind} ${notice.turn ?? ''}`} notice={notice} />
      ))}
      {lost && (
        <p className="notice" data-kind="lost" role="status">
          <Icon name="info" />
          The line to the gateway is gone; trying again.
          <button type="button" className="link" onClick={retry}>
            Try now
          </button>
        </p>
      )}
      {problem !== null && !locked && (
        <p className="notice" data-kind="problem" role="alert">
          <Icon name="alert" />
          <span>
            <strong>{problem.title}</strong>
            {problem.detail !== '' && <span className="fault-detail">{problem.detail}</span>}
          </span>
          <button type="button" className="small-button" aria-label="Dismiss" onClick={dismiss}>
            <Icon name="close" />
          </button>
        </p>
      )}
    </div>
  )
}

/** The countdown is outside the live region, so that screen readers do not speak every second. */
function NoticeLine({ notice: { kind, message, afterMs, heard } }: { readonly notice: HeardNotice }): React.ReactNode {
  const seconds = useSecondsUntil(afterMs === undefined || heard === undefined ? null : heard + afterMs, afterMs)
  const remedy = REMEDIES[kind] ?? null
  const boundary = useStore(state => state.view.boundary)
  return (
    <div className="notice" data-kind={kind}>
      <Icon name={kind === 'saved' ? 'check' : 'info'} />
      <span role="status">
        {seconds > 0 ? message.replace(COUNTED, '') : message}
        {remedy !== null && <span className="notice-remedy"> {remedy}</span>}
      </span>
      {kind === 'window' && boundary !== null && <WindowActions boundary={boundary} />}
      {seconds > 0 && (
        <span className="notice-again">
          Again in <Countdown seconds={seconds} />
        </span>
      )}
    </div>
  )
}

/** True once something has been so for a while. */
function useLasting(now: boolean): boolean {
  const [lasting, setLasting] = useState(false)
  useEffect(() => {
    if (!now) return
    const timer = setTimeout(() => setLasting(true), WORTH_A_WORD_MS)
    return () => {
      clearTimeout(timer)
      setLasting(false)
    }
  }, [now])
  return now && lasting
}
