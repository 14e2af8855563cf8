/** Copies the beginning of a session into a fork, and shows the fork when it is complete. */

import { type Fault, fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import type { Session } from '../../../model/session.ts'
import type { AppendRequest } from '../../append-rules.ts'
import { NO_SESSION } from '../../faults.ts'
import type { OpenTurn, Standing } from '../../ports.ts'
import { EVENT, type EventRow, eventOf } from '../../rows.ts'
import { forkedSession, STANDING_TYPES, standingAfter } from '../../standing.ts'
import type { SqliteEvents } from './events.ts'
import type { Tables } from './rows.ts'
import { type SqliteSessions, saveSession } from './sessions.ts'

/** A range of a session's events to copy into another. */
export type CopyRequest = {
  readonly from: SessionId
  readonly to: SessionId
  readonly after: number
  readonly through: number
}

/** Events of a session, in order, to add to the end of a copy; its totals go on from `before`. */
export type KeepRequest = {
  readonly from: SessionId
  readonly to: SessionId
  readonly seqs: readonly number[]
  readonly before: Pick<Standing, 'head' | 'messages' | 'tokens'>
}

/** A complete copy to publish; `entries` end its open turns. */
export type ForkRequest = Pick<AppendRequest, 'entries' | 'at'> & {
  readonly from: SessionId
  /** The last seq it shares, and the seqs of what it kept beyond that. */
  readonly shared: number
  readonly kept: readonly number[]
  readonly session: Session
  readonly standing: Standing
}

/** A fork is copied piece by piece under an id that cannot be found yet, and shown when it is complete. */
export type SqliteForks = {
  readonly copy: (request: CopyRequest) => Result<null, Fault>
  readonly keep: (request: KeepRequest) => Result<null, Fault>
  readonly fork: (request: ForkRequest) => Result<Session, Fault>
  /** Gives up a copy. The events copied so far are removed later. */
  readonly abandon: (id: SessionId) => Result<null, Fault>
  /** The standing of a session at a seq, computed from its standing at an earlier one. */
  readonly standingAt: (id: SessionId, before: Standing, through: number) => Result<Standing, Fault>
  /** Turns that had no end at a seq. */
  readonly openAt: (id: SessionId, through: number) => Result<readonly OpenTurn[], Fault>
}

const STANDING = `type in (${STANDING_TYPES.map(type => `'${type}'`).join(', ')})`

export function sqliteForks(
  tables: Tables,
  { open, session: sessionOf, append }: Pick<SqliteSessions & SqliteEvents, 'open' | 'session' | 'append'>,
): SqliteForks {
  const { sql, run, isKnown, totalsAt } = tables
  return {
    copy: ({ from, to, after, through }) => {
      if (!isKnown(from)) return err(NO_SESSION)
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
      if (!isKnown(from)) return err(NO_SESSION)
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
      if (!isKnown(from)) return err(NO_SESSION)
      const opened = open(forkedSession(session, standing, kept.length))
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
      saveSession(tables, id, opened.value, standing)
      run('delete from copying where session = ?', id)
      const ended = entries.length === 0 ? ok(null) : append({ session: id, entries, at, texts: [] })
      return ended.ok ? sessionOf(id) : ended
    },
    abandon: id => {
      run('insert or ignore into deleting select session from copying where session = ?', id)
      run('delete from copying where session = ?', id)
      return ok(null)
    },
    standingAt: (id, before, through) => {
      if (!isKnown(id)) return err(NO_SESSION)
      const between = sql(`select ${EVENT} from events where session = ? and seq > ? and seq <= ? and ${STANDING} order by seq`)
      let standing = before
      for (const each of between.iterate(id, before.head, through) as Iterable<EventRow>) {
        // When nothing is due a request changes nothing, and requests are most of the bytes.
        if (each.type === 'context.planned' && standing.due.length === 0) continue
        standing = standingAfter(standing, eventOf(id, each))
      }
      return ok({ ...standing, ...totalsAt(id, through), head: through })
    },
    openAt: (id, through) => {
      if (!isKnown(id)) return err(NO_SESSION)
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
