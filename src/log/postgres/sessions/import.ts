/** Imports sessions: written piece by piece where they cannot be found, and shown all at once when the import is published. */

import type { Event } from '../../../model/event.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { IMPORT_OVER, takenId } from '../../faults.ts'
import { addPiece, type ImportState, type PlacedFact, startOfImport } from '../../import-state.ts'
import type { Clock, ImportedPiece, Importer, SessionImport, Weigh } from '../../ports.ts'
import type { Database, Query } from '../database.ts'
import { encodeName } from '../encode-name.ts'
import { indexFacts } from '../events/index-facts.ts'
import { eventWrites, factRowWrites, insertSession, type NewEvent, sessionWrites } from '../events/write-rows.ts'
import { trackKept } from '../recall/kept.ts'
import { receiptWrites } from '../receipts.ts'
import { EVENT, type EventRow, eventOf, type IndexState, NO_INDEX } from '../rows.ts'
import { writeTexts } from '../texts.ts'
import { writeTogether } from '../write-together.ts'
import { freeId, giveUp } from './sessions.ts'

/** An import that says nothing for so long is given up. */
const IMPORT_SECONDS = 300
const STEP = 500

/** Gives the number of a new import. Its sessions belong to it until it is over. */
export const beginImport = (db: Database): Promise<Result<number, Fault>> =>
  db.attempt(async query => {
    const [begun] = await query<{ id: number }>(
      `insert into imports (until) values (clock_timestamp() + make_interval(secs => ${IMPORT_SECONDS})) returning id`,
    )
    return ok(begun?.id ?? 0)
  })

export const endImport = (db: Database, number: number): Promise<Result<null, Fault>> =>
  db.attempt(async query => {
    await query('delete from imports where id = $1', [number])
    return ok(null)
  })

/** An import that ran out may have lost its sessions to a sweep; writing more to it is refused. */
export async function keepAlive(query: Query, number: number): Promise<Result<null, Fault>> {
  const found = await query(
    `update imports set until = clock_timestamp() + make_interval(secs => ${IMPORT_SECONDS})
     where id = $1 and until > clock_timestamp() returning 1`,
    [number],
  )
  return found.length > 0 ? ok(null) : err(IMPORT_OVER)
}

type Current = { readonly state: ImportState; readonly index: IndexState }

