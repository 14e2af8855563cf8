import type { Event, Fact, Recorded } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { EventId, ReceiptId, SessionId, TurnId } from '../../model/ids.ts'
import type { Receipt } from '../../model/receipt.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Session, SessionHit } from '../../model/session.ts'
import { readCursor, writeCursor } from '../cursor.ts'
import { DRY_RUN, NO_RECEIPT, NO_SESSION } from '../faults.ts'

import { landedAt } from '../landed-ids.ts'
import { within } from '../piece.ts'
import type { Appended, Checkpoint, Clock, KeptText, Log, Past, Planned, SessionQuery, Standing, Weigh } from '../ports.ts'
import { ASIDE_TYPES, pastOf, type Shelf, type Trace } from '../session-index.ts'
import { holdsWords, searchable, searchTerms, snippet } from '../snippet.ts'
import { advance, beyondEnd, changed, dueIn, forked, inOrder, NOTHING_YET, passed } from '../standing.ts'
import { type Used, usageRows, usedBy } from '../usage-rows.ts'
import { memoryGrants } from './memory-grants.ts'
import { memoryBringing } from './memory-import.ts'

export type Row = {
  session: Session
  standing: Standing
  events: Event[]
  /** Running totals, one beside each event. */
  messages: number[]
  tokens: number[]
  keys: Map<string, { first: number; last: number }>
  /** Where the facts are that their writers gave an id. */
  ids: Map<EventId, number>
  /** With the seq that first needed each. */
  texts: Map<string, { readonly text: string; readonly since: number }>
  checkpoints: Map<TurnId, Checkpoint>
}

