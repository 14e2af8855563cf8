/** Keeps the requests that a fake provider got. */
import type { RecordedRequest } from './fake-request.ts'

/** All requests so far, and a way to wait for the next. */
export type RequestRecorder = {
  readonly requests: readonly RecordedRequest[]
  readonly add: (request: RecordedRequest) => void
  /** Gives every request once and in order, whether it has arrived or not. */
  readonly next: () => Promise<RecordedRequest>
  /** Ends every wait that is still open. */
  readonly close: () => void
}

export function createRequestRecorder(): RequestRecorder {
  const requests: RecordedRequest[] = []
  const waiting: PromiseWithResolvers<RecordedRequest>[] = []
  let handedOut = 0
  return {
    requests,
    add: request => {
      requests.push(request)
      const waiter = waiting.shift()
      if (waiter === undefined) return
      handedOut += 1
      waiter.resolve(request)
    },
    next: () => {
      const request = requests[handedOut]
      if (request !== undefined) {
        handedOut += 1
        return Promise.resolve(request)
      }
      const waiter = Promise.withResolvers<RecordedRequest>()
      // A test that ended early no longer listens. That is not a bug.
      waiter.promise.catch(() => {})
      waiting.push(waiter)
      return waiter.promise
    },
    close: () => {
      for (const { reject } of waiting.splice(0)) reject(new Error('the fake was closed before this request came'))
    },
  }
}
