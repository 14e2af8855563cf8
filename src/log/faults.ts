import { type Fault, fault } from '../model/fault.ts'
import type { SessionId } from '../model/ids.ts'

/** What every log says of an id that it does not have … */
export const NO_SESSION: Fault = fault('not-found', 'there is no session of that id')
export const NO_GRANT: Fault = fault('not-found', 'nothing was granted under that id')
export const NO_RECEIPT: Fault = fault('not-found', 'there is no receipt of that id')
/** A dry run was sent to nobody, so there is nothing to account for. */
export const DRY_RUN: Fault = fault('invalid', 'a receipt without an id is of a dry run, which is not kept')

/** … and of one that it has already, or that is on its way in or out. */
export const takenId = (id: SessionId): Fault => fault('conflict', `there is a session ${id} already`)
export const OVER: Fault = fault('invalid', 'nothing more can be brought here: it was published or given up')
