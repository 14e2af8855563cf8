// Loads what a page shows when it opens.
import { useCallback, useEffect, useState } from 'react'
import type { ApiProblem, ApiResult } from '../wire/problem.ts'

export type LoadedValue<Value> = {
  /** Null until it is there. */
  readonly value: Value | null
  readonly problem: ApiProblem | null
  /** Reads it again; what is shown stays until then. */
  readonly reload: () => void
}

/** What a page reads when it is opened, or when `what` changes. An answer that comes too late is not shown. */
export function useLoaded<Value>(what: string, load: () => Promise<ApiResult<Value>>): LoadedValue<Value> {
  const [shown, setShown] = useState<{ readonly what: string; readonly value: Value } | null>(null)
  const [problem, setProblem] = useState<ApiProblem | null>(null)
  const [asked, setAsked] = useState(0)
  const reload = useCallback(() => setAsked(times => times + 1), [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: it is read again when something else is wanted, or on demand
  useEffect(() => {
    let isWanted = true
    load()
      .then(outcome => {
        if (!isWanted) return
        if (outcome.ok) setShown({ what, value: outcome.value })
        setProblem(outcome.ok ? null : outcome.problem)
      })
      .catch(reportError)
    return () => {
      isWanted = false
    }
  }, [what, asked])

  return { value: shown?.what === what ? shown.value : null, problem, reload }
}
