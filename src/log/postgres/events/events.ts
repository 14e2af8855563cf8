/** Reads the events and requests of sessions, and appends through the appender. */

import type { Event, Fact, Recorded } from '../../../model/event.ts'
import type { Fault } from '../../../model/fault.ts'
import type { EventId, SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import type { VoiceId } from '../../../model/voice.ts'
import { fenceAfter, landedAt } from '../../append-rules.ts'
import { NO_SESSION } from '../../faults.ts'
import { CONVERSATION, PAGE_CHARACTERS } from '../../page-size.ts'
import type {
  Appended,
  AppendOptions,
  Clock,
  EventLog,
  Planned,
  ReadRange,
  RequestRange,
  VoiceCounts,
  Weigh,
} from '../../ports.ts'
import type { Database, Query } from '../database.ts'
import { encodeName } from '../encode-name.ts'
import { EVENT, type EventRow, eventOf, hasSession, sessionRow, standingOf } from '../rows.ts'
import type { Appender } from './append.ts'
import type { JustWritten } from './just-written.ts'
import { bodyOf } from './write-rows.ts'

type Events = Pick<EventLog, 'append' | 'read' | 'standing' | 'planned' | 'voiceAt'>

const ONLY: Readonly<Record<NonNullable<ReadRange['only']>, string>> = {
  'message.marked': "and type = 'message.marked'",
  'history.folded': "and type = 'history.folded'",
  'turn.started': "and type = 'turn.started'",
  'context.planned': "and type = 'context.planned'",
  conversation: `and type in (${CONVERSATION.map(type => `'${type}'`).join()})`,
}

/** What one question gives at most; more comes with the next. */
const MOST_ROWS = 2000

export function postgresEvents(
  db: Database,
  {
    append: write,
    justWritten,
    clock,
    weigh,
  }: { readonly append: Appender; readonly justWritten: JustWritten; readonly clock: Clock; readonly weigh: Weigh },
): Events {
  const read: Events['read'] = async (id, range = {}) => {
    const known = justWritten.read(id, range)
    return known === undefined ? db.attempt(query => eventsIn(query, id, range)) : ok(known)
  }

  return {
    append: async (session, facts, options = {}) => {
      const at = new Date(clock()).toISOString()
      const { expect, key, ids, texts = [], fence } = options
      if (ids !== undefined && ids.length !== facts.length) throw new Error(`${facts.length} facts with ${ids.length} ids`)
      // What no store could write is a bug of the caller, and is thrown before it waits with others.
      fenceAfter(0, fence)
      if (ids !== undefined) landedAt(ids, facts.length, () => undefined)
      const entries = facts.map((fact, index) => ({ fact, body: bodyOf(fact), ...weigh(fact), ...idAt(ids, index) }))
      const report = await write({ session, entries, at, texts, ...given({ expect, key, fence }) })
      if (!report.ok) return report
      const { first, last, again, standing } = report.value
      if (!again) {
        justWritten.keep(
          session,
          entries.map(({ fact, body, tokens, messages }, index) => ({
            ...{ seq: first + index, at, type: fact.type, body, tokens, begins: messages },
          })),
        )
        return ok({ events: writtenEvents(session, first, at, entries), again, standing })
      }
      const there = await read(session, { after: first - 1, through: last })
      return there.ok ? ok({ events: there.value, again, standing }) : there
    },
    read,
    standing: id =>
      db.attempt(async query => {
        const found = await sessionRow(query, id)
        return found === undefined ? err(NO_SESSION) : ok(standingOf(found))
      }),
    planned: (id, most, range = {}) =>
      db.attempt(async query => {
        const [known, found] = await Promise.all([hasSession(query, id), requestRows(query, id, most, range)])
        return known ? ok(found) : err(NO_SESSION)
      }),
    voiceAt: (id, voice, through) => db.attempt(query => voiceAt(query, id, voice, through)),
  }
}

type Conditions = Pick<AppendOptions, 'expect' | 'key' | 'fence'>

const given = ({ expect, key, fence }: { readonly [Name in keyof Conditions]: Conditions[Name] | undefined }): Conditions => ({
  ...(expect === undefined ? {} : { expect }),
  ...(key === undefined ? {} : { key }),
  ...(fence === undefined ? {} : { fence }),
})

const idAt = (ids: readonly EventId[] | undefined, index: number): { readonly id?: EventId } => {
  const id = ids?.[index]
  return id === undefined ? {} : { id }
}

const writtenEvents = (
  session: SessionId,
  first: number,
  at: string,
  entries: readonly { readonly fact: Fact; readonly tokens: number }[],
): Appended['events'] => entries.map(({ fact, tokens }, index) => ({ ...fact, session, seq: first + index, at, tokens }) as Event)

/** Events of a range, in pages, so that no answer is too long at once. A range with a size of its own is one page. */
export async function eventsIn(query: Query, id: SessionId, range: ReadRange): Promise<Result<readonly Recorded[], Fault>> {
  const known = hasSession(query, id)
  const { newest = false } = range
  const pieces: (readonly Recorded[])[] = []
  let { after = 0, through = Number.MAX_SAFE_INTEGER, limit = Number.MAX_SAFE_INTEGER } = range
  for (;;) {
    const size = range.size ?? PAGE_CHARACTERS
    const [isThere, page] = await Promise.all([
      known,
      pageOf(query, id, { ...range, after, through }, Math.min(limit, MOST_ROWS), size),
    ])
    if (!isThere) return err(NO_SESSION)
    pieces.push(page.events)
    limit -= page.events.length
    if ((range.size !== undefined && page.isFull) || page.isAll || limit <= 0) break
    if (newest) through = (page.events[0]?.seq ?? 1) - 1
    else after = page.events.at(-1)?.seq ?? 0
  }
  return ok((newest ? pieces.reverse() : pieces).flat())
}

async function pageOf(
  query: Query,
  id: SessionId,
  { after = 0, through = Number.MAX_SAFE_INTEGER, newest = false, only, seqs, turn }: ReadRange,
  limit: number,
  size: number,
): Promise<{ readonly events: readonly Recorded[]; readonly isAll: boolean; readonly isFull: boolean }> {
  const values: unknown[] = [id, after, through, limit, size]
  const also = [only === undefined ? '' : ONLY[only]]
  if (turn !== undefined) also.push(`and turn = $${values.push(encodeName(turn))}`)
  // No event has a seq that is not a whole number, and the database takes no others.
  if (seqs !== undefined) also.push(`and seq = any($${values.push(seqs.filter(Number.isSafeInteger))}::bigint[])`)
  const order = newest ? 'desc' : 'asc'
  const found = await query<EventRow>(
    `select ${EVENT} from (
       select ${EVENT}, sum(length(body)) over (order by seq ${order}) - length(body) as before from (
         select ${EVENT} from events where session = $1 and seq > $2 and seq <= $3 ${also.join(' ')} order by seq ${order} limit $4
       ) as wanted) as sized
     where before < $5 order by seq`,
    values,
  )
  const characters = found.reduce((sum, { body }) => sum + body.length, 0)
  const isFull = characters >= size
  return { events: found.map(each => eventOf(id, each)), isAll: found.length < limit && !isFull, isFull }
}

/** Requests with these words in them: to parse a request only to find that it has another policy takes long. */
export async function requestRows(
  query: Query,
  id: SessionId,
  most: number,
  { voice, after = 0, before = Number.MAX_SAFE_INTEGER, oldestFirst = false }: RequestRange,
  words?: string,
): Promise<readonly Planned[]> {
  const values: unknown[] = [id, after, before, most]
  const whose = voice === undefined ? '' : `and voice = $${values.push(encodeName(voice))}`
  const having = words === undefined ? '' : `where position($${values.push(words)} in body) > 0`
  const found = await query<EventRow>(
    `select ${EVENT} from (
       select ${EVENT} from events where session = $1 and seq > $2 and seq < $3 and type = 'context.planned' ${whose}
       order by seq ${oldestFirst ? 'asc' : 'desc'} limit $4) as planned ${having} order by seq ${oldestFirst ? 'asc' : 'desc'}`,
    values,
  )
  return found.flatMap(each => {
    const event = eventOf(id, each)
    return event.type === 'context.planned' ? [event] : []
  })
}

async function voiceAt(query: Query, id: SessionId, voice: VoiceId, through: number): Promise<Result<VoiceCounts, Fault>> {
  const [known, [found]] = await Promise.all([
    hasSession(query, id),
    query<VoiceCounts>(
      'select turns, answers from voice_counts where session = $1 and voice = $2 and seq <= $3 order by seq desc limit 1',
      [id, encodeName(voice), through],
    ),
  ])
  return known ? ok(found ?? { turns: 0, answers: 0 }) : err(NO_SESSION)
}