export function postgresImporter(
  db: Database,
  { clock, weigh, onPublished }: { readonly clock: Clock; readonly weigh: Weigh; readonly onPublished: () => void },
): Importer {
  /** Settles when imports that were given up here are cleared away. */
  let cleared: Promise<unknown> = Promise.resolve()
  return {
    startImport: async () => {
      const begun = await beginImport(db)
      return begun.ok ? ok(importInto(begun.value)) : begun
    },
  }

  function importInto(number: number): SessionImport {
    const known = new Set<SessionId>()
    const unended: Current[] = []
    let current: Current | undefined
    let trouble: Fault | undefined

    const claim = (session: ImportState['session']): Promise<Result<null, Fault>> =>
      db.transaction(async query => {
        const free = await freeId(query, session.id)
        if (!free.ok) return err(takenId(session.id))
        const { standing } = startOfImport(session)
        const isClaimed = await insertSession(query, { session, standing, index: NO_INDEX }, number)
        return isClaimed ? ok(null) : err(takenId(session.id))
      })

    const write = async (before: Current, { session, facts, texts }: ImportedPiece): Promise<Result<Current, Fault>> => {
      let now = before
      for (let from = 0; from === 0 || from < facts.length; from += STEP) {
        const next = addPiece(now.state, session, facts.slice(from, from + STEP))
        const derived = indexFacts(
          now.index,
          next.placed.map(({ fact, seq, messages, totals }) => ({ fact, seq, messages, voices: totals.voices })),
        )
        const isFirst = from === 0
        const written = await db.transaction(async query => {
          const alive = await keepAlive(query, number)
          if (!alive.ok) return alive
          const recorded = next.placed.map(placed => recordedOf(session.id, placed))
          await writeTogether(query, [
            ...eventWrites(next.placed.map(placed => rowOf(session.id, placed))),
            ...factRowWrites([{ session: session.id, rows: derived }]),
            ...receiptWrites(recorded),
            ...sessionWrites([{ session: next.state.session, standing: next.state.standing, index: derived.state, fence: 0 }]),
          ])
          await trackKept(query, session.id, recorded)
          // Texts without facts do not say when they were needed first, so they count as needed from the start.
          if (isFirst) await writeTexts(query, [{ session: session.id, texts, since: next.placed[0]?.seq ?? 0 }])
          return ok(null)
        })
        if (!written.ok) return written
        now = { state: next.state, index: derived.state }
      }
      return ok(now)
    }

    const leave = (): void => {
      if (current !== undefined && current.state.open.size > 0) unended.push(current)
      current = undefined
    }

    const add: SessionImport['add'] = async piece => {
      if (trouble !== undefined) return err(trouble)
      const { id } = piece.session
      if (current?.state.session.id !== id) {
        leave()
        const isOwn = known.has(id)
        let claimed = isOwn ? err(takenId(id)) : await claim(piece.session)
        if (!isOwn && !claimed.ok && claimed.fault.kind === 'conflict') {
          await cleared
          claimed = await claim(piece.session)
        }
        if (!claimed.ok) return claimed
        known.add(id)
        current = { state: startOfImport(piece.session), index: NO_INDEX }
      }
      if (current === undefined) return err(IMPORT_OVER)
      const written = await write(current, piece)
      if (!written.ok) {
        trouble = written.fault
        return written
      }
      current = written.value
      return ok(null)
    }

    /** Ends the turns that the import leaves open. */
    const endOpen = async (close: Parameters<SessionImport['publish']>[0]): Promise<Result<null, Fault>> => {
      for (const each of unended) {
        let now = each
        for (const open of each.state.open.values()) {
          const own = await db.attempt(async query => ok(await turnOf(query, open.session, open.turn)))
          if (!own.ok) return own
          const at = new Date(clock()).toISOString()
          const facts = close(open, own.value).map(fact => ({ fact, at, ...weigh(fact) }))
          const written = await write(now, { session: now.state.session, facts, texts: [] })
          if (!written.ok) return written
          now = written.value
        }
      }
      return ok(null)
    }

    /** Whether everything is there, although the answer to the last step was lost. */
    const isPublished = async (): Promise<boolean> => {
      const found = await db.attempt(async query =>
        ok(await query('select 1 from findable where id = any($1::text[])', [[...known]])),
      )
      return known.size > 0 && found.ok && found.value.length === known.size
    }

    const abandon = async (): Promise<void> => {
      if (trouble === IMPORT_OVER) return
      trouble = IMPORT_OVER
      const given = (async () => {
        for (const id of known) await giveUp(db, id, number)
        await endImport(db, number)
      })()
      cleared = Promise.allSettled([cleared, given])
      await given
    }

    return {
      add,
      abandon,
      publish: async close => {
        if (trouble !== undefined) return err(trouble)
        leave()
        const ended = await endOpen(close)
        const shown = ended.ok
          ? await db.transaction(async query => {
              const alive = await keepAlive(query, number)
              if (!alive.ok) return alive
              await query('update sessions set import = null where import = $1', [number])
              await query('delete from imports where id = $1', [number])
              return ok(null)
            })
          : ended
        if (!shown.ok && !(await isPublished())) {
          await abandon()
          return shown
        }
        trouble = IMPORT_OVER
        onPublished()
        return ok(null)
      },
    }
  }
}

const rowOf = (session: SessionId, { fact, at, seq, tokens, messages, totals }: PlacedFact): NewEvent => ({
  ...{ session, seq, at, fact, tokens, begins: messages },
  ...{ totalTokens: totals.tokens, totalMessages: totals.messages },
})

const recordedOf = (session: SessionId, { fact, at, seq, tokens }: PlacedFact): Event =>
  ({ ...fact, session, seq, at, tokens }) as Event

/** The events of one turn, also of a session that cannot be found yet. */
async function turnOf(query: Query, session: SessionId, turn: string): Promise<readonly ReturnType<typeof eventOf>[]> {
  const found = await query<EventRow>(`select ${EVENT} from events where session = $1 and turn = $2 order by seq`, [
    session,
    encodeName(turn),
  ])
  return found.map(each => eventOf(session, each))
}
