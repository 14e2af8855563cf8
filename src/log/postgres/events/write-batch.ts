/** Writes a batch of appends in one transaction, and judges each on its own. */

import type { Event } from '../../../model/event.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import type { EventId, SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import type { Session } from '../../../model/session.ts'
import { type AppendEntry, type AppendReport, type AppendRequest, fenceAfter, landedAt } from '../../append-rules.ts'
import { NO_SESSION } from '../../faults.ts'
import type { Standing } from '../../ports.ts'
import { sessionOfRow, standingOf } from '../../rows.ts'
import { advance, sessionAfter } from '../../standing.ts'
import type { Query } from '../database.ts'
import { encodeName } from '../encode-name.ts'
import { trackKept } from '../recall/kept.ts'
import { receiptWrites } from '../receipts.ts'
import { type IndexState, indexStateOf, SESSION_FIELDS, type StoredSession } from '../rows.ts'
import { type NeededTexts, writeTexts } from '../texts.ts'
import { usageWrites } from '../usage.ts'
import { writeTogether } from '../write-together.ts'
import { type FactRows, type IndexedFact, indexFacts } from './index-facts.ts'
import {
  checkpointWrites,
  eventWrites,
  factRowWrites,
  keptKey,
  keyWrites,
  type NewEvent,
  type NewKey,
  sessionWrites,
} from './write-rows.ts'

/** `body` is the fact as it is kept: one that cannot be written so is found before it waits with others. */
type PreparedEntry = AppendEntry & { readonly body: string }
export type PreparedAppend = AppendRequest<PreparedEntry>
export type AppendAnswer = Result<AppendReport, Fault>

/** Says that a batch has to be written one by one. */
export const TRY_ALONE: Fault = fault('conflict', 'an id or a key of this batch is known already')
/** Says that a session is locked by somebody else, or not there: its requests wait for it by themselves. */
export const LOCKED: Fault = fault('conflict', 'another node writes to this session')
const UNIQUE_VIOLATION = '23505'
const isTaken = (cause: unknown): boolean => (cause as { readonly code?: string }).code === UNIQUE_VIOLATION

/** A session while a batch is written to it. */
type Changed = {
  readonly row: StoredSession
  session: Session
  standing: Standing
  index: IndexState
  fence: number
  isChanged: boolean
}

/** What is written of one request, beside its events. */
type Written = NeededTexts & { readonly rows: Omit<FactRows, 'state'>; readonly events: readonly Event[] }

/**
 * Writes what can be written; `isCareful` looks first whether ids are known. With `skipsLocked`, one session that is locked for
 * long keeps no other one waiting. A fault as a whole undoes everything.
 */
