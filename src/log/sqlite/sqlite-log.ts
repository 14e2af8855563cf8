import { backup as copyDatabase, DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import type { Event, Fact, Recorded } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { EventId, SessionId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import { DRY_RUN } from '../faults.ts'
import { PIECE } from '../piece.ts'
import type { Appended, AppendOptions, Clock, Log, OpenTurn, ReadRange, Standing, Weigh } from '../ports.ts'
import { advance, beyondEnd, dueIn, inOrder, NOTHING_YET } from '../standing.ts'
import { ownersOnly } from './database-file.ts'
import type { CopyRequest, ForkRequest, KeepRequest } from './fork.ts'
import { bringInto, nobodyArriving } from './import-sessions.ts'
import { type CellsPiece, createRecent, type PastCells } from './read-cache.ts'
import type { AccountRequest } from './receipts.ts'
import type { AppendReport, AppendRequest, StoreOperation } from './store.ts'
import type { Greeting, Reply, Request, WorkerSettings } from './worker.ts'

export type SqliteSettings = {
  readonly file: string
  readonly clock: Clock
  readonly weigh: Weigh
  /** Opens beside a running gateway; whatever would write is refused. */
  readonly readOnly?: boolean
  /** How long an operation may wait for the file before it is a fault. */
  readonly patienceMs?: number
  /** How much of what was read last is held in memory. */
  readonly recentBytes?: number
  /** `NORMAL` exists so that a test can show what it loses. */
  readonly synchronous?: 'FULL' | 'NORMAL'
}

const PATIENCE_MS = 5000
/** Some thirty sessions with as much as a context usually takes. */
const RECENT_BYTES = 64 << 20
/** A worker answers by itself at the deadline; this much later it is taken to hang. */
const GRACE_MS = 1000
/** A search finds the newest words if it is not too many; the rest are indexed behind, a few at a time. */
const INDEX_BATCH = 500
const MOST_INDEXED_FIRST = 10_000
/** Some ten milliseconds, in which nobody else can write. */
const MOST_COPIED_AT_ONCE = 1000
const READ_ONLY: Fault = fault('store', 'the database was opened only to read')

/** A log in one SQLite file: a thread that writes, one that reads, one that searches, so that none waits for another. */
export async function sqliteLog(settings: SqliteSettings): Promise<Result<Log, Fault>> {
  const { file, clock, weigh, readOnly = false, synchronous = 'FULL' } = settings
  const patienceMs = settings.patienceMs ?? PATIENCE_MS
  const recent = createRecent(settings.recentBytes ?? RECENT_BYTES)
  const opened: Connection[] = []
  const connect = async (role: WorkerSettings['role']): Promise<Result<Connection, Fault>> => {
    const connection = await openConnection({ file, role, synchronous }, patienceMs)
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
  const arriving = nobodyArriving()
  let searcher: Promise<Result<Connection, Fault>> | undefined

  const read = <Value>(operation: StoreOperation, ...args: unknown[]): Promise<Result<Value, Fault>> =>
    reader.value.ask(operation, args)
  const write = async <Value>(operation: StoreOperation, ...args: unknown[]): Promise<Result<Value, Fault>> =>
    writer.value === undefined ? err(READ_ONLY) : writer.value.ask(operation, args)

  /** All that was asked for, one piece after the other; a page that may end by its size is one piece. */
  const events = async (id: SessionId, range: ReadRange = {}): Promise<Result<readonly Recorded[], Fault>> => {
    const pieces: (readonly Recorded[])[] = []
    let next: ReadRange = { ...range, size: range.size ?? PIECE }
    for (;;) {
      const piece = await read<EventsPiece>('read', id, next)
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
    const { expect, key, ids, texts = [] } = options
    if (ids !== undefined && ids.length !== facts.length) throw new Error(`${facts.length} facts with ${ids.length} ids`)
    const entries = facts.map((fact, index) => ({ fact, ...weigh(fact), ...idAt(ids, index) }))
    const request: AppendRequest = {
      session,
      entries,
      at,
      texts,
      ...(expect === undefined ? {} : { expect }),
      ...(key === undefined ? {} : { key }),
    }
    const report = await write<AppendReport>('append', request)
    if (!report.ok) return report
    const { first, last, again, standing } = report.value
    if (again) {
      const there = await events(session, { after: first - 1, through: last })
      return there.ok ? ok({ events: there.value, again, standing }) : there
    }
    const written = entries.map(({ fact, tokens }, index) => ({ ...fact, session, seq: first + index, at, tokens }) as Event)
    return ok({ events: written, again, standing })
  }

  /** Copies what a fork begins with, piece by piece, and gives where it stands then. */
  const copied = async (from: SessionId, at: number, to: SessionId): Promise<Result<Standing, Fault>> => {
    const source = await read<Standing>('standing', from)
    if (!source.ok) return source
    if (at > source.value.head) return err(beyondEnd(at, source.value.head))
    let standing: Standing = NOTHING_YET
    while (standing.head < at) {
      const after = standing.head
      const through = Math.min(at, after + MOST_COPIED_AT_ONCE)
      const piece: CopyRequest = { from, to, after, through }
      const [written, stands] = await Promise.all([
        write<null>('copy', piece),
        read<Standing>('standingAfter', from, standing, through),
      ])
      if (!written.ok) return written
      if (!stands.ok) return stands
      standing = stands.value
    }
    return ok(standing)
  }

  const fork: Log['fork'] = async (from, at, session, closing, keeping) => {
    /** Turns that have no end where the fork leaves: what is kept of them, and what ends them if that does not. */
    const left = async (): Promise<Result<{ readonly kept: readonly Event[]; readonly endings: readonly Fact[] }, Fault>> => {
      const open = await read<readonly OpenTurn[]>('openAt', from, at)
      if (!open.ok) return open
      const kept: (readonly Event[])[] = []
      const endings: Fact[] = []
      for (const each of open.value) {
        const turn = { ...each, session: session.id }
        const range = { turn: each.turn, ...(keeping === undefined ? { through: at } : {}) }
        const own = await events(from, range)
        if (!own.ok) return own
        const later = keeping?.(turn, own.value) ?? []
        kept.push(later)
        if (later.some(({ type }) => type === 'turn.ended')) continue
        endings.push(...closing(turn, [...own.value.filter(({ seq }) => seq <= at), ...later]))
      }
      return ok({ kept: inOrder(kept), endings })
    }
    const published = async (): Promise<Result<Session, Fault>> => {
      const standing = await copied(from, at, session.id)
      if (!standing.ok) return standing
      const ends = await left()
      if (!ends.ok) return ends
      const { kept, endings } = ends.value
      const seqs = kept.map(({ seq }) => seq)
      const before = { ...standing.value, due: dueIn(session, standing.value.due) }
      const keep: KeepRequest = { from, to: session.id, seqs, before }
      const taken = kept.length === 0 ? ok(null) : await write<null>('keep', keep)
      if (!taken.ok) return taken
      const stands = kept.reduce(
        (now, event) => advance(now, event, { tokens: event.tokens, messages: weigh(event).messages }),
        before,
      )
      const entries = endings.map(fact => ({ fact, ...weigh(fact) }))
      const now = new Date(clock()).toISOString()
      const request: ForkRequest = { from, session, standing: stands, shared: at, kept: seqs, entries, at: now }
      return write('fork', request)
    }
    const result = await published()
    if (!result.ok) await write('abandon', session.id)
    return result
  }

  const search: Log['sessions'] = async query => {
    for (let indexed = 0; writer.value !== undefined && indexed < MOST_INDEXED_FIRST; indexed += INDEX_BATCH) {
      const looked = await write<number>('indexWords', INDEX_BATCH)
      // A file that cannot be written can still be searched; only the newest words are missing.
      if (!looked.ok || looked.value < INDEX_BATCH) break
    }
    searcher ??= connect('read')
    const connection = await searcher
    return connection.ok ? connection.value.ask('sessions', [query]) : connection
  }

  return ok({
    open: session => write('open', session),
    session: id => read('session', id),
    sessions: query => (query.query === undefined ? read('sessions', query) : search(query)),
    fork,
    startImport: () => bringInto({ read, write, clock, weigh, arriving }),
    remove: async id => {
      for (let begun = false; ; begun = true) {
        const removed = await write<{ more: boolean }>('remove', id)
        recent.forget(id)
        // The writer tidies up by itself as well, and may have been the one to finish.
        if (!removed.ok) return begun && removed.fault.kind === 'not-found' ? ok(null) : removed
        if (!removed.value.more) return ok(null)
      }
    },
    append,
    read: events,
    past: (id, want) =>
      recent.past(
        id,
        held => read<PastCells>('past', id, want, held),
        (after, through) => read<CellsPiece>('cells', id, after, through),
      ),
    planned: (id, most) => read('planned', id, most),
    factors: () => read('factors'),
    learn: (model, factor) => write('learn', model, factor),
    usage: query => read('usage', query),
    standing: id => read('standing', id),
    account: async (receipt, reply) => {
      if (receipt.id === null) return err(DRY_RUN)
      const at = new Date(clock()).toISOString()
      const request: AccountRequest = { id: receipt.id, receipt, at, ...(reply === undefined ? {} : { reply }) }
      return write('account', request)
    },
    receipt: id => read('receipt', id),
    texts: hashes => read('texts', hashes),
    textsOf: (id, after, limit) => read('textsOf', id, after, limit),
    checkpoint: (id, checkpoint) => write('checkpoint', id, checkpoint),
    checkpoints: id => read('checkpoints', id),
    openTurns: () => read('openTurns'),
    waiting: () => read('waiting'),
    remember: (door, key, value) => write('remember', door, key, value),
    remembered: (door, prefix) => read('remembered', door, prefix),
    grants: {
      add: grant => write('addGrant', grant, new Date(clock()).toISOString()),
      has: (tool, binding, session) => read('hasGrant', tool, binding, session),
      list: () => read('grants'),
      remove: id => write('removeGrant', id),
    },
    backup: target => copyTo(file, target),
    close,
  })
}

const idAt = (ids: readonly EventId[] | undefined, index: number): { readonly id?: EventId } => {
  const id = ids?.[index]
  return id === undefined ? {} : { id }
}

/** Copied in one piece: a copy in pieces begins anew whenever someone has written meanwhile, perhaps for ever. */
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

type EventsPiece = { readonly events: readonly Recorded[]; readonly isAll: boolean }

type Connection = {
  readonly ask: <Value>(operation: StoreOperation, args: readonly unknown[]) => Promise<Result<Value, Fault>>
  readonly close: () => Promise<void>
}

type Asked = {
  readonly answer: (result: Result<never, Fault>) => void
  readonly fail: (bug: Error) => void
  readonly timer: NodeJS.Timeout
}

function openConnection(settings: WorkerSettings, patienceMs: number): Promise<Result<Connection, Fault>> {
  const source = import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js'
  const worker = new Worker(new URL(source, import.meta.url), { workerData: settings })
  const waiting = new Map<number, Asked>()
  let last = 0
  let gone: Fault | undefined

  const settle = (id: number, result: Result<never, Fault>): void => {
    const asked = waiting.get(id)
    if (asked === undefined) return
    waiting.delete(id)
    clearTimeout(asked.timer)
    if (!result.ok && result.fault.kind === 'bug') asked.fail(new Error(`in the database thread: ${result.fault.message}`))
    else asked.answer(result)
  }
  const post = <Value>(operation: Request['operation'], args: readonly unknown[]): Promise<Result<Value, Fault>> => {
    if (gone !== undefined) return Promise.resolve(err(gone))
    last += 1
    const id = last
    return new Promise((answer, fail) => {
      const late = err(fault('store', 'the database does not answer'))
      worker.postMessage({ id, operation, args, deadline: Date.now() + patienceMs } satisfies Request)
      waiting.set(id, { answer, fail, timer: setTimeout(settle, patienceMs + GRACE_MS, id, late) })
    })
  }
  const end = (why: string): void => {
    gone = fault('store', why)
    for (const id of [...waiting.keys()]) settle(id, err(gone))
  }

  return new Promise(resolve => {
    worker.once('message', (greeting: Greeting) => {
      if (!greeting.ready) return resolve(err(fault('store', greeting.why)))
      worker.on('message', (replies: readonly Reply[]) => {
        for (const { id, result } of replies) settle(id, result as Result<never, Fault>)
      })
      resolve(
        ok({
          ask: (operation, args) => post(operation, args),
          close: async () => {
            await post('close', [])
            await worker.terminate()
          },
        }),
      )
    })
    worker.on('error', cause => {
      end(`the database thread stopped: ${cause instanceof Error ? cause.message : String(cause)}`)
      resolve(err(fault('store', `the database thread stopped: ${cause instanceof Error ? cause.message : String(cause)}`)))
    })
    worker.on('exit', () => end('the database is closed'))
  })
}
