/** Appends facts to a session in the database, and reads its events and requests. */

import type { Recorded } from '../../../model/event.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import type { EventId, SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import type { Session } from '../../../model/session.ts'
import type { VoiceId } from '../../../model/voice.ts'
import { type AppendReport, type AppendRequest, fenceAfter, landedAt } from '../../append-rules.ts'
import { NO_SESSION } from '../../faults.ts'
import { CONVERSATION, takeCharacters } from '../../page-size.ts'
import type { Planned, ReadRange, RequestRange, Standing, VoiceCounts } from '../../ports.ts'
import { EVENT, type EventRow, eventOf, sessionOfRow, standingOf } from '../../rows.ts'
import { advance, sessionAfter } from '../../standing.ts'
import { trackTurn } from './open-work.ts'
import { requestsIn } from './past.ts'
import { INSERT_EVENT, type Tables } from './rows.ts'
import { saveSession } from './sessions.ts'
import { keepTexts } from './texts.ts'
import { countUse } from './usage.ts'

export type SqliteEvents = {
  readonly append: (request: AppendRequest) => Result<AppendReport, Fault>
  /** `isAll` is false where the page ended by its size. */
  readonly read: (id: SessionId, range: ReadRange) => Result<{ events: readonly Recorded[]; isAll: boolean }, Fault>
  readonly planned: (id: SessionId, most: number, range?: RequestRange) => Result<readonly Planned[], Fault>
  readonly voiceAt: (id: SessionId, voice: VoiceId, through: number) => Result<VoiceCounts, Fault>
  readonly standing: (id: SessionId) => Result<Standing, Fault>
}

const ONLY: Readonly<Record<NonNullable<ReadRange['only']>, string>> = {
  'message.marked': "and type = 'message.marked'",
  'history.folded': "and type = 'history.folded'",
  // The index on these types is only used by a query that names them both.
  'turn.started': "and type in ('turn.started', 'context.planned') and type = 'turn.started'",
  'context.planned': "and type in ('turn.started', 'context.planned') and type = 'context.planned'",
  conversation: `and type in (${CONVERSATION.map(type => `'${type}'`).join()})`,
}

export function sqliteEvents(tables: Tables): SqliteEvents {
  const { sql, row, run, sessionRow, isKnown } = tables
  const byKey = (session: SessionId, key: string): { first: number; last: number } | undefined =>
    row('select first, last from keys where session = ? and key = ?', ...[session, JSON.stringify(key)])
  const seqOf = (session: SessionId, id: EventId): number | undefined =>
    row<{ seq: number }>('select seq from events where session = ? and event_id = ?', session, id)?.seq

  return {
    append: ({ session, entries, at, expect, key, texts, fence }) => {
      const before = sessionRow(session)
      if (before === undefined) return err(NO_SESSION)
      const highest = fenceAfter(before.fence, fence)
      if (!highest.ok) return highest
      // Kept only if the append is accepted: one that is refused is undone as a whole.
      if (highest.value !== before.fence) run('update sessions set fence = ? where id = ?', highest.value, session)
      const earlier = key === undefined ? undefined : byKey(session, key)
      if (earlier !== undefined) return ok({ ...earlier, again: true, standing: standingOf(before) })
      const ids = entries.flatMap(({ id }) => id ?? [])
      const landed = ids.length === 0 ? ok(undefined) : landedAt(ids, entries.length, id => seqOf(session, id))
      if (!landed.ok) return landed
      if (landed.value !== undefined) return ok({ ...landed.value, again: true, standing: standingOf(before) })
      if (expect !== undefined && expect !== before.head) {
        return err(fault('conflict', `expected ${expect} as the last event, found ${before.head}`))
      }
      let standing: Standing = standingOf(before)
      let current: Session = sessionOfRow(before)
      for (const { fact, id = null, tokens, messages } of entries) {
        standing = advance(standing, fact, { tokens, messages })
        current = sessionAfter(current, fact, at)
        const { type, ...body } = fact
        const turn = 'turn' in fact ? fact.turn : null
        run(
          INSERT_EVENT,
          ...[session, standing.head, at, type, turn, JSON.stringify(body), tokens, standing.tokens, standing.messages, messages],
          id,
        )
        trackTurn(tables, session, fact, standing.head)
        countUse(tables, session, fact, at)
      }
      keepTexts(tables, session, texts, before.head + 1)
      if (key !== undefined) {
        run('insert into keys values (?, ?, ?, ?)', session, JSON.stringify(key), before.head + 1, standing.head)
      }
      saveSession(tables, session, current, standing)
      return ok({ first: before.head + 1, last: standing.head, again: false, standing })
    },
    read: (id, { after = 0, through = Number.MAX_SAFE_INTEGER, limit = -1, size, newest = false, only, seqs, turn }) => {
      if (!isKnown(id)) return err(NO_SESSION)
      const type = only === undefined ? '' : ONLY[only]
      const also = [
        ...(turn === undefined ? [] : [{ where: 'and turn = ?', value: turn }]),
        ...(seqs === undefined ? [] : [{ where: 'and seq in (select value from json_each(?))', value: JSON.stringify(seqs) }]),
      ]
      const found = sql(
        `select ${EVENT} from events where session = ? and seq > ? and seq <= ? ${type} ${also.map(({ where }) => where).join(' ')}
         order by seq ${newest ? 'desc' : ''} limit ?`,
      ).iterate(...[id, after, through, ...also.map(({ value }) => value), limit]) as IterableIterator<EventRow>
      const { taken, isAll } = takeCharacters(size, found, ({ body }) => body.length)
      return ok({ events: (newest ? taken.toReversed() : taken).map(each => eventOf(id, each)), isAll })
    },
    planned: (id, most, range = {}) => (isKnown(id) ? ok([...requestsIn(tables, id, most, range)]) : err(NO_SESSION)),
    voiceAt: (id, voice, through) => {
      if (!isKnown(id)) return err(NO_SESSION)
      const found = row<VoiceCounts>(
        'select turns, answers from voice_counts where session = ? and voice = ? and seq <= ? order by seq desc limit 1',
        ...[id, voice, through],
      )
      return ok(found === undefined ? { turns: 0, answers: 0 } : { ...found })
    },
    standing: id => {
      const found = sessionRow(id)
      return found === undefined ? err(NO_SESSION) : ok(standingOf(found))
    },
  }
}
