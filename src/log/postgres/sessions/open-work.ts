/** Keeps what running replies have said so far, and finds turns without an end and sessions that wait for an answer. */

import type { SessionId } from '../../../model/ids.ts'
import { err, mapResult, ok } from '../../../model/result.ts'
import { fenceAfter } from '../../append-rules.ts'
import { NO_SESSION } from '../../faults.ts'
import type { Checkpoints, OpenTurn, OpenWork } from '../../ports.ts'
import { checkpointOfBody } from '../../stored-bodies.ts'
import type { Database } from '../database.ts'
import { encodeName } from '../encode-name.ts'
import { hasSession, indexStateOf, type StoredSession, sessionRow } from '../rows.ts'

export function postgresOpenWork(db: Database): OpenWork & Checkpoints {
  return {
    checkpoint: (id, checkpoint, fence) =>
      db.attempt(async query => {
        const { turn, step } = checkpoint
        // Late checkpoints of a reply that is over must not come back to life.
        const kept = await query(
          `insert into checkpoints (session, turn, step, body)
           select $1, $2, $3, $4 where exists (
             select 1 from findable where id = $1 and ($5::bigint is null or fence <= $5)) and exists (
             select 1 from events where session = $1 and turn = $2 and type = 'turn.started')
           and not exists (select 1 from events where session = $1 and turn = $2 and type = 'turn.ended')
           and not exists (
             select 1 from events where session = $1 and turn = $2 and type in ('reply.finished', 'reply.broken')
               and step >= $3)
           on conflict (session, turn) do update set step = excluded.step, body = excluded.body
             where checkpoints.step <= excluded.step
           returning 1`,
          [id, encodeName(turn), step, JSON.stringify(checkpoint), fence ?? null],
        )
        if (kept.length > 0) return ok(null)
        const [session] = await query<{ fence: number }>('select fence from findable where id = $1', [id])
        return session === undefined ? err(NO_SESSION) : mapResult(fenceAfter(session.fence, fence), () => null)
      }),
    checkpoints: id =>
      db.attempt(async query => {
        if (!(await hasSession(query, id))) return err(NO_SESSION)
        const kept = await query<{ body: string }>('select body from checkpoints where session = $1 order by turn', [id])
        return ok(kept.flatMap(({ body }) => checkpointOfBody(body) ?? []))
      }),
    openTurns: session =>
      db.attempt(async query => {
        if (session !== undefined) {
          const row = await sessionRow(query, session)
          return ok(row === undefined ? [] : openTurnsOf(row))
        }
        const found = await query<Pick<StoredSession, 'id' | 'turns' | 'speakers'>>(
          `select id, turns, speakers from findable where turns <> '{}' order by id`,
        )
        return ok(found.flatMap(openTurnsOf))
      }),
    waiting: () =>
      db.attempt(async query => {
        const found = await query<{ id: SessionId }>(`select id from findable where due <> '[]' order by id`)
        return ok(found.map(({ id }) => id))
      }),
  }
}

function openTurnsOf(row: Pick<StoredSession, 'id' | 'turns' | 'speakers'>): readonly OpenTurn[] {
  const { turns } = indexStateOf(row)
  return Object.entries(turns)
    .map(([turn, { voice, started }]) => ({ session: row.id, turn, voice, started }) as OpenTurn)
    .sort((a, b) => a.started - b.started)
}
