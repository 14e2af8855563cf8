/** Waiting: how long after a failure, and a pause that ends when the channel closes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { doubledWait } from '../../model/back-off.ts'
import type { Pace } from './adapter.ts'

/** How long to wait after so many failures in a row: twice as long each time. Chance keeps many callers from returning at once. */
export const backoff = ({ backoffMs, mostBackoffMs }: Pick<Pace, 'backoffMs' | 'mostBackoffMs'>, failures: number): number =>
  doubledWait(backoffMs, mostBackoffMs, failures - 1) * (0.75 + Math.random() / 2)

/** Over at once when the signal aborts. */
export async function pauseUnlessAborted(ms: number, abort: AbortSignal): Promise<void> {
  await sleep(Math.max(0, ms), undefined, { signal: abort, ref: false }).catch(() => undefined)
}
