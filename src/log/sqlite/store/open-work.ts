/** Keeps which turns are open and what their replies have said so far, and finds sessions that wait for an answer. */

import { type Fact, parseFact } from '../../../model/event.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { NO_SESSION } from '../../faults.ts'
import type { Checkpoint, OpenTurn } from '../../ports.ts'
import type { Tables } from './rows.ts'

export type SqliteOpenWork = {
  readonly checkpoint: (id: SessionId, checkpoint: Checkpoint) => Result<null, Fault>
  readonly checkpoints: (id: SessionId) => Result<readonly Checkpoint[], Fault>
  readonly openTurns: () => Result<readonly OpenTurn[], Fault>
  readonly waiting: () => Result<readonly SessionId[], Fault>
}

export function sqliteOpenWork({ rows, run, isKnown }: Tables): SqliteOpenWork {
  return {
    checkpoint: (id, checkpoint) => {
      if (!isKnown(id)) return err(NO_SESSION)
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
      return ok(kept.flatMap(({ body }) => checkpointOf(body)))
    },
    openTurns: () => {
      const open = rows<OpenTurn>('select session, turn, voice, started from open_turns order by session, started')
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

/** A checkpoint has the form of a reply; a damaged one counts as none. */
function checkpointOf(body: string): Checkpoint[] {
  const fact = parseFact('reply.finished', body)
  return !('why' in fact) && fact.type === 'reply.finished' ? [{ turn: fact.turn, step: fact.step, parts: fact.parts }] : []
}
