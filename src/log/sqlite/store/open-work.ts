/** Keeps which turns are open and what their replies have said so far, and finds sessions that wait for an answer. */

import type { Fact } from '../../../model/event.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { fenceAfter } from '../../append-rules.ts'
import { NO_SESSION } from '../../faults.ts'
import type { Checkpoint, OpenTurn } from '../../ports.ts'
import { checkpointOfBody } from '../../stored-bodies.ts'
import type { Tables } from './rows.ts'

export type SqliteOpenWork = {
  readonly checkpoint: (id: SessionId, checkpoint: Checkpoint, fence?: number) => Result<null, Fault>
  readonly checkpoints: (id: SessionId) => Result<readonly Checkpoint[], Fault>
  readonly openTurns: (session?: SessionId) => Result<readonly OpenTurn[], Fault>
  readonly waiting: () => Result<readonly SessionId[], Fault>
}

export function sqliteOpenWork({ rows, run, isKnown }: Tables): SqliteOpenWork {
  return {
    checkpoint: (id, checkpoint, fence) => {
      const [session] = rows<{ fence: number }>('select fence from sessions where id = ?', id)
      if (session === undefined || !isKnown(id)) return err(NO_SESSION)
      const highest = fenceAfter(session.fence, fence)
      if (!highest.ok) return highest
      // Late checkpoints of a reply that is over must not come back to life.
      run(
        `insert into inflight select session, turn, ?1 from open_turns where session = ?2 and turn = ?3 and not exists (
           select 1 from events where session = ?2 and turn = ?3 and type in ('reply.finished', 'reply.broken')
             and case when json_valid(body) then body ->> '$.step' end >= ?4)
         on conflict do update set body = excluded.body`,
        ...[JSON.stringify(checkpoint), id, checkpoint.turn, checkpoint.step],
      )
      return ok(null)
    },
    checkpoints: id => {
      if (!isKnown(id)) return err(NO_SESSION)
      const kept = rows<{ body: string }>('select body from inflight where session = ? order by turn', id)
      return ok(kept.flatMap(({ body }) => checkpointOfBody(body) ?? []))
    },
    openTurns: session => {
      const [where, values] = session === undefined ? ['', []] : ['where session = ?', [session]]
      const open = rows<OpenTurn>(
        `select session, turn, voice, started from open_turns ${where} order by session, started`,
        ...values,
      )
      return ok(open.map(each => ({ ...each })))
    },
    waiting: () => ok(rows<{ id: SessionId }>(`select id from findable where due <> '[]'`).map(({ id }) => id)),
  }
}

/** Follows the turns of a session: a fact may open one, end one, or make its checkpoint needless. */
export function trackTurn({ run }: Pick<Tables, 'run'>, session: SessionId, fact: Fact, seq: number): void {
  if (fact.type === 'turn.started') run('insert into open_turns values (?, ?, ?, ?)', session, fact.turn, fact.voice, seq)
  if (fact.type === 'turn.ended') run('delete from open_turns where session = ? and turn = ?', session, fact.turn)
  if (fact.type === 'reply.finished' || fact.type === 'reply.broken' || fact.type === 'turn.ended') {
    run('delete from inflight where session = ? and turn = ?', session, fact.turn)
  }
}
