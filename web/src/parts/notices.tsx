import { useEffect, useState } from 'react'
import { useActions, useStore } from '../use-store.ts'
import { Icon } from './icon.tsx'

/** A line that is back at once is not worth a word. */
const WORTH_A_WORD_MS = 900

/** Quiet lines above the field: what the gateway tells, whether the line holds, and what could not be done. */
export function Notices(): React.ReactNode {
  const { dismiss, retry } = useActions()
  const notices = useStore(state => state.view.notices)
  const lost = useLasting(useStore(state => state.link?.state === 'lost'))
  const problem = useStore(state => state.problem)
  const locked = useStore(state => state.locked)
  return (
    <div className="notices">
      {notices.map(notice => (
        <p key={`${notice.kind} ${notice.turn ?? ''}`} className="notice" data-kind={notice.kind} role="status">
          <Icon name={notice.kind === 'saved' ? 'check' : 'info'} />
          {notice.message}
        </p>
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
