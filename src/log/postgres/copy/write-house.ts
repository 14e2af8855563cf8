/** Writes a house into a PostgreSQL database, many rows with one statement; what follows from its events is made as for appends. */

import { type Fault, fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { HALF_COPIED } from '../../copy/half-copied.ts'
import type { HouseBeside, HouseEvent, HouseSession, HouseSource, HouseTarget } from '../../copy/house.ts'
import { takenId } from '../../faults.ts'
import { isSource } from '../../memory-rules.ts'
import { checkpointOfBody } from '../../stored-bodies.ts'
import type { Database, Query } from '../database.ts'
import { encodeName } from '../encode-name.ts'
import { type IndexState, type StoredSession, sessionOfRow } from '../rows.ts'
import { createFactCopier } from './copy-facts.ts'
import { askingOf } from './read-house.ts'

/** How long the database waits while the next page is read from the other store. */
const IDLE_SECONDS = 120

export function postgresTarget(db: Database, house: HouseSource): HouseTarget {
  const committed = <Value>(work: (query: Query) => Promise<Result<Value, Fault>>): Promise<Result<Value, Fault>> =>
    db.transaction(async query => {
      await query(`set local idle_in_transaction_session_timeout = '${IDLE_SECONDS}s'`)
      // One copy at a time, and none after the house is whole.
      const marked = await query('select 1 from schema_versions where version = $1 for update', [HALF_COPIED])
      return marked.length === 0 ? err(OVER) : work(query)
    })
  return {
    ...house,
    isHalf: () =>
      db.attempt(async query => ok((await query('select 1 from schema_versions where version = $1', [HALF_COPIED])).length > 0)),
    begin: () =>
      db.attempt(async query => {
        await query('insert into schema_versions (version) values ($1) on conflict do nothing', [HALF_COPIED])
        return ok(null)
      }),
    finish: () =>
      committed(async query => {
        await query('delete from schema_versions where version = $1', [HALF_COPIED])
        return ok(null)
      }),
    add: (sessions, beside, pages) =>
      committed(async query => {
        const ids = sessions.map(({ id }) => id)
        const taken = await takenAmong(query, ids)
        if (taken !== undefined) return err(takenId(taken))
        const facts = createFactCopier(query)
        for await (const page of pages) {
          if (!page.ok) return page
          const odd = page.value.find(({ body }) => storable(body) !== body)
          if (odd !== undefined) return err(unstorable(odd))
          await facts.add(page.value)
        }
        await insertSessions(query, sessions, facts.indexOf)
        await insertBeside(query, beside)
        return ok(null)
      }),
    missingTexts: hashes =>
      askingOf(db)(async query => {
        const found = await query<{ hash: string }>('select hash from texts where hash = any($1::text[])', [hashes])
        const there = new Set(found.map(({ hash }) => hash))
        return hashes.filter(hash => !there.has(hash))
      }),
    addTexts: texts =>
      committed(async query => {
        await query('insert into texts (hash, text) select * from unnest($1::text[], $2::text[]) on conflict do nothing', [
          ...columns(texts, 'hash', 'text'),
        ])
        return ok(null)
      }),
    addUsage: (there, rows) =>
      committed(async query => {
        const [found] = await query<{ many: number }>('select count(*) as many from usage')
        if (found?.many !== there) return err(fault('conflict', 'the usage rows there changed meanwhile'))
        await query(
          `insert into usage (session, at, day, model, input, output, cache_read, cache_write, cost_usd)
           select session, at, day, model, input, output, cache_read, cache_write, cost_usd
           from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::float8[], $6::float8[], $7::float8[], $8::float8[], $9::float8[])
             with ordinality as used (session, at, day, model, input, output, cache_read, cache_write, cost_usd, place)
           order by place`,
          [
            ...columns(rows, 'session', 'at', 'day'),
            rows.map(({ model }) => encodeName(model)),
            ...columns(rows, 'input', 'output', 'cacheRead', 'cacheWrite', 'costUsd'),
          ],
        )
        return ok(null)
      }),
    addReceipts: receipts =>
      committed(async query => {
        await query('insert into receipts (id, body) select * from unnest($1::text[], $2::text[]) on conflict do nothing', [
          ...columns(receipts, 'id', 'body'),
        ])
        return ok(null)
      }),
    replaceState: state => committed(query => replaceState(query, state)),
  }
}

const OVER: Fault = fault('conflict', 'another copy has finished it meanwhile; look at what is there')

const unstorable = ({ session, seq }: HouseEvent): Fault =>
  fault(
    'invalid',
    `${session}: event ${seq} is damaged and has characters that PostgreSQL cannot keep; delete the session or keep the store`,
  )

/** PostgreSQL keeps no NUL, and UTF-8 has no half of a surrogate pair. */
const storable = (text: string): string => text.replaceAll('\u0000', '\ufffd').toWellFormed()

/** The values of some fields of all rows, one list for each field. */
const columns = <Row>(rows: readonly Row[], ...names: readonly (keyof Row)[]): readonly (readonly unknown[])[] =>
  names.map(name => rows.map(row => row[name]))

/** Also by a session that is being removed: its events are still there. */
async function takenAmong(query: Query, ids: readonly SessionId[]): Promise<SessionId | undefined> {
  const found = await query<{ id: SessionId }>(
    `select id from sessions where id = any($1::text[]) union all select session from deleting where session = any($1::text[])`,
    [ids],
  )
  return found[0]?.id
}

async function insertSessions(
  query: Query,
  sessions: readonly HouseSession[],
  indexOf: (id: SessionId) => IndexState,
): Promise<void> {
  await query(
    `insert into sessions (id, updated_at, project, title, parent, family, archived, is_source, body, head, messages, tokens, due,
       voices, turns, speakers, fence)
     select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[], $8::boolean[],
       $9::text[], $10::bigint[], $11::bigint[], $12::bigint[], $13::text[], $14::text[], $15::text[], $16::text[], $17::bigint[])`,
    [
      ...columns(sessions, 'id', 'updatedAt'),
      sessions.map(({ project }) => (project === null ? null : encodeName(project))),
      sessions.map(({ title }) => (title === null ? null : storable(title))),
      ...columns(sessions, 'parent', 'family', 'archived'),
      sessions.map(session => isSource(sessionOfRow({ ...session, updated_at: session.updatedAt } as unknown as StoredSession))),
      ...columns(sessions, 'body', 'head', 'messages', 'tokens', 'due', 'voices'),
      sessions.map(({ id, open }) => {
        const { turns } = indexOf(id)
        const now = open.map(({ turn, voice, started }) => [
          turn,
          { voice, started, isNumbered: turns[turn]?.isNumbered === true },
        ])
        return JSON.stringify(Object.fromEntries(now))
      }),
      sessions.map(({ id }) => JSON.stringify(indexOf(id).speakers)),
      ...columns(sessions, 'fence'),
    ],
  )
}

async function insertBeside(query: Query, { keys, uses, checkpoints }: HouseBeside): Promise<void> {
  if (keys.length > 0)
    await query(
      'insert into keys (session, key, first, last) select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])',
      [...columns(keys, 'session', 'key', 'first', 'last')],
    )
  if (uses.length > 0)
    await query('insert into text_uses (session, hash, since) select * from unnest($1::text[], $2::text[], $3::bigint[])', [
      ...columns(uses, 'session', 'hash', 'since'),
    ])
  if (checkpoints.length > 0)
    await query(
      'insert into checkpoints (session, turn, step, body) select * from unnest($1::text[], $2::text[], $3::bigint[], $4::text[])',
      [
        ...columns(checkpoints, 'session'),
        checkpoints.map(({ turn }) => encodeName(turn)),
        checkpoints.map(({ body }) => checkpointOfBody(body)?.step ?? 0),
        ...columns(checkpoints, 'body'),
      ],
    )
}

async function replaceState(
  query: Query,
  { factors, channels, grants, documents }: Parameters<HouseTarget['replaceState']>[0],
): Promise<Result<null, Fault>> {
  for (const table of ['factors', 'channel_state', 'grants']) await query(`delete from ${table}`)
  await query('insert into factors (model, factor) select * from unnest($1::text[], $2::float8[])', [
    factors.map(({ model }) => encodeName(model)),
    ...columns(factors, 'factor'),
  ])
  await query('insert into channel_state (channel, key, value) select * from unnest($1::text[], $2::text[], $3::text[])', [
    ...columns(channels, 'channel', 'key', 'value'),
  ])
  await query(
    `insert into grants (id, tool, binding, session, facts, at) overriding system value
     select * from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])`,
    [
      ...columns(grants, 'id'),
      grants.map(({ tool }) => encodeName(tool)),
      ...columns(grants, 'binding', 'session', 'facts', 'at'),
    ],
  )
  const last = grants.at(-1)?.id
  if (last !== undefined) await query(`select setval(pg_get_serial_sequence('grants', 'id'), $1)`, [last])
  // Where documents are files, they are no part of the store.
  if (documents === null) return ok(null)
  await query('delete from documents')
  await query('insert into documents (name, text, revision) select * from unnest($1::text[], $2::text[], $3::bigint[])', [
    ...columns(documents, 'name', 'text', 'revision'),
  ])
  const revision = documents.at(-1)?.revision ?? 0
  await query(`update counters set value = greatest(value, $1) where name = 'documents'`, [revision])
  return ok(null)
}
