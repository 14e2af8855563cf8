/** A store that lives as long as its process: for tests, examples and conversations that should not be kept. */

import type { Event, Fact } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { ReceiptId, SessionId } from '../../model/ids.ts'
import type { Receipt } from '../../model/receipt.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import { fenceAfter, landedAt } from '../append-rules.ts'
import { DRY_RUN, NO_RECEIPT, NO_SESSION } from '../faults.ts'
import { CONVERSATION, takeCharacters } from '../page-size.ts'
import type { Appended, Checkpoint, Clock, KeptText, Log, ReadRange, Weigh } from '../ports.ts'
import { pastOf } from '../session-index.ts'
import { advance, beyondEnd, sessionAfter } from '../standing.ts'
import { type Used, usageRows, usedBy, utcDayOf } from '../usage-rows.ts'
import { forkOf } from './memory-fork.ts'
import { memoryGrants } from './memory-grants.ts'
import { memoryImport } from './memory-import.ts'
import { indexOf } from './memory-index.ts'
import { memoryKept } from './memory-kept.ts'
import { memoryNodes } from './memory-nodes.ts'
import { memoryRecall } from './memory-recall.ts'
import {
  countWhile,
  emptyRow,
  eventsOfTurn,
  NEVER_SPOKE,
  openTurnsOf,
  plannedIn,
  pushEvent,
  type Row,
  seqsBetween,
  shownSession,
} from './memory-rows.ts'
import { findSessions } from './memory-search.ts'

export type MemoryLogSettings = {
  readonly clock: Clock
  readonly weigh: Weigh
  /** Whether several engines may use it at once, each as a node of its own. */
  readonly isShared?: boolean
}

