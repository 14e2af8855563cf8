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

/** What was read, or its place until then, or why it cannot be had. What was read once stays, whatever a second reading brings. */
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

/** A token was given: what was refused for want of it is asked again. */
function useUnlocked(reload: () => void): void {
  const locked = useStore(state => state.locked)
  const was = useRef(locked)
  useEffect(() => {
    if (was.current && !locked) reload()
    was.current = locked
  }, [locked, reload])
}
