import { type Fault, fault } from '../../model/fault.ts'
import type { Services } from '../services.ts'

/** What people are told of a bug; what it was is for the log of the gateway. */
export const BUG: Fault = fault('bug', 'something went wrong inside Turnwise; the log of the gateway says what')

/** Makes an observer safe to tell: a bug of its own is reported to it once more, and never stops what it observes. */
export const observing =
  (observe: Services['observe']): Services['observe'] =>
  seen => {
    try {
      observe(seen)
    } catch (cause) {
      try {
        if (seen.type !== 'bug') observe({ type: 'bug', cause })
      } catch {
        // Nobody is left to tell.
      }
    }
  }
