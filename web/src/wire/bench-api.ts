// Asks the gateway to compare policies, and reads how far it has come.
import type { BenchProgress, BenchReport } from '../../../src/turn/inspect/bench-report.ts'
import type { ApiFetch } from './follow.ts'
import { createFrameReader } from './frames.ts'
import { type ApiResult, readProblem, UNREACHABLE } from './problem.ts'

/** Over which chats, and whether policies are compared without their memory, too. */
export type PolicyBenchWish = { readonly sessions: readonly string[]; readonly withoutMemory: boolean }

export type PolicyBench = (
  wish: PolicyBenchWish,
  onProgress: (done: BenchProgress) => void,
  /** Hanging up stops the comparison. */
  signal: AbortSignal,
) => Promise<ApiResult<BenchReport>>

/** Runs a comparison. What the gateway refuses or could not finish is a problem, as with every other question. */
export function createPolicyBench(call: ApiFetch): PolicyBench {
  return async (wish, onProgress, signal) => {
    try {
      const headers = { 'content-type': 'application/json', accept: 'text/event-stream' }
      const response = await call('api/policies/bench', { method: 'POST', headers, body: JSON.stringify(wish), signal })
      if (!response.ok) return { ok: false, problem: await readProblem(response) }
      if (response.body === null) return { ok: false, problem: UNREACHABLE }
      const frames = createFrameReader()
      const reader = response.body.getReader()
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return { ok: false, problem: UNREACHABLE }
        for (const { event, data } of frames.read(value)) {
          if (event === 'progress') onProgress(JSON.parse(data) as BenchProgress)
          if (event === 'done') return { ok: true, value: JSON.parse(data) as BenchReport }
          if (event === 'fault') return { ok: false, problem: faultProblem(JSON.parse(data)) }
        }
      }
    } catch {
      return { ok: false, problem: UNREACHABLE }
    }
  }
}

const faultProblem = ({ message = '' }: { readonly message?: string }) => ({
  ...{ status: 500, title: 'The comparison could not be finished', detail: message },
})