export function memoryLog({ clock, weigh, isShared = false }: MemoryLogSettings): Log {
  const rows = new Map<SessionId, Row>()
  const arriving = new Set<SessionId>()
  const isTaken = (id: SessionId): boolean => rows.has(id) || arriving.has(id)
  const factors = new Map<string, number>()
  const receipts = new Map<ReceiptId, Receipt>()
  const channels = new Map<string, Map<string, string>>()
  const { grants, forget } = memoryGrants(clock, id => rows.has(id))
  const used: { session: SessionId | ''; readonly what: Used }[] = []
  const unknown = (): { ok: false; fault: Fault } => err(NO_SESSION)
  const withRow = async <Value>(id: SessionId, use: (row: Row) => Result<Value, Fault>): Promise<Result<Value, Fault>> => {
    const row = rows.get(id)
    return row === undefined ? unknown() : use(row)
  }

  const spentOn = (day: string): number =>
    used.reduce((sum, { what }) => sum + (utcDayOf(what.at) === day ? (what.costUsd ?? 0) : 0), 0)

  /** Writes facts; all are copied before anything changes, so that a fact that cannot be copied leaves nothing behind. */
  const write = (row: Row, facts: readonly Fact[], texts: readonly KeptText[] = []): void => {
    const { id } = row.session
    const at = new Date(clock()).toISOString()
    const since = row.standing.head + 1
    const entries = structuredClone(facts).map(fact => ({ fact, weight: weigh(fact) }))
    for (const { fact, weight } of entries) {
      row.standing = advance(row.standing, fact, weight)
      row.session = sessionAfter(row.session, fact, at)
      pushEvent(row, { ...fact, session: id, seq: row.standing.head, at, tokens: weight.tokens }, row.standing)
      const what = usedBy(fact, at)
      if (what !== undefined) used.push({ session: id, what })
      if (fact.type === 'reply.finished' || fact.type === 'reply.broken' || fact.type === 'turn.ended') {
        row.checkpoints.delete(fact.turn)
      }
    }
    for (const { hash, text } of texts) if (!row.texts.has(hash)) row.texts.set(hash, { text, since })
  }

  return {
    open: async session => {
      if (isTaken(session.id)) return err(fault('conflict', 'there is a session of that id already'))
      rows.set(session.id, emptyRow(session))
      return ok(session)
    },
    session: id => withRow(id, row => ok(shownSession(row))),
    sessions: async query => findSessions(rows.values(), query),
    fork: (from, at, session, close, keep) =>
      withRow<Session>(from, row => {
        if (isTaken(session.id)) return err(fault('conflict', 'there is a session of that id already'))
        if (at > row.standing.head) return err(beyondEnd(at, row.standing.head))
        const copy = forkOf(row, at, session, weigh, keep)
        rows.set(session.id, copy)
        for (const open of openTurnsOf(copy)) write(copy, close(open, eventsOfTurn(copy, open.turn)))
        return ok(shownSession(copy))
      }),
    startImport: async () => ok(memoryImport({ clock, weigh, rows, arriving })),
    remove: id =>
      withRow(id, () => {
        rows.delete(id)
        forget(id)
        for (const each of used) if (each.session === id) each.session = ''
        return ok(null)
      }),

    append: (id, facts, { expect, key, ids = [], texts = [], fence } = {}) =>
      withRow<Appended>(id, row => {
        const highest = fenceAfter(row.fence, fence)
        if (!highest.ok) return highest
        const earlier = key === undefined ? undefined : row.keys.get(key)
        const landed = ids.length === 0 ? ok(undefined) : landedAt(ids, facts.length, each => row.ids.get(each))
        if (!landed.ok) return landed
        const known = earlier ?? landed.value
        if (known !== undefined) {
          row.fence = highest.value
          return ok({ events: row.events.slice(known.first - 1, known.last), again: true, standing: row.standing })
        }
        if (expect !== undefined && expect !== row.standing.head) {
          return err(fault('conflict', `expected ${expect} as the last event, found ${row.standing.head}`))
        }
        const first = row.standing.head + 1
        write(row, facts, texts)
        row.fence = highest.value
        if (key !== undefined) row.keys.set(key, { first, last: row.standing.head })
        for (const [index, each] of ids.entries()) row.ids.set(each, first + index)
        return ok({ events: row.events.slice(first - 1), again: false, standing: row.standing })
      }),
    read: (
      id,
      {
        after = 0,
        through = Number.POSITIVE_INFINITY,
        limit = Number.POSITIVE_INFINITY,
        size,
        newest = false,
        only,
        seqs,
        turn,
      } = {},
    ) =>
      withRow(id, row => {
        const own = turn === undefined ? undefined : (row.places.ofTurn.get(turn) ?? [])
        const types = typesOf(only)
        const places = own ?? (types?.length === 1 && only !== undefined ? (row.places.ofType.get(only) ?? []) : undefined)
        const wanted = seqs === undefined ? undefined : new Set(seqs)
        const ordered = places ?? (wanted === undefined ? undefined : [...wanted].sort((a, b) => a - b))
        const inRange =
          ordered === undefined
            ? row.events.slice(Math.max(0, after), Math.max(0, through))
            : seqsBetween(ordered, after, through + 1).flatMap(seq => row.events[seq - 1] ?? [])
        const found = inRange.filter(
          event => types?.some(type => type === event.type) !== false && wanted?.has(event.seq) !== false,
        )
        const page = newest ? found.slice(Math.max(0, found.length - limit)) : found.slice(0, limit)
        return ok(size === undefined ? page : withinSize(page, newest, size))
      }),
    past: async (id, query) => {
      const row = rows.get(id)
      return row === undefined ? unknown() : ok(await pastOf(indexOf(row, weigh), query))
    },
    planned: (id, most, range) => withRow(id, row => ok(plannedIn(row, most, range))),
    voiceAt: (id, voice, through) =>
      withRow(id, ({ places }) => {
        const counts = places.counts.get(voice) ?? []
        const { turns, answers } = counts[countWhile(counts, ({ seq }) => seq <= through) - 1] ?? NEVER_SPOKE
        return ok({ turns, answers })
      }),
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
      const kept = [...rows.values()]
        .flatMap(row => plannedIn(row, Number.POSITIVE_INFINITY))
        .find(event => event.receipt.id === id)
      if (kept === undefined) return err(NO_RECEIPT)
      const { receipt, session, turn, step } = kept
      return ok({ receipt, session, turn, step })
    },

    checkpoint: (id, checkpoint, fence) =>
      withRow(id, row => {
        const highest = fenceAfter(row.fence, fence)
        if (!highest.ok) return highest
        if (isUnderWay(row.events, checkpoint)) row.checkpoints.set(checkpoint.turn, structuredClone(checkpoint))
        return ok(null)
      }),
    checkpoints: id => withRow(id, row => ok([...row.checkpoints.values()])),
    openTurns: async id =>
      ok([...rows.values()].filter(({ session }) => id === undefined || session.id === id).flatMap(openTurnsOf)),
    waiting: async () =>
      ok([...rows.values()].filter(({ standing }) => standing.due.length > 0).map(({ session }) => session.id)),

    remember: async (channel, key, value) => {
      const own = channels.get(channel) ?? new Map<string, string>()
      if (value === null) own.delete(key)
      else channels.set(channel, own.set(key, value))
      return ok(null)
    },
    remembered: async (channel, prefix) => {
      const own = [...(channels.get(channel) ?? [])].filter(([key]) => key.startsWith(prefix))
      return ok(new Map(own.sort(([a], [b]) => (a < b ? -1 : 1))))
    },
    grants,
    recall: memoryRecall(rows),
    memory: memoryKept(rows),
    ...(isShared ? { nodes: memoryNodes(rows, clock, spentOn) } : {}),
    backup: async () => err(fault('invalid', 'a log in memory has no file to copy')),
    close: async () => {},
  }
}

const entry = (hash: string, text: string | undefined): [string, string][] => (text === undefined ? [] : [[hash, text]])

/** The first or the last events within a size. */
function withinSize(events: readonly Event[], newest: boolean, size: number): readonly Event[] {
  const { taken } = takeCharacters(size, newest ? events.toReversed() : events, event => JSON.stringify(event).length)
  return newest ? taken.toReversed() : taken
}

/** Late checkpoints of a reply that is over must not come back to life. */
function isUnderWay(events: readonly Event[], { turn, step }: Checkpoint): boolean {
  const began = events.findLastIndex(event => event.type === 'turn.started' && event.turn === turn)
  const isOver = (event: Event): boolean =>
    (event.type === 'turn.ended' && event.turn === turn) ||
    ((event.type === 'reply.finished' || event.type === 'reply.broken') && event.turn === turn && event.step >= step)
  return began >= 0 && !events.slice(began).some(isOver)
}

/** The types of events that a reader asks for; undefined if it asks for all. */
const typesOf = (only: ReadRange['only']): readonly string[] | undefined =>
  only === undefined ? undefined : only === 'conversation' ? CONVERSATION : [only]
