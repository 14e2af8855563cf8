// Asks the inspect API and keeps the last answer until the next one.
import { useEffect, useRef, useState } from 'react'
import type { ApiProblem, ApiResult } from '../wire/problem.ts'

export type InspectorQuery<Value> = {
  readonly value: Value | null
  readonly problem: ApiProblem | null
  /** What is shown belongs to the question before; the answer to this one is on its way. */
  readonly isStale: boolean
}

type Answer<Value> = { readonly what: string; readonly value: Value | null; readonly problem: ApiProblem | null }

/** Asks whenever `what` changes, and shows the last answer until the next is there: walking must not flicker. Null asks nothing. */
export function useInspectorQuery<Value>(what: string | null, ask: () => Promise<ApiResult<Value>>): InspectorQuery<Value> {
  const [answer, setAnswer] = useState<Answer<Value> | null>(null)
  const asking = useRef(ask)
  asking.current = ask
  useEffect(() => {
    if (what === null) return
    let isWanted = true
    asking
      .current()
      .then(outcome => {
        if (!isWanted) return
        setAnswer(outcome.ok ? { what, value: outcome.value, problem: null } : { what, value: null, problem: outcome.problem })
      })
      .catch(reportError)
    return () => {
      isWanted = false
    }
  }, [what])
  return { value: answer?.value ?? null, problem: answer?.problem ?? null, isStale: answer?.what !== what }
}