/** A log that lives as long as its process: for tests, examples and talks nobody wants kept. */
export function memoryLog({ clock, weigh }: { readonly clock: Clock; readonly weigh: Weigh }): Log {
  const rows = new Map<SessionId, Row>()
  const arriving = new Set<SessionId>()
  const isTaken = (id: SessionId): boolean => rows.has(id) || arriving.has(id)
  const factors = new Map<string, number>()
  const receipts = new Map<ReceiptId, Receipt>()
  const doors = new Map<string, Map<string, string>>()
  const { grants, forget } = memoryGrants(clock, id => rows.has(id))
  const used: { session: SessionId | ''; readonly what: Used }[] = []
  const unknown = (): { ok: false; fault: Fault } => err(NO_SESSION)
  const withRow = async <Value>(id: SessionId, use: (row: Row) => Result<Value, Fault>): Promise<Result<Value, Fault>> => {
    const row = rows.get(id)
    return row === undefined ? unknown() : use(row)
  }
  const shown = (row: Row): Session => ({ ...row.session, messages: row.standing.messages })

  /** Writes facts down; each is copied before anything changes, so that one that cannot be leaves nothing behind. */
  const write = (row: Row, facts: readonly Fact[], texts: readonly KeptText[] = []): void => {
    const { id } = row.session
    const at = new Date(clock()).toISOString()
    const since = row.standing.head + 1
    const entries = structuredClone(facts).map(fact => ({ fact, weight: weigh(fact) }))
    for (const { fact, weight } of entries) {
      row.standing = advance(row.standing, fact, weight)
      row.session = changed(row.session, fact, at)
      row.events.push({ ...fact, session: id, seq: row.standing.head, at, tokens: weight.tokens })
      row.messages.push(row.standing.messages)
      row.tokens.push(row.standing.tokens)
      const what = usedBy(fact, at)
      if (what !== undefined) used.push({ session: id, what })
      if (fact.type === 'reply.finished' || fact.type === 'reply.broken' || fact.type === 'turn.ended') {
        row.checkpoints.delete(fact.turn)
      }
    }
    for (const { hash, text } of texts) if (!row.texts.has(hash)) row.texts.set(hash, { text, since })
  }

  /** A fork takes over what turns did that were running where it left, with its times and under its own seqs. */
  const keep = (copy: Row, { texts }: Row, kept: readonly Event[]): void => {
    const at = copy.standing.head
    for (const event of kept) {
      copy.standing = advance(copy.standing, event, { tokens: event.tokens, messages: weigh(event).messages })
      copy.events.push({ ...event, session: copy.session.id, seq: copy.standing.head })
      copy.messages.push(copy.standing.messages)
      copy.tokens.push(copy.standing.tokens)
      for (const [hash, { text, since }] of texts) if (since === event.seq) copy.texts.set(hash, { text, since: at })
    }
    copy.session = forked(copy.session, copy.standing, kept.length)
  }

  return {
    open: async session => {
      if (isTaken(session.id)) return err(fault('conflict', 'there is a session of that id already'))
      rows.set(session.id, emptyRow(session))
      return ok(session)
    },
    session: id => withRow(id, row => ok(shown(row))),
    sessions: async ({ query, cursor, limit, ...wanted }) => {
      const start = cursor === undefined ? ok(undefined) : readCursor(cursor)
      if (!start.ok) return start
      const terms = query === undefined ? [] : searchTerms(query)
      const hits = [...rows.values()]
        .filter(row => isWanted(row.session, wanted))
        .flatMap(row => (query === undefined ? [shown(row)] : hit(row, shown(row), terms)))
        .sort(newestFirst)
        .filter(item => start.value === undefined || newestFirst(start.value, item) < 0)
      const items = hits.slice(0, limit)
      const last = items.at(-1)
      return ok({ items, next: hits.length > items.length && last !== undefined ? writeCursor(last) : null })
    },
    fork: (from, at, session, closing, keeping) =>
      withRow<Session>(from, row => {
        if (isTaken(session.id)) return err(fault('conflict', 'there is a session of that id already'))
        if (at > row.standing.head) return err(beyondEnd(at, row.standing.head))
        const copy = copyOf(row, at, session)
        const ofTurn = ({ events }: Row, turn: TurnId): readonly Event[] =>
          events.filter(event => 'turn' in event && event.turn === turn)
        keep(
          copy,
          row,
          inOrder(keeping === undefined ? [] : openTurnsOf(copy).map(open => keeping(open, ofTurn(row, open.turn)))),
        )
        rows.set(session.id, copy)
        for (const open of openTurnsOf(copy)) write(copy, closing(open, ofTurn(copy, open.turn)))
        return ok(shown(copy))
      }),
    startImport: async () => ok(memoryBringing({ clock, weigh, rows, arriving })),
    remove: id =>
      withRow(id, () => {
        rows.delete(id)
        forget(id)
        for (const each of used) if (each.session === id) each.session = ''
        return ok(null)
      }),

    append: (id, facts, { expect, key, ids = [], texts = [] } = {}) =>
      withRow<Appended>(id, row => {
        const earlier = key === undefined ? undefined : row.keys.get(key)
        const landed = ids.length === 0 ? ok(undefined) : landedAt(ids, facts.length, each => row.ids.get(each))
        if (!landed.ok) return landed
        const known = earlier ?? landed.value
        if (known !== undefined) {
          return ok({ events: row.events.slice(known.first - 1, known.last), again: true, standing: row.standing })
        }
        if (expect !== undefined && expect !== row.standing.head) {
          return err(fault('conflict', `expected ${expect} as the last event, found ${row.standing.head}`))
        }
        const first = row.standing.head + 1
        write(row, facts, texts)
        if (key !== undefined) row.keys.set(key, { first, last: row.standing.head })
        for (const [index, each] of ids.entries()) row.ids.set(each, first + index)
        return ok({ events: row.events.slice(first - 1), again: false, standing: row.standing })
      }),
    read: (
      id,
      { after = 0, through = Number.POSITIVE_INFINITY, limit = Number.POSITIVE_INFINITY, size, newest = false, only, turn } = {},
    ) =>
      withRow(id, row => {
        const wanted = (event: Event): boolean =>
          (only === undefined || event.type === only) && (turn === undefined || ('turn' in event && event.turn === turn))
        const range = row.events.slice(Math.max(0, after), Math.max(0, through))
        const found = only === undefined && turn === undefined ? range : range.filter(wanted)
        const page = newest ? found.slice(Math.max(0, found.length - limit)) : found.slice(0, limit)
        return ok(size === undefined ? page : withinSize(page, newest, size))
      }),
    past: (id, want) => withRow<Past>(id, row => ok(pastOf(shelfOf(row, weigh), want))),
    planned: (id, most) => withRow(id, row => ok(plannedIn(row.events).slice(0, most))),
    factors: async () => ok(new Map(factors)),
    learn: async (model, factor) => {
      factors.set(model, factor)
      return ok(null)
    },
    usage: async ({ session, since = '' }) => {
      if (session !== undefined && !rows.has(session)) return unknown()
      const wanted = used.filter(each => (session === undefined || each.session === session) && each.what.at >= since)
      return ok(usageRows(wanted.map(({ what }) => what)))
    },
    standing: id => withRow(id, row => ok(row.standing)),
    texts: async hashes => {
      const kept = [...rows.values()].map(row => row.texts)
      return ok(new Map(hashes.flatMap(hash => entry(hash, kept.find(texts => texts.has(hash))?.get(hash)?.text))))
    },
    textsOf: (id, after, limit) =>
      withRow(id, ({ texts }) => {
        const hashes = [...texts.keys()].filter(hash => hash > after).sort()
        return ok(hashes.slice(0, limit).map(hash => ({ hash, text: texts.get(hash)?.text ?? '' })))
      }),

    account: async (receipt, reply) => {
      if (receipt.id === null) return err(DRY_RUN)
      receipts.set(receipt.id, structuredClone(receipt))
      const what = reply === undefined ? undefined : usedBy(reply, new Date(clock()).toISOString())
      if (what !== undefined) used.push({ session: '', what })
      return ok(null)
    },
    receipt: async id => {
      const alone = receipts.get(id)
      if (alone !== undefined) return ok({ receipt: alone })
      const kept = [...rows.values()].flatMap(row => plannedIn(row.events)).find(event => event.receipt.id === id)
      if (kept === undefined) return err(NO_RECEIPT)
      const { receipt, session, turn, step } = kept
      return ok({ receipt, session, turn, step })
    },

    checkpoint: (id, checkpoint) =>
      withRow(id, row => {
        if (isUnderWay(row.events, checkpoint)) row.checkpoints.set(checkpoint.turn, structuredClone(checkpoint))
        return ok(null)
      }),
    checkpoints: id => withRow(id, row => ok([...row.checkpoints.values()])),
    openTurns: async () => ok([...rows.values()].flatMap(openTurnsOf)),
    waiting: async () =>
      ok([...rows.values()].filter(({ standing }) => standing.due.length > 0).map(({ session }) => session.id)),

    remember: async (door, key, value) => {
      const own = doors.get(door) ?? new Map<string, string>()
      if (value === null) own.delete(key)
      else doors.set(door, own.set(key, value))
      return ok(null)
    },
    remembered: async (door, prefix) => {
      const own = [...(doors.get(door) ?? [])].filter(([key]) => key.startsWith(prefix))
      return ok(new Map(own.sort(([a], [b]) => (a < b ? -1 : 1))))
    },
    grants,
    backup: async () => err(fault('invalid', 'a log in memory has no file to copy')),
    close: async () => {},
  }
}