export async function writeBatch(
  query: Query,
  requests: readonly PreparedAppend[],
  { isCareful, skipsLocked }: { readonly isCareful: boolean; readonly skipsLocked: boolean },
): Promise<Result<readonly AppendAnswer[], Fault>> {
  const ids = [...new Set(requests.map(({ session }) => session))].sort()
  const [rows, keys] = await Promise.all([
    query<StoredSession>(
      `select ${SESSION_FIELDS} from sessions where id = any($1::text[]) and import is null order by id
       for no key update ${skipsLocked ? 'skip locked' : ''}`,
      [ids],
    ),
    // After the locks: a key of the same session is either here by now, or comes after this append.
    knownKeys(query, requests),
  ])
  const sessions = new Map(
    rows.map((row): [SessionId, Changed] => [
      row.id,
      {
        row,
        session: sessionOfRow(row),
        standing: standingOf(row),
        index: indexStateOf(row),
        fence: row.fence,
        isChanged: false,
      },
    ]),
  )
  const events: NewEvent[] = []
  const newKeys: NewKey[] = []
  const written: Written[] = []
  const answers: AppendAnswer[] = []
  let needsCare = false
  for (const request of requests) {
    const changed = sessions.get(request.session)
    answers.push(changed === undefined ? err(skipsLocked ? LOCKED : NO_SESSION) : await write(request, changed))
  }
  if (needsCare) return err(TRY_ALONE)
  const touched = [...sessions.values()].filter(({ isChanged }) => isChanged)
  if (touched.length === 0) return ok(answers)
  const recorded = written.flatMap(({ events: each }) => each)
  try {
    await writeTogether(query, [
      ...eventWrites(events),
      ...keyWrites(newKeys),
      ...factRowWrites(written),
      ...usageWrites(recorded.map(fact => ({ session: fact.session, at: fact.at, fact }))),
      ...receiptWrites(recorded),
      ...checkpointWrites(recorded),
      ...sessionWrites(touched),
    ])
    await writeTexts(query, written)
  } catch (cause) {
    if (isTaken(cause)) return err(TRY_ALONE)
    throw cause
  }
  for (const { session, events: each } of written) await trackKept(query, session, each)
  return ok(answers)

  async function write(request: PreparedAppend, changed: Changed): Promise<AppendAnswer> {
    const { session: id, entries, at, expect, key, texts, fence } = request
    const highest = fenceAfter(changed.fence, fence)
    if (!highest.ok) return highest
    const fenceNow = highest.value
    const accept = (): void => {
      changed.isChanged ||= fenceNow !== changed.fence
      changed.fence = fenceNow
    }
    const known = key === undefined ? undefined : keys.get(keyIn(id, key))
    if (known !== undefined) {
      accept()
      return ok({ ...known, again: true, standing: changed.standing })
    }
    const given = entries.flatMap(({ id: one }) => one ?? [])
    const seqs = isCareful && given.length > 0 ? await seqsOf(query, id, given) : undefined
    const landed = given.length === 0 ? ok(undefined) : landedAt(given, entries.length, one => seqs?.get(encodeName(one)))
    if (!landed.ok) return landed
    if (landed.value !== undefined) {
      accept()
      return ok({ ...landed.value, again: true, standing: changed.standing })
    }
    if (expect !== undefined && expect !== changed.standing.head) {
      // It may be a second try of something that is there already.
      needsCare ||= !isCareful && given.length > 0
      return err(fault('conflict', `expected ${expect} as the last event, found ${changed.standing.head}`))
    }
    accept()
    const first = changed.standing.head + 1
    const placed: (IndexedFact & { readonly entry: PreparedEntry; readonly standing: Standing })[] = []
    for (const entry of entries) {
      const { fact, tokens, messages } = entry
      changed.standing = advance(changed.standing, fact, { tokens, messages })
      changed.session = sessionAfter(changed.session, fact, at)
      const { head: seq, voices } = changed.standing
      placed.push({ fact, seq, messages, voices, entry, standing: changed.standing })
    }
    const derived = indexFacts(changed.index, placed)
    changed.index = derived.state
    changed.isChanged = true
    for (const { fact, seq, entry, standing } of placed)
      events.push({
        session: id,
        seq,
        at,
        fact,
        body: entry.body,
        ...(entry.id === undefined ? {} : { id: entry.id }),
        ...weightOf(entry, standing),
      })
    const { standing } = changed
    if (key !== undefined) {
      newKeys.push({ session: id, key, first, last: standing.head })
      keys.set(keyIn(id, key), { first, last: standing.head })
    }
    written.push({
      session: id,
      rows: derived,
      texts,
      since: first,
      events: placed.map(({ fact, seq, entry }) => ({ ...fact, session: id, seq, at, tokens: entry.tokens }) as Event),
    })
    return ok({ first, last: standing.head, again: false, standing })
  }
}

const weightOf = (
  { tokens, messages }: PreparedEntry,
  standing: Standing,
): Pick<NewEvent, 'tokens' | 'begins' | 'totalTokens' | 'totalMessages'> => ({
  tokens,
  begins: messages,
  totalTokens: standing.tokens,
  totalMessages: standing.messages,
})

const keyIn = (session: SessionId, key: string): string => `${session} ${keptKey(key)}`

async function knownKeys(
  query: Query,
  requests: readonly PreparedAppend[],
): Promise<Map<string, { readonly first: number; readonly last: number }>> {
  const wanted = requests.flatMap(({ session, key }) => (key === undefined ? [] : [{ session, key }]))
  if (wanted.length === 0) return new Map()
  const found = await query<{ session: SessionId; key: string; first: number; last: number }>(
    `select session, key, first, last from keys
     where session = any($1::text[]) and (session, key) in (select * from unnest($1::text[], $2::text[]))`,
    [wanted.map(({ session }) => session), wanted.map(({ key }) => keptKey(key))],
  )
  return new Map(found.map(({ session, key, first, last }) => [`${session} ${key}`, { first, last }]))
}

/** The seqs of ids that are there, by the ids as they are kept. */
async function seqsOf(query: Query, session: SessionId, ids: readonly EventId[]): Promise<ReadonlyMap<string, number>> {
  const found = await query<{ event_id: string; seq: number }>(
    'select event_id, seq from events where session = $1 and event_id = any($2::text[])',
    [session, ids.map(encodeName)],
  )
  return new Map(found.map(({ event_id, seq }) => [event_id, seq]))
}
