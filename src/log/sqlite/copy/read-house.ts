/** Gives the rows of a SQLite file as those of a house. */

import { statSync } from 'node:fs'
import { type Fault, fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import type { HouseEvent, HouseSession, HouseSource, HouseState, HouseUsage } from '../../copy/house.ts'
import { SESSION, type SessionRow, sessionOfRow } from '../../rows.ts'
import type { Tables } from '../store/rows.ts'

type Row = SessionRow & { readonly parent: string | null; readonly archived: number }
type OpenRow = HouseSession['open'][number] & { readonly session: SessionId }

/** The rows of a list that is given as JSON. */
const AMONG = '(select value from json_each(?))'
const EVENT = `session, seq, at, type, turn, body, tokens, total_tokens as totalTokens, total_messages as totalMessages, begins, event_id as id`
/** How a family is gone through: its sessions in the order of their first rows. */
const BY_BEGINNING = `(select events.id from events where events.session = each.id and events.seq = 1)`

export function sqliteHouse(file: string, tables: Tables, close: () => void): HouseSource {
  const { rows, row } = tables
  const found = <Kind extends object>(text: string, ...values: (string | number)[]): readonly Kind[] =>
    rows<Kind>(text, ...values).map(each => ({ ...each }))
  const sessionsOf = (of: readonly Row[]): readonly HouseSession[] => {
    const ids = JSON.stringify(of.map(({ id }) => id))
    const open = Map.groupBy(
      found<OpenRow>(
        `select session, turn, voice, started from open_turns where session in ${AMONG} order by session, started, turn`,
        ids,
      ),
      ({ session }) => session,
    )
    return of.map(each => houseSession(each, open.get(each.id) ?? []))
  }
  const count = (table: string): number => row<{ many: number }>(`select count(*) as many from ${table}`)?.many ?? 0
  const hashes = (list: readonly string[]): string => JSON.stringify(list)

  return {
    title: file,
    get identity() {
      const { dev, ino } = statSync(file)
      return `sqlite ${dev} ${ino}`
    },
    counts: attempted(() => ({
      sessions: count('findable'),
      events: row<{ many: number | null }>('select sum(head) as many from findable')?.many ?? 0,
      texts: count('texts'),
      usage: count('usage'),
      receipts: count('receipts'),
    })),
    sessions: attempted((after: string, families: number) =>
      sessionsOf(
        found<Row>(
          `select ${SESSION}, parent, archived from findable as each
           where family in (select distinct family from findable where family > ? order by family limit ?)
           order by family, ${BY_BEGINNING} is null, ${BY_BEGINNING}, id`,
          ...[after, families],
        ),
      ),
    ),
    known: attempted((ids: readonly SessionId[]) =>
      sessionsOf(found<Row>(`select ${SESSION}, parent, archived from findable where id in ${AMONG}`, JSON.stringify(ids))),
    ),
    events: attempted((ids: readonly SessionId[]) =>
      found<HouseEvent>(`select ${EVENT} from events where session in ${AMONG} order by session, seq`, JSON.stringify(ids)),
    ),
    eventsAfter: attempted((id: SessionId, after: number, most: number) =>
      found<HouseEvent>(`select ${EVENT} from events where session = ? and seq > ? order by seq limit ?`, id, after, most),
    ),
    beside: attempted((of: readonly SessionId[]) => {
      const ids = JSON.stringify(of)
      return {
        keys: found(`select session, key, first, last from keys where session in ${AMONG} order by session, key`, ids),
        uses: found(`select session, hash, since from text_uses where session in ${AMONG} order by session, hash`, ids),
        checkpoints: found(`select session, turn, body from inflight where session in ${AMONG} order by session, turn`, ids),
      }
    }),
    textSizes: attempted((after: string, most: number) =>
      found('select hash, octet_length(text) as bytes from texts where hash > ? order by hash limit ?', after, most),
    ),
    texts: attempted((list: readonly string[]) =>
      found(`select hash, text from texts where hash in ${AMONG} order by hash`, hashes(list)),
    ),
    usage: attempted((after: number, most: number) => {
      const page = found<HouseUsage & { readonly number: number }>(
        `select id as number, session, at, day, model, input, output, cache_read as cacheRead, cache_write as cacheWrite,
           cost_usd as costUsd
         from usage where id > ? order by id limit ?`,
        ...[after, most],
      )
      return { rows: page.map(({ number: _, ...each }) => each), last: page.at(-1)?.number ?? after }
    }),
    receipts: attempted((after: string, most: number) =>
      found('select id, body from receipts where id > ? order by id limit ?', after, most),
    ),
    state: attempted(
      (): HouseState => ({
        factors: found('select model, factor from factors order by model'),
        channels: found('select door as channel, key, value from doors order by door, key'),
        grants: found('select id, tool, binding, session, facts, at from grants order by id'),
        documents: null,
      }),
    ),
    // Its lock is ours as long as it is open.
    whyBusy: async () => ok(undefined),
    close: async () => close(),
  }
}

/** Title and project as the session itself has them: columns may have lost what a database cannot keep. */
function houseSession(each: Row, open: readonly OpenRow[]): HouseSession {
  const { title, project } = sessionOfRow(each)
  const { id, family, parent, updated_at: updatedAt, archived, body, head, messages, tokens, due, voices, fence } = each
  return {
    ...{
      id,
      family,
      parent,
      updatedAt,
      title,
      project,
      archived: archived === 1,
      body,
      head,
      messages,
      tokens,
      due,
      voices,
      fence,
    },
    open: open.map(({ turn, voice, started }) => ({ turn, voice, started })),
  }
}

/** Trouble of the file is a fault; everything else that is thrown is a bug. */
export function attempted<Given extends readonly unknown[], Value>(
  work: (...given: Given) => Value,
): (...given: Given) => Promise<Result<Value, Fault>> {
  return async (...given) => {
    try {
      return ok(work(...given))
    } catch (cause) {
      return err(troubleOf(cause))
    }
  }
}

export function troubleOf(cause: unknown): Fault {
  const { errcode, message } = cause as { errcode?: number; message?: string }
  if (errcode === undefined) throw cause
  return fault('store', `the database said: ${message}`)
}