export const emptyRow = (session: Session): Row => ({
  session,
  standing: NOTHING_YET,
  events: [],
  messages: [],
  tokens: [],
  keys: new Map(),
  ids: new Map(),
  texts: new Map(),
  checkpoints: new Map(),
})

const entry = (hash: string, text: string | undefined): [string, string][] => (text === undefined ? [] : [[hash, text]])

/** Whether a listing is narrowed to such sessions. */
const isWanted = (session: Session, { project, parent, family, archived }: Partial<SessionQuery>): boolean =>
  (project === undefined || session.project === project) &&
  (parent === undefined || session.parent?.session === parent) &&
  (family === undefined || session.family === family) &&
  (archived === undefined || session.archived === archived)

/** The beginning of a session under another name, with the texts that were needed by then. */
function copyOf(row: Row, at: number, session: Session): Row {
  const events = row.events.slice(0, at)
  const totals = { head: at, messages: row.messages[at - 1] ?? 0, tokens: row.tokens[at - 1] ?? 0 }
  const stood = events.reduce(passed, NOTHING_YET)
  const standing = { ...stood, ...totals, due: dueIn(session, stood.due) }
  return {
    session: forked(session, standing, 0),
    standing,
    events: events.map(event => ({ ...event, session: session.id })),
    messages: row.messages.slice(0, at),
    tokens: row.tokens.slice(0, at),
    keys: new Map(),
    ids: new Map(),
    texts: new Map([...row.texts].filter(([, { since }]) => since <= at)),
    checkpoints: new Map(),
  }
}

