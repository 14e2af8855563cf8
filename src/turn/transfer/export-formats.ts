/** The kinds of file a session can be exported as, and how an export says that it stopped early. */
import type { Fault } from '../../model/fault.ts'

export const EXPORT_FORMATS = ['json', 'markdown', 'port42', 'html'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

/** The rest of a file could not be read. */
export class ExportStopped extends Error {
  readonly fault: Fault

  constructor(why: Fault) {
    super(why.message)
    this.name = 'ExportStopped'
    this.fault = why
  }
}
