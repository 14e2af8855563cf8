/** The fault that people see of a bug, and a guard for observers that may have bugs of their own. */

import { type Fault, fault } from '../../model/fault.ts'
import type { Services } from '../services.ts'

export const BUG: Fault = fault('bug', 'something went wrong inside Turnwise; the log of the gateway says what')

/** Makes an observer safe to call: its own bug is reported to it once, and never stops what it observes. */
export const observing =
  (observe: Services['observe']): Services['observe'] =>
  seen => {
    try {
      observe(seen)
    } catch (cause) {
      try {
        if (seen.type !== 'bug') observe({ type: 'bug', cause })
      } catch {
        // The observer fails on its own bug; there is no other to report it to.
      }
    }
  }