const newestFirst = (a: Pick<Session, 'updatedAt' | 'id'>, b: Pick<Session, 'updatedAt' | 'id'>): number =>
  a.updatedAt === b.updatedAt ? (a.id < b.id ? -1 : a.id > b.id ? 1 : 0) : a.updatedAt < b.updatedAt ? 1 : -1

/** Those at the beginning, or at the end, as a file would give them. */
function withinSize(events: readonly Event[], newest: boolean, size: number): readonly Event[] {
  const { taken } = within(size, newest ? events.toReversed() : events, event => JSON.stringify(event).length)
  return newest ? taken.toReversed() : taken
}

function hit(row: Row, session: Session, terms: readonly string[]): SessionHit[] {
  if (terms.length === 0) return []
  const found = row.events.findLast(event => holdsWords(searchable(event), terms))
  if (found !== undefined) return [{ ...session, snippet: snippet(searchable(found), terms), seq: found.seq }]
  return holdsWords(session.title ?? '', terms) ? [session] : []
}

/** Late checkpoints of a reply that is over must not come back to life. */
function isUnderWay(events: readonly Event[], { turn, step }: Checkpoint): boolean {
  const began = events.findLastIndex(event => event.type === 'turn.started' && event.turn === turn)
  const isOver = (event: Event): boolean =>
    (event.type === 'turn.ended' && event.turn === turn) ||
    ((event.type === 'reply.finished' || event.type === 'reply.broken') && event.turn === turn && event.step >= step)
  return began >= 0 && !events.slice(began).some(isOver)
}

function openTurnsOf({ session, events }: Row): { session: SessionId; turn: TurnId; voice: string; started: number }[] {
  const ended = new Set(events.flatMap((event: Recorded) => (event.type === 'turn.ended' ? [event.turn] : [])))
  return events.flatMap(event =>
    event.type === 'turn.started' && !ended.has(event.turn)
      ? [{ session: session.id, turn: event.turn, voice: event.voice, started: event.seq }]
      : [],
  )
}

const plannedIn = (events: readonly Event[]): readonly Planned[] =>
  events.filter((event): event is Planned => event.type === 'context.planned').toReversed()

function* backwards(events: readonly Event[], through: number, begins: (index: number) => boolean): Generator<Trace> {
  for (let index = Math.min(through, events.length) - 1; index >= 0; index -= 1) {
    const event = events[index] as Event
    const turn = 'turn' in event ? event.turn : null
    const voice = event.type === 'turn.started' ? event.voice : null
    yield { seq: event.seq, type: event.type, turn, tokens: event.tokens, begins: begins(index) ? 1 : 0, voice }
  }
}

function shelfOf({ events, messages, tokens, ids, standing }: Row, weigh: Weigh): Shelf {
  const begins = (index: number): boolean => (messages[index] ?? 0) > (messages[index - 1] ?? 0)
  const found = (index: number): number | undefined => (index === -1 ? undefined : index + 1)
  return {
    head: standing.head,
    totals: seq => ({ messages: messages[seq - 1] ?? 0, tokens: tokens[seq - 1] ?? 0 }),
    beginOf: message => found(messages.indexOf(message)),
    beginAfterTokens: total => found(tokens.findIndex((each, index) => each > total && begins(index))),
    plannedBefore: seq => plannedIn(events.slice(0, seq - 1)),
    marks: through => events.slice(0, through).filter(event => event.type === 'message.marked'),
    range: (after, through) =>
      events.slice(Math.max(0, after), Math.max(0, through)).filter(event => !ASIDE_TYPES.includes(event.type)),
    startsBefore: (first, through) => {
      const near = new Set(events.slice(first - 1, Math.max(0, through)).flatMap(event => ('turn' in event ? [event.turn] : [])))
      return events.slice(0, first - 1).filter(event => event.type === 'turn.started' && near.has(event.turn))
    },
    backwards: through => backwards(events, through, begins),
    ofTurn: turn => events.filter(event => 'turn' in event && event.turn === turn),
    endOfTurns: through => {
      const turns = new Set(events.slice(0, through).flatMap(event => ('turn' in event ? [event.turn] : [])))
      return events.findLast(event => 'turn' in event && turns.has(event.turn))?.seq ?? 0
    },
    seqOf: id => ids.get(id),
    begins: event => event.type !== 'damaged' && weigh(event).messages > 0,
  }
}
