// Shows what was loaded, a placeholder before it, or the problem.
import { useEffect, useRef } from 'react'
import { ProblemBox } from '../form/problem-box.tsx'
import type { LoadedValue } from '../parts/use-loaded.ts'
import { useStore } from '../store/use-store.ts'

type ReadProps<Value> = {
  readonly from: LoadedValue<Value>
  /** What is being read, as in "agents". */
  readonly what: string
  readonly children: (value: Value) => React.ReactNode
}

/** The loaded content, a placeholder until then, or the problem. Loaded content stays even if a second load fails. */
export function Read<Value>({ from, what, children }: ReadProps<Value>): React.ReactNode {
  const { value, problem, reload } = from
  useUnlocked(reload)
  return (
    <>
      {problem !== null && <ProblemBox problem={problem} onRetry={reload} />}
      {value !== null && children(value)}
      {value === null && problem === null && (
        <div className="page-waiting" role="status">
          <span className="unseen">Reading the {what} …</span>
          <span className="page-waiting-line" />
          <span className="page-waiting-line" />
          <span className="page-waiting-line" />
        </div>
      )}
    </>
  )
}

/** After a token was entered, asks again for what was refused without one. */
function useUnlocked(reload: () => void): void {
  const locked = useStore(state => state.locked)
  const was = useRef(locked)
  useEffect(() => {
    if (was.current && !locked) reload()
    was.current = locked
  }, [locked, reload])
}
