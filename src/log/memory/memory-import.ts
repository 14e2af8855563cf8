/** Imports sessions into memory, and hides them until the import is published. */

import type { SessionId } from '../../model/ids.ts'
import { err, ok } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import { IMPORT_OVER, takenId } from '../faults.ts'
import { addPiece, type ImportState, startOfImport } from '../import-state.ts'
import type { Clock, ImportedFact, SessionImport, Weigh } from '../ports.ts'
import { emptyRow, pushEvent, type Row } from './memory-rows.ts'

type Needs = {
  readonly clock: Clock
  readonly weigh: Weigh
  readonly rows: Map<SessionId, Row>
  /** Ids of the sessions of all imports that are under way. */
  readonly arriving: Set<SessionId>
}

export function memoryImport({ clock, weigh, rows, arriving }: Needs): SessionImport {
  const coming = new Map<SessionId, { readonly row: Row; readonly state: ImportState }>()
  let last: SessionId | undefined
  let isOver = false

  const take = (session: Session, facts: readonly ImportedFact[]): Row => {
    const { row, state: before } = coming.get(session.id) ?? { row: emptyRow(session), state: startOfImport(session) }
    const { state, placed } = addPiece(before, session, structuredClone(facts))
    row.session = state.session
    row.standing = state.standing
    for (const { fact, at, seq, tokens, totals } of placed) {
      pushEvent(row, { ...fact, session: session.id, seq, at, tokens }, totals)
    }
    coming.set(session.id, { row, state })
    return row
  }
  const leave = (): void => {
    isOver = true
    for (const id of coming.keys()) arriving.delete(id)
    coming.clear()
  }

  return {
    add: async ({ session, facts, texts }) => {
      if (isOver) return err(IMPORT_OVER)
      const { id } = session
      if (id !== last && (rows.has(id) || arriving.has(id))) return err(takenId(id))
      last = id
      arriving.add(id)
      const before = coming.get(id)?.row.standing.head ?? 0
      const row = take(session, facts)
      const since = facts.length === 0 ? 0 : before + 1
      for (const { hash, text } of texts) if (!row.texts.has(hash)) row.texts.set(hash, { text, since })
      return ok(null)
    },
    publish: async close => {
      if (isOver) return err(IMPORT_OVER)
      for (const { row, state } of [...coming.values()]) {
        for (const open of state.open.values()) {
          const own = row.events.filter(event => 'turn' in event && event.turn === open.turn)
          const at = new Date(clock()).toISOString()
          take(
            row.session,
            close(open, own).map(fact => ({ fact, at, ...weigh(fact) })),
          )
        }
        rows.set(row.session.id, row)
      }
      leave()
      return ok(null)
    },
    abandon: async () => leave(),
  }
}
