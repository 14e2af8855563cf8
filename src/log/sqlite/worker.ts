/** A thread with its own connection to the database, because `node:sqlite` waits inside each call and cannot be interrupted. */

import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { type OpenFile, openReader, openWriter, Unusable } from './database-file.ts'
import type {
  Answers,
  Arguments,
  CloseRequest,
  Greeting,
  Operation,
  Operations,
  ThreadReply,
  ThreadRequest,
  WorkerSettings,
} from './messages.ts'
import { sqlitePast } from './store/past.ts'
import { tablesOf } from './store/rows.ts'
import { type SqliteStore, sqliteStore } from './store/store.ts'
import { sqliteSweeper } from './sweep.ts'

const MOST_PER_COMMIT = 512
/** After a write, so that one commit indexes what many have written; a search indexes the rest first. */
const TIDY_AFTER_MS = 1000
const TIDY_PAUSE_MS = 20
const TIDY_PATIENCE_MS = 200
const WAL_PATIENCE_MS = 200
const SWEEP_PAUSE_MS = 1000
const SWEEP_AGAIN_MS = 10_000
const INDEX_BATCH = 200
const SQLITE_IOERR = 10
const LATE: Fault = fault('store', 'the database did not answer in time')

if (parentPort === null) throw new Error('this file runs as a worker')
const port = parentPort
const settings = workerData as WorkerSettings
const opened = open()
if (opened !== undefined) {
  if (settings.role === 'write') serveWrites(opened)
  else serveReads(opened)
}

function open(): OpenFile | undefined {
  try {
    const file = settings.role === 'write' ? openWriter(settings.file, settings.synchronous) : openReader(settings.file, settings)
    port.postMessage({ ready: true } satisfies Greeting)
    return file
  } catch (cause) {
    if (!(cause instanceof Unusable)) throw cause
    port.postMessage({ ready: false, why: cause.message } satisfies Greeting)
    return undefined
  }
}

/** Everything that waits now, as one batch. */
function received<Name extends Operation>(
  first: ThreadRequest<Name> | CloseRequest,
): { readonly work: readonly ThreadRequest<Name>[]; readonly closing: CloseRequest | undefined } {
  const batch = [first]
  while (batch.length < MOST_PER_COMMIT) {
    const more = receiveMessageOnPort(port)
    if (more === undefined) break
    batch.push(more.message as ThreadRequest<Name> | CloseRequest)
  }
  const isClosing = (request: ThreadRequest<Name> | CloseRequest): request is CloseRequest => request.operation === 'close'
  return {
    work: batch.filter((request): request is ThreadRequest<Name> => !isClosing(request)),
    closing: batch.find(isClosing),
  }
}

function closed({ close }: OpenFile, { id }: CloseRequest): void {
  close()
  port.postMessage([{ id, result: ok(null) }] satisfies ThreadReply[])
  port.close()
}

/** Trouble of the database is a fault; a bug is thrown where the caller is, since this thread also works for others. */
function troubleOf(cause: unknown): { readonly trouble: Fault; readonly isDiskBroken: boolean } {
  const { errcode, stack } = cause as { errcode?: number; stack?: string }
  if (errcode === undefined) return { trouble: fault('bug', stack ?? String(cause)), isDiskBroken: false }
  return { trouble: fault('store', `the database said: ${messageOf(cause)}`), isDiskBroken: (errcode & 0xff) === SQLITE_IOERR }
}

const messageOf = (cause: unknown): string | undefined => (cause as { message?: string }).message

/** Requests are answered one after the other; one that awaits only waits for this thread itself. */
function serveReads(file: OpenFile): void {
  const tables = tablesOf(file.db)
  const operations: { readonly [Name in Operation]: (...args: Arguments[Name]) => ReturnType<Operations[Name]> } = {
    ...sqliteStore(tables),
    ...sqlitePast(file.db, tables),
  }

  port.on('message', async (first: ThreadRequest | CloseRequest) => {
    const { work, closing } = received(first)
    const replies: ThreadReply[] = []
    for (const request of work) replies.push({ id: request.id, result: await answer(request) })
    port.postMessage(replies)
    if (closing !== undefined) closed(file, closing)
  })

  async function answer<Name extends Operation>({
    operation,
    args,
    deadline,
  }: ThreadRequest<Name>): Promise<Result<unknown, Fault>> {
    if (Date.now() > deadline) return err(LATE)
    try {
      return await operations[operation](...args)
    } catch (cause) {
      return err(troubleOf(cause).trouble)
    }
  }
}

