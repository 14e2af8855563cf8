/** Writes a house into a SQLite file. The triggers of its tables number messages, count turns and keep pins and folds, as for appends. */

import type { DatabaseSync } from 'node:sqlite'
import { type Fault, fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { HALF_COPIED } from '../../copy/half-copied.ts'
import type { HouseSession, HouseSource, HouseTarget } from '../../copy/house.ts'
import { takenId } from '../../faults.ts'
import { NEWEST } from '../migrations.ts'
import { INSERT_EVENT, type Tables } from '../store/rows.ts'
import { attempted, troubleOf } from './read-house.ts'

export function sqliteTarget(house: HouseSource, db: DatabaseSync, tables: Tables): HouseTarget {
  const { row, run } = tables
  const version = (): number => row<{ user_version: number }>('pragma user_version')?.user_version ?? 0

  /** All or nothing, on the disk when it is done. */
  const committed = async (work: () => Promise<Result<null, Fault>> | Result<null, Fault>): Promise<Result<null, Fault>> => {
    try {
      db.exec('begin immediate')
      const done = await work()
      db.exec(done.ok ? 'commit' : 'rollback')
      return done
    } catch (cause) {
      if (db.isTransaction) db.exec('rollback')
      return err(troubleOf(cause))
    }
  }
  const each =
    <Rows extends readonly unknown[]>(write: (one: Rows[number]) => void) =>
    (rows: Rows): Promise<Result<null, Fault>> =>
      committed(() => {
        for (const one of rows) write(one)
        return ok(null)
      })

  return {
    ...house,
    get identity() {
      return house.identity
    },
    isHalf: attempted(() => version() >= HALF_COPIED),
    begin: attempted(() => {
      db.exec(`pragma user_version = ${HALF_COPIED + NEWEST}`)
      return null
    }),
    finish: attempted(() => {
      db.exec(`pragma user_version = ${NEWEST}`)
      return null
    }),
    add: (sessions, { keys, uses, checkpoints }, pages) =>
      committed(async () => {
        const taken = sessions.find(({ id }) => isTaken(id))
        if (taken !== undefined) return err(takenId(taken.id))
        for await (const page of pages) {
          if (!page.ok) return page
          for (const { session, seq, at, type, turn, body, tokens, totalTokens, totalMessages, begins, id } of page.value)
            run(INSERT_EVENT, session, seq, at, type, turn, body, tokens, totalTokens, totalMessages, begins, id)
        }
        for (const session of sessions) insertSession(session)
        for (const { session, key, first, last } of keys)
          run('insert into keys (session, key, first, last) values (?, ?, ?, ?)', session, key, first, last)
        for (const { session, hash, since } of uses)
          run('insert into text_uses (session, hash, since) values (?, ?, ?)', session, hash, since)
        for (const { session, turn, body } of checkpoints)
          run('insert into inflight (session, turn, body) values (?, ?, ?)', session, turn, body)
        return ok(null)
      }),
    missingTexts: attempted((hashes: readonly string[]) =>
      hashes.filter(hash => row('select 1 from texts where hash = ?', hash) === undefined),
    ),
    addTexts: each(({ hash, text }) => run('insert or ignore into texts (hash, text) values (?, ?)', hash, text)),
    addUsage: (there, rows) =>
      committed(() => {
        const { many } = row<{ many: number }>('select count(*) as many from usage') ?? { many: 0 }
        if (many !== there) return err(fault('conflict', 'the usage rows there changed meanwhile'))
        for (const { session, at, day, model, input, output, cacheRead, cacheWrite, costUsd } of rows)
          run(
            `insert into usage (session, at, day, model, input, output, cache_read, cache_write, cost_usd)
             values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
            ...[session, at, day, model, input, output, cacheRead, cacheWrite, costUsd],
          )
        return ok(null)
      }),
    addReceipts: each(({ id, body }) => run('insert or ignore into receipts (id, body) values (?, ?)', id, body)),
    replaceState: ({ factors, channels, grants }) =>
      committed(() => {
        for (const table of ['factors', 'doors', 'grants']) run(`delete from ${table}`)
        for (const { model, factor } of factors) run('insert into factors (model, factor) values (?, ?)', model, factor)
        for (const { channel, key, value } of channels)
          run('insert into doors (door, key, value) values (?, ?, ?)', channel, key, value)
        for (const { id, tool, binding, session, facts, at } of grants)
          run(
            'insert into grants (id, tool, binding, session, facts, at) values (?, ?, ?, ?, ?, ?)',
            ...[id, tool, binding, session, facts, at],
          )
        return ok(null)
      }),
  }

  /** Also by a session that is being removed: its events are still there. */
  function isTaken(id: SessionId): boolean {
    return ['sessions where id', 'arriving where id', 'deleting where session'].some(
      place => row(`select 1 from ${place} = ?`, id) !== undefined,
    )
  }

  function insertSession(session: HouseSession): void {
    const { id, updatedAt, project, title, parent, family, archived, body } = session
    const { head, messages, tokens, due, voices, fence, open } = session
    run(
      `insert into sessions (id, updated_at, project, title, parent, family, archived, body, head, messages, tokens, due, voices, fence)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[id, updatedAt, project, title, parent, family, archived ? 1 : 0, body, head, messages, tokens, due, voices, fence],
    )
    for (const { turn, voice, started } of open)
      run('insert into open_turns (session, turn, voice, started) values (?, ?, ?, ?)', id, turn, voice, started)
  }
}
