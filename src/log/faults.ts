/** The faults that every store answers with, in the same words. */

import { type Fault, fault } from '../model/fault.ts'
import type { SessionId } from '../model/ids.ts'

/** For an id that the store does not have. */
export const NO_SESSION: Fault = fault('not-found', 'there is no session of that id')
export const NO_GRANT: Fault = fault('not-found', 'nothing was granted under that id')
export const NO_RECEIPT: Fault = fault('not-found', 'there is no receipt of that id')
/** A dry run was not sent, so there is nothing to keep. */
export const DRY_RUN: Fault = fault('invalid', 'a receipt without an id is of a dry run, which is not kept')

/** For an id that the store has already, or that is being imported or removed. */
export const takenId = (id: SessionId): Fault => fault('conflict', `there is a session ${id} already`)
export const IMPORT_OVER: Fault = fault('invalid', 'nothing more can be imported here: it was published or given up')
