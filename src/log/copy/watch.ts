/** How a copy is watched and stopped, and how it refuses a store. */

import { type Fault, fault } from '../../model/fault.ts'
import { err, type Result } from '../../model/result.ts'

export type CopyProgress = {
  readonly doing: 'looking' | 'copying' | 'comparing'
  readonly sessions: number
  readonly events: number
}

export type CopyWatch = { readonly abort: AbortSignal; readonly onProgress: (progress: CopyProgress) => void }

export const COPY_STOPPED: Fault = fault('cancelled', 'stopped; the same command goes on where it was')

/** A store has something that is not of the house. */
export const foreign = (what: string): Result<never, Fault> => err(fault('conflict', `${what}; copy into an empty store`))
