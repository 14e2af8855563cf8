import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import { NO_SESSION as UNKNOWN } from '../faults.ts'
import type { OpenTurn, Standing } from '../ports.ts'
import { forked, passed, STANDING_TYPES } from '../standing.ts'
import { EVENT, type EventRow, eventOf } from './event-row.ts'
import type { AppendRequest, SqliteStore } from './store.ts'

/** A stretch of a session's events on its way to another. */
export type CopyRequest = {
  readonly from: SessionId
  readonly to: SessionId
  readonly after: number
  readonly through: number
}

/** Events of a session, in order, that follow one another in a copy from a seq on; totals go on from those before. */
export type KeepRequest = {
  readonly from: SessionId
  readonly to: SessionId
  readonly seqs: readonly number[]
  readonly before: Pick<Standing, 'head' | 'messages' | 'tokens'>
}

/** A copy that is complete and may be found from now on; `entries` end what has no end in it. */
export type ForkRequest = Pick<AppendRequest, 'entries' | 'at'> & {
  readonly from: SessionId
  /** The last seq it shares, and the seqs of what it kept beyond that. */
  readonly shared: number
  readonly kept: readonly number[]
  readonly session: Session
  readonly standing: Standing
}

/** What is done to an open file to make a fork: copied piece by piece under a name that nobody finds, and shown when it is whole. */
export type SqliteForks = {
  readonly copy: (request: CopyRequest) => Result<null, Fault>
  readonly keep: (request: KeepRequest) => Result<null, Fault>
  readonly fork: (request: ForkRequest) => Result<Session, Fault>
  /** A copy that will not be complete; what there is of it is removed later. */
  readonly abandon: (id: SessionId) => Result<null, Fault>
  /** Where a session stood at a seq, from where it stood at an earlier one. */
  readonly standingAfter: (id: SessionId, before: Standing, through: number) => Result<Standing, Fault>
  /** Turns that had no end at a seq. */
  readonly openAt: (id: SessionId, through: number) => Result<readonly OpenTurn[], Fault>
}

type Hands = {
  readonly sql: (text: string) => StatementSync
  readonly isKnown: (id: SessionId) => boolean
  readonly totals: (id: SessionId, seq: number) => Pick<Standing, 'messages' | 'tokens'>
  /** Writes down where a session stands. */
  readonly place: (id: SessionId, session: Session, standing: Standing) => void
  readonly store: () => Pick<SqliteStore, 'open' | 'append' | 'session'>
}

const STANDING = `type in (${STANDING_TYPES.map(type => `'${type}'`).join(', ')})`

export function sqliteForks({ sql, isKnown, totals, place, store }: Hands): SqliteForks {
  const run = (text: string, ...values: SQLInputValue[]): void => void sql(text).run(...values)
  return {
    copy: ({ from, to, after, through }) => {
      if (!isKnown(from)) return err(UNKNOWN)
      if (isKnown(to)) return err(fault('conflict', 'there is a session of that id already'))
      run('insert or ignore into copying values (?)', to)
      run(
        `insert into events (session, seq, at, type, turn, body, tokens, total_tokens, total_messages, begins)
         select ?, seq, at, type, turn, body, tokens, total_tokens, total_messages, begins
         from events where session = ? and seq > ? and seq <= ? order by seq`,
        ...[to, from, after, through],
      )
      return ok(null)
    },
    keep: ({ from, to, seqs, before: { head, messages, tokens } }) => {
      if (!isKnown(from)) return err(UNKNOWN)
      let totals = { tokens, messages }
      for (const [index, seq] of seqs.entries()) {
        const weight = sql('select tokens, begins as messages from events where session = ? and seq = ?').get(from, seq) as
          | typeof totals
          | undefined
        if (weight === undefined) return err(fault('store', `there is nothing at ${seq} any more`))
        totals = { tokens: totals.tokens + weight.tokens, messages: totals.messages + weight.messages }
        run(
          `insert into events (session, seq, at, type, turn, body, tokens, total_tokens, total_messages, begins)
           select ?, ?, at, type, turn, body, tokens, ?, ?, begins from events where session = ? and seq = ?`,
          ...[to, head + index + 1, totals.tokens, totals.messages, from, seq],
        )
      }
      return ok(null)
    },
    fork: ({ from, session, standing, shared, kept, entries, at }) => {
      if (!isKnown(from)) return err(UNKNOWN)
      const opened = store().open(forked(session, standing, kept.length))
      if (!opened.ok) return opened
      const { id } = session
      run(
        'insert into text_uses (session, hash, since) select ?, hash, since from text_uses where session = ? and since <= ?',
        ...[id, from, shared],
      )
      for (const seq of kept)
        run(
          'insert or ignore into text_uses (session, hash, since) select ?, hash, ? from text_uses where session = ? and since = ?',
          ...[id, shared, from, seq],
        )
      place(id, opened.value, standing)
      run('delete from copying where session = ?', id)
      const ended = entries.length === 0 ? ok(null) : store().append({ session: id, entries, at, texts: [] })
      return ended.ok ? store().session(id) : ended
    },
    abandon: id => {
      run('insert or ignore into deleting select session from copying where session = ?', id)
      run('delete from copying where session = ?', id)
      return ok(null)
    },
    standingAfter: (id, before, through) => {
      if (!isKnown(id)) return err(UNKNOWN)
      const between = sql(`select ${EVENT} from events where session = ? and seq > ? and seq <= ? and ${STANDING} order by seq`)
      let standing = before
      for (const each of between.iterate(id, before.head, through) as Iterable<EventRow>) {
        // Where everything was heard a request changes nothing, and requests are most of the bytes.
        if (each.type === 'context.planned' && standing.due.length === 0) continue
        standing = passed(standing, eventOf(id, each))
      }
      return ok({ ...standing, ...totals(id, through), head: through })
    },
    openAt: (id, through) => {
      if (!isKnown(id)) return err(UNKNOWN)
      const open = sql(
        `select turn, case when json_valid(body) then body ->> '$.voice' else '' end as voice, seq as started from events as begun
         where session = ?1 and seq <= ?2 and type in ('turn.started', 'context.planned') and type = 'turn.started'
           and not exists (
             select 1 from events as ended where ended.session = ?1 and ended.turn = begun.turn and ended.seq <= ?2
               and ended.type = 'turn.ended')
         order by seq`,
      ).all(id, through) as Omit<OpenTurn, 'session'>[]
      return ok(open.map(each => ({ ...each, session: id })))
    },
  }
}
