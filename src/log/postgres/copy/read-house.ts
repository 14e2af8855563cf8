/** Gives the rows of a PostgreSQL database as those of a house. */

import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import type {
  HouseBeside,
  HouseEvent,
  HouseReceipt,
  HouseSession,
  HouseSource,
  HouseState,
  HouseText,
  HouseUsage,
} from '../../copy/house.ts'
import type { Database, Query } from '../database.ts'
import { decodeName } from '../encode-name.ts'
import { indexStateOf, SESSION_FIELDS, type StoredSession, sessionOfRow } from '../rows.ts'

type Row = StoredSession & { readonly parent: string | null; readonly archived: boolean }

const EVENT = `session, seq, at, type, turn, body, tokens, total_tokens as "totalTokens", total_messages as "totalMessages", begins, event_id as id`
/** How a family is gone through: its sessions in the order of their first rows. */
const BY_BEGINNING = '(select events.id from events where events.session = each.id and events.seq = 1)'

export type Asking = <Value>(work: (query: Query) => Promise<Value>) => Promise<Result<Value, Fault>>

export const askingOf =
  (db: Database): Asking =>
  work =>
    db.attempt(async query => ok(await work(query)))

export function postgresHouse(db: Database, title: string, identity: string): HouseSource {
  const asked = askingOf(db)
  return {
    title,
    identity,
    counts: () =>
      asked(async query => {
        const [found] = await query<{ sessions: number; events: number; texts: number; usage: number; receipts: number }>(
          `select (select count(*) from findable) as sessions, (select coalesce(sum(head), 0) from findable) as events,
             (select count(*) from texts) as texts, (select count(*) from usage) as usage, (select count(*) from receipts) as receipts`,
        )
        return found ?? { sessions: 0, events: 0, texts: 0, usage: 0, receipts: 0 }
      }),
    sessions: (after, families) =>
      asked(async query => {
        const rows = await query<Row>(
          `select ${SESSION_FIELDS}, parent, archived from findable as each
           where family in (select distinct family from findable where family > $1 order by family limit $2)
           order by family, ${BY_BEGINNING} nulls last, id`,
          [after, families],
        )
        return rows.map(houseSession)
      }),
    known: ids =>
      asked(async query => {
        const rows = await query<Row>(`select ${SESSION_FIELDS}, parent, archived from findable where id = any($1::text[])`, [
          ids,
        ])
        return rows.map(houseSession)
      }),
    events: ids =>
      asked(async query =>
        named(
          await query<HouseEvent>(`select ${EVENT} from events where session = any($1::text[]) order by session, seq`, [ids]),
        ),
      ),
    eventsAfter: (id, after, most) =>
      asked(async query =>
        named(
          await query<HouseEvent>(`select ${EVENT} from events where session = $1 and seq > $2 order by seq limit $3`, [
            ...[id, after, most],
          ]),
        ),
      ),
    beside: ids => asked(query => besideOf(query, ids)),
    textSizes: (after, most) =>
      asked(query =>
        query<{ hash: string; bytes: number }>(
          'select hash, octet_length(text) as bytes from texts where hash > $1 order by hash limit $2',
          [after, most],
        ),
      ),
    texts: hashes =>
      asked(query => query<HouseText>('select hash, text from texts where hash = any($1::text[]) order by hash', [hashes])),
    usage: (after, most) =>
      asked(async query => {
        const page = await query<HouseUsage & { readonly number: number }>(
          `select id as number, session, at, day, model, input, output, cache_read as "cacheRead", cache_write as "cacheWrite",
             cost_usd as "costUsd"
           from usage where id > $1 order by id limit $2`,
          [after, most],
        )
        const rows = page.map(({ number: _, ...each }) => ({ ...each, model: decodeName(each.model) }))
        return { rows, last: page.at(-1)?.number ?? after }
      }),
    receipts: (after, most) =>
      asked(query => query<HouseReceipt>('select id, body from receipts where id > $1 order by id limit $2', [after, most])),
    state: () => asked(stateOf),
    whyBusy: () =>
      asked(async query => {
        const [busy] = await query<{ leases: number }>('select count(*) as leases from leases where until > clock_timestamp()')
        return busy === undefined || busy.leases === 0
          ? undefined
          : 'gateways work on it; stop every gateway that uses it, wait 15 seconds, and copy again'
      }),
    close: db.close,
  }
}

const named = (events: readonly HouseEvent[]): readonly HouseEvent[] =>
  events.map(event => (event.turn === null ? event : { ...event, turn: decodeName(event.turn) }))

async function besideOf(query: Query, ids: readonly SessionId[]): Promise<HouseBeside> {
  const of = (columns: string, table: string, name: string): string =>
    `select session, ${columns} from ${table} where session = any($1::text[]) order by session, ${name}`
  const [keys, uses, checkpoints] = await Promise.all([
    query<HouseBeside['keys'][number]>(of('key, first, last', 'keys', 'key'), [ids]),
    query<HouseBeside['uses'][number]>(of('hash, since', 'text_uses', 'hash'), [ids]),
    query<HouseBeside['checkpoints'][number]>(of('turn, body', 'checkpoints', 'turn'), [ids]),
  ])
  return { keys, uses, checkpoints: checkpoints.map(each => ({ ...each, turn: decodeName(each.turn) })) }
}

async function stateOf(query: Query): Promise<HouseState> {
  const [factors, channels, grants, documents] = await Promise.all([
    query<HouseState['factors'][number]>('select model, factor from factors order by model'),
    query<HouseState['channels'][number]>('select channel, key, value from channel_state order by channel, key'),
    query<HouseState['grants'][number]>('select id, tool, binding, session, facts, at from grants order by id'),
    query<NonNullable<HouseState['documents']>[number]>('select name, text, revision from documents order by revision'),
  ])
  return {
    factors: factors.map(each => ({ ...each, model: decodeName(each.model) })),
    channels,
    grants: grants.map(each => ({ ...each, tool: decodeName(each.tool) })),
    documents,
  }
}

/** Title and project as the session itself has them: columns may have lost what a database cannot keep. */
function houseSession(row: Row): HouseSession {
  const { title, project } = sessionOfRow(row)
  const { id, family, parent, updated_at: updatedAt, archived, body, head, messages, tokens, due, voices, fence } = row
  const open = Object.entries(indexStateOf(row).turns)
    .map(([turn, { voice, started }]) => ({ turn, voice, started }))
    .sort((a, b) => a.started - b.started)
  return { id, family, parent, updatedAt, title, project, archived, body, head, messages, tokens, due, voices, fence, open }
}
