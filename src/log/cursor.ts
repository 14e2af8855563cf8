/** The cursor of a list of sessions: it names the last session of a page, and the next page goes on after it. */

import { type Fault, fault } from '../model/fault.ts'
import type { SessionId } from '../model/ids.ts'
import { parseSessionId } from '../model/ids.ts'
import { err, ok, type Result } from '../model/result.ts'

export type CursorPosition = { readonly updatedAt: string; readonly id: SessionId }

export const writeCursor = ({ updatedAt, id }: CursorPosition): string => `${updatedAt}_${id}`

export function readCursor(cursor: string): Result<CursorPosition, Fault> {
  const [, updatedAt, id] = /^(\d{4}-[\d:T.-]+Z)_(ses_[a-z0-9]+)$/.exec(cursor) ?? []
  const session = parseSessionId(id ?? '')
  if (updatedAt === undefined || !session.ok) return err(fault('invalid', 'cursor: not one that a listing gave'))
  return ok({ updatedAt, id: session.value })
}
