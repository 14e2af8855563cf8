// Asks what the next request of a chat would be under a policy that is being edited.
import { useEffect, useState } from 'react'
import { useInspectApi } from '../../store/use-store.ts'
import type { InspectedDryRun, WhatIf } from '../../wire/inspect-api.ts'
import type { ApiProblem } from '../../wire/problem.ts'

/** A person moves a slider through many values; only where it rests is asked. */
const PAUSE_MS = 200

/** Stands for what would be said next: a window may have room for that alone. */
const NEXT_MESSAGE = 'Your next message'

export type WhatIfState = {
  /** The last answer; it stays while the next one is on its way. */
  readonly value: InspectedDryRun | null
  readonly problem: ApiProblem | null
  readonly isAsking: boolean
}

const NOTHING: WhatIfState = { value: null, problem: null, isAsking: false }

/** Null asks nothing. What is asked later replaces what is asked now, and cancels it. */
export function useWhatIf(session: string | null, policy: WhatIf['policy'] | null): WhatIfState {
  const inspectApi = useInspectApi()
  const [state, setState] = useState<WhatIfState>(NOTHING)
  const asked = JSON.stringify([session, policy])
  // biome-ignore lint/correctness/useExhaustiveDependencies: two policies that say the same are one question
  useEffect(() => {
    if (session === null || policy === null) return setState(NOTHING)
    const giveUp = new AbortController()
    setState(before => ({ ...before, isAsking: true }))
    const timer = setTimeout(() => {
      inspectApi
        .wouldBe(session, { text: NEXT_MESSAGE, ...(policy === undefined ? {} : { policy }) }, giveUp.signal)
        .then(outcome => {
          if (giveUp.signal.aborted) return
          setState(
            outcome.ok
              ? { value: outcome.value, problem: null, isAsking: false }
              : { value: null, problem: outcome.problem, isAsking: false },
          )
        })
        .catch(reportError)
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      giveUp.abort()
    }
  }, [asked])
  return state
}
