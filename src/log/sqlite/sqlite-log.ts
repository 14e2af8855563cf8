/** A store in one SQLite file: a thread that writes, one that reads and one that searches, so that none waits for another. */

import { backup as copyDatabase, DatabaseSync } from 'node:sqlite'
import type { Event, Fact, Recorded } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { EventId, SessionId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { DRY_RUN } from '../faults.ts'
import { PAGE_CHARACTERS } from '../page-size.ts'
import type { Appended, AppendOptions, Clock, Log, ReadRange, Weigh } from '../ports.ts'
import { createReadCache } from '../read-cache.ts'
import { assertRecallChange } from '../recall-rules.ts'
import { ownersOnly } from './database-file.ts'
import { type DatabaseThread, openThread } from './database-thread.ts'
import { forkInto } from './fork-session.ts'
import { importInto, noImports } from './import-session.ts'
import type { AskThread, AskWriter, WorkerSettings } from './messages.ts'
import { packedChange, unpackedBlocks, unpackedPostings } from './recall-bytes.ts'

export type SqliteSettings = {
  readonly file: string
  readonly clock: Clock
  readonly weigh: Weigh
  /** Opens beside a running gateway; every write is refused. */
  readonly readOnly?: boolean
  /** Opens half a house too: only a copy and those who look at its work do. */
  readonly isForCopy?: boolean
  /** How long an operation may wait for the file before it is a fault. */
  readonly patienceMs?: number
  /** The size of the read cache. */
  readonly recentBytes?: number
  /** `NORMAL` exists so that a test can show what it loses. */
  readonly synchronous?: 'FULL' | 'NORMAL'
}

const PATIENCE_MS = 5000
/** Some thirty sessions with as much as a context usually takes. */
const RECENT_BYTES = 64 << 20
/** A search finds the newest words if it is not too many; the rest are indexed behind, a few at a time. */
const INDEX_BATCH = 500
const MOST_INDEXED_FIRST = 10_000
const READ_ONLY: Fault = fault('store', 'the database was opened only to read')

export async function sqliteLog(settings: SqliteSettings): Promise<Result<Log, Fault>> {
  const { file, clock, weigh, readOnly = false, isForCopy = false, synchronous = 'FULL' } = settings
  const patienceMs = settings.patienceMs ?? PATIENCE_MS
  const cache = createReadCache(settings.recentBytes ?? RECENT_BYTES)
  const opened: DatabaseThread[] = []
  const connect = async (role: WorkerSettings['role']): Promise<Result<DatabaseThread, Fault>> => {
    const connection = await openThread({ file, role, synchronous, isForCopy }, patienceMs)
    if (connection.ok) opened.push(connection.value)
    return connection
  }

  const close = async (): Promise<void> => {
    // The writer last: it is the one that folds the write-ahead file back into the database.
    for (const connection of opened.toReversed()) await connection.close()
  }

  const writer = readOnly ? ok(undefined) : await connect('write')
  if (!writer.ok) return writer
  const reader = await connect('read')
  if (!reader.ok) {
    await close()
    return reader
  }
  const imports = noImports()
  let searcher: Promise<Result<DatabaseThread, Fault>> | undefined

  const read: AskThread = reader.value.ask
  const write: AskWriter = writer.value?.ask ?? (async () => err(READ_ONLY))

  /** All that was asked for, one piece after the other; a page that may end by its size is one piece. */
  const events = async (id: SessionId, range: ReadRange = {}): Promise<Result<readonly Recorded[], Fault>> => {
    const pieces: (readonly Recorded[])[] = []
    let next: ReadRange = { ...range, size: range.size ?? PAGE_CHARACTERS }
    for (;;) {
      const piece = await read('read', id, next)
      if (!piece.ok) return piece
      const { events: found, isAll } = piece.value
      pieces.push(found)
      if (isAll || range.size !== undefined) return ok((range.newest === true ? pieces.reverse() : pieces).flat())
      const limit = next.limit === undefined ? {} : { limit: next.limit - found.length }
      const behind = range.newest === true ? { through: (found[0]?.seq ?? 1) - 1 } : { after: found.at(-1)?.seq ?? 0 }
      next = { ...next, ...limit, ...behind }
    }
  }

  const append = async (
    session: SessionId,
    facts: readonly Fact[],
    options: AppendOptions = {},
  ): Promise<Result<Appended, Fault>> => {
    const at = new Date(clock()).toISOString()
    const { expect, key, ids, texts = [], fence } = options
    if (ids !== undefined && ids.length !== facts.length) throw new Error(`${facts.length} facts with ${ids.length} ids`)
    const entries = facts.map((fact, index) => ({ fact, ...weigh(fact), ...idAt(ids, index) }))
    const report = await write('append', {
      session,
      entries,
      at,
      texts,
      ...(expect === undefined ? {} : { expect }),
      ...(key === undefined ? {} : { key }),
      ...(fence === undefined ? {} : { fence }),
    })
    if (!report.ok) return report
    const { first, last, again, standing } = report.value
    if (again) {
      const there = await events(session, { after: first - 1, through: last })
      return there.ok ? ok({ events: there.value, again, standing }) : there
    }
    const written = entries.map(({ fact, tokens }, index) => ({ ...fact, session, seq: first + index, at, tokens }) as Event)
    return ok({ events: written, again, standing })
  }

  const search: Log['sessions'] = async query => {
    for (let indexed = 0; writer.value !== undefined && indexed < MOST_INDEXED_FIRST; indexed += INDEX_BATCH) {
      const looked = await write('indexWords', INDEX_BATCH)
      // A file that cannot be written can still be searched; only the newest words are missing.
      if (!looked.ok || looked.value < INDEX_BATCH) break
    }
    searcher ??= connect('read')
    const connection = await searcher
    return connection.ok ? connection.value.ask('sessions', query) : connection
  }

  return ok({
    open: session => write('open', session),
    session: id => read('session', id),
    sessions: query => (query.query === undefined ? read('sessions', query) : search(query)),
    fork: forkInto({ read, write, events, clock, weigh }),
    startImport: () => importInto({ read, write, clock, weigh, imports }),
    remove: async id => {
      for (let begun = false; ; begun = true) {
        const removed = await write('remove', id)
        cache.forget(id)
        // The writer tidies up by itself as well, and may have been the one to finish.
        if (!removed.ok) return begun && removed.fault.kind === 'not-found' ? ok(null) : removed
        if (!removed.value.more) return ok(null)
      }
    },
    append,
    read: events,
    past: (id, query) =>
      cache.past(
        id,
        held => read('past', id, query, held),
        (after, through) => read('cells', id, after, through),
      ),
    planned: (id, most, range) => read('planned', id, most, range),
    voiceAt: (id, voice, through) => read('voiceAt', id, voice, through),
    factors: () => read('factors'),
    learn: (model, factor) => write('learn', model, factor),
    usage: query => read('usage', query),
    standing: id => read('standing', id),
    account: async (receipt, reply) => {
      if (receipt.id === null) return err(DRY_RUN)
      const at = new Date(clock()).toISOString()
      return write('account', { id: receipt.id, receipt, at, ...(reply === undefined ? {} : { reply }) })
    },
    receipt: id => read('receipt', id),
    texts: hashes => read('texts', hashes),
    textsOf: (id, after, limit) => read('textsOf', id, after, limit),
    checkpoint: (id, checkpoint, fence) => write('checkpoint', id, checkpoint, fence),
    checkpoints: id => read('checkpoints', id),
    openTurns: session => read('openTurns', session),
    waiting: () => read('waiting'),
    remember: (door, key, value) => write('remember', door, key, value),
    remembered: (door, prefix) => read('remembered', door, prefix),
    grants: {
      add: grant => write('addGrant', grant, new Date(clock()).toISOString()),
      has: (tool, binding, session) => read('hasGrant', tool, binding, session),
      list: () => read('grants'),
      remove: id => write('removeGrant', id),
    },
    recall: {
      state: id => read('recallState', id),
      postings: async (id, terms, from) => {
        const found = await read('recallPostings', id, terms, from)
        return found.ok ? ok(unpackedPostings(found.value)) : found
      },
      blocks: async (id, kind, numbers) => {
        const found = await read('recallBlocks', id, kind, numbers)
        return found.ok ? ok(unpackedBlocks(kind, found.value)) : found
      },
      states: ids => read('recallStates', ids),
      allPostings: ids => read('allRecallPostings', ids),
      blocksOf: async (kind, wanted) => {
        const found = await read('recallBlocksOf', kind, wanted)
        if (!found.ok) return found
        const all = unpackedBlocks(kind, found.value.blocks)
        let from = 0
        return ok(
          found.value.counts.map(count => {
            from += count
            return all.slice(from - count, from)
          }),
        )
      },
      excluded: ids => read('recallExcluded', ids),
      write: async (id, change) => {
        assertRecallChange(change)
        return write('writeRecall', id, packedChange(change))
      },
      clear: id => write('clearRecall', id),
      behind: (made, limit) => read('recallBehind', made, limit),
      size: () => read('recallSize'),
    },
    memory: {
      list: query => read('memories', query),
      pinsFor: (id, limit) => read('pinsFor', id, limit),
      sources: (id, from, limit) => read('sources', id, from, limit),
    },
    backup: target => copyTo(file, target),
    close,
  })
}

const idAt = (ids: readonly EventId[] | undefined, index: number): { readonly id?: EventId } => {
  const id = ids?.[index]
  return id === undefined ? {} : { id }
}

/** Copies in one piece. A copy in pieces begins anew after every write in between, and might never end. */
const ALL_PAGES = 2 ** 31 - 1

async function copyTo(file: string, target: string): Promise<Result<null, Fault>> {
  let source: DatabaseSync | undefined
  try {
    source = new DatabaseSync(file, { readOnly: true })
    ownersOnly(target)
    await copyDatabase(source, target, { rate: ALL_PAGES })
    return ok(null)
  } catch (cause) {
    return err(fault('store', `the copy failed: ${cause instanceof Error ? cause.message : String(cause)}`))
  } finally {
    source?.close()
  }
}