type Writing = keyof SqliteStore
type WriteRequest = ThreadRequest<Writing>

function serveWrites(file: OpenFile): void {
  const { db } = file
  const store: { readonly [Name in Writing]: (...args: Arguments[Name]) => Result<Answers[Name], Fault> } = sqliteStore(
    tablesOf(db),
  )
  const sweeper = sqliteSweeper(db)
  let tidying: NodeJS.Timeout | undefined = setTimeout(tidy, TIDY_PAUSE_MS)
  let sweepAt = 0
  /** After a failed fsync it is unknown what is on the disk, so this process never claims to have saved anything again. */
  let broken: Fault | undefined

  port.on('message', (first: WriteRequest | CloseRequest) => {
    const { work, closing } = received(first)
    port.postMessage(commit(work))
    if (closing !== undefined) {
      clearTimeout(tidying)
      closed(file, closing)
      return
    }
    tidying ??= setTimeout(tidy, TIDY_AFTER_MS)
  })

  /** All that waits is written with one fsync; where that fails, each is tried alone, so one cannot spoil the others. */
  function commit(requests: readonly WriteRequest[]): ThreadReply[] {
    if (requests.length === 0) return []
    // The first deadline counts: a caller that got the answer "nothing was saved" must not find it saved later.
    const deadline = Math.min(...requests.map(request => request.deadline))
    const replies = attempt(deadline, () => requests.map(request => ({ id: request.id, result: inSavepoint(request) })))
    if (replies.ok) {
      if (requests.some(request => request.operation === 'remove')) removed()
      return replies.value
    }
    if (requests.length === 1) return requests.map(({ id }) => ({ id, result: replies }))
    return requests.flatMap(request => commit([request]))
  }

  /** Does the work in one transaction. */
  function attempt<Value>(deadline: number, work: () => Value): Result<Value, Fault> {
    if (broken !== undefined) return err(broken)
    const patience = deadline - Date.now()
    if (patience <= 0) return err(LATE)
    try {
      db.exec(`pragma busy_timeout = ${Math.ceil(patience)}`)
      db.exec('begin immediate')
      const value = work()
      db.exec('commit')
      return ok(value)
    } catch (cause) {
      const trouble = noted(cause)
      if (db.isTransaction) db.exec('rollback')
      return err(trouble)
    }
  }

  function inSavepoint<Name extends Writing>({ operation, args }: ThreadRequest<Name>): Result<Answers[Name], Fault> {
    db.exec('savepoint request')
    const result = store[operation](...args)
    db.exec(result.ok ? 'release request' : 'rollback to request; release request')
    return result
  }

  /** Work in the background, a little at a time: words to index, and what a removal has left behind. */
  function tidy(): void {
    tidying = undefined
    const deadline = Date.now() + TIDY_PATIENCE_MS
    const done = <Value>(work: () => Result<Value, Fault>): Value | undefined => {
      const committed = attempt(deadline, work)
      return committed.ok && committed.value.ok ? committed.value.value : undefined
    }
    const isIndexing = done(() => store.indexWords(INDEX_BATCH)) === INDEX_BATCH
    const isRemoving = done(() => store.removeRest())?.more === true
    if (isIndexing || isRemoving) tidying = setTimeout(tidy, TIDY_PAUSE_MS)
    else if (!isSwept()) tidying = setTimeout(tidy, SWEEP_PAUSE_MS)
  }

  function removed(): void {
    sweepAt = Date.now() + SWEEP_PAUSE_MS
    attempted(() => sweeper.emptyWal(WAL_PATIENCE_MS))
  }

  /** Gone from the tables is not gone from the files; a while after the last removal, they are swept. */
  function isSwept(): boolean {
    if (broken !== undefined) return true
    if (Date.now() < sweepAt) return false
    const swept = attempted(() => sweeper.sweep())
    if (!swept) sweepAt = Date.now() + SWEEP_AGAIN_MS
    return swept
  }

  function attempted(work: () => boolean): boolean {
    try {
      return work()
    } catch (cause) {
      noted(cause)
      return false
    }
  }

  function noted(cause: unknown): Fault {
    const { trouble, isDiskBroken } = troubleOf(cause)
    if (isDiskBroken) broken = fault('store', `the disk failed (${messageOf(cause)}); restart once it is sound`)
    return trouble
  }
}
