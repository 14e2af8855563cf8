import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { type Fault, fault } from '../../model/fault.ts'
import { err, type Result } from '../../model/result.ts'
import { type OpenFile, openReader, openWriter, Unusable } from './database-file.ts'
import { type SqliteStore, type StoreOperation, sqliteStore } from './store.ts'
import { sqliteSweeper } from './sweep.ts'

/** One thread per connection, because `node:sqlite` waits inside the call and nothing can interrupt it. */
export type WorkerSettings = { readonly file: string; readonly role: 'write' | 'read'; readonly synchronous: 'FULL' | 'NORMAL' }

export type Request = {
  readonly id: number
  readonly operation: StoreOperation | 'close'
  readonly args: readonly unknown[]
  /** After this moment nobody waits for the answer any more, so nothing may be written on its behalf. */
  readonly deadline: number
}

export type Reply = { readonly id: number; readonly result: Result<unknown, Fault> }

export type Greeting = { readonly ready: true } | { readonly ready: false; readonly why: string }

const MOST_PER_COMMIT = 512
/** After a write, so that one commit indexes what many have brought; whoever searches indexes the rest first. */
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
if (opened !== undefined) serve(opened)

function open(): OpenFile | undefined {
  try {
    const file = settings.role === 'write' ? openWriter(settings.file, settings.synchronous) : openReader(settings.file)
    port.postMessage({ ready: true } satisfies Greeting)
    return file
  } catch (cause) {
    if (!(cause instanceof Unusable)) throw cause
    port.postMessage({ ready: false, why: cause.message } satisfies Greeting)
    return undefined
  }
}

function serve({ db, close }: OpenFile): void {
  const store = sqliteStore(db)
  const sweeper = sqliteSweeper(db)
  let tidying = settings.role === 'write' ? setTimeout(tidy, TIDY_PAUSE_MS) : undefined
  let sweepAt = 0
  /** After a failed fsync nobody knows what is on the disk, so this process never claims to have saved anything again. */
  let broken: Fault | undefined

  port.on('message', (first: Request) => {
    const batch = [first]
    while (batch.length < MOST_PER_COMMIT) {
      const more = receiveMessageOnPort(port)
      if (more === undefined) break
      batch.push(more.message as Request)
    }
    const closing = batch.find(request => request.operation === 'close')
    const work = batch.filter(request => request.operation !== 'close')
    port.postMessage(settings.role === 'read' ? work.map(readOnly) : commit(work))
    if (closing !== undefined) {
      clearTimeout(tidying)
      close()
      port.postMessage([{ id: closing.id, result: { ok: true, value: null } }] satisfies Reply[])
      port.close()
      return
    }
    if (settings.role === 'write') tidying ??= setTimeout(tidy, TIDY_AFTER_MS)
  })

  function readOnly(request: Request): Reply {
    if (Date.now() > request.deadline) return { id: request.id, result: err(LATE) }
    try {
      return { id: request.id, result: perform(request) }
    } catch (cause) {
      return { id: request.id, result: err(storeFault(cause)) }
    }
  }

  /** All that waits is written with one fsync; where that fails, each is tried alone, so one cannot spoil the others. */
  function commit(requests: readonly Request[]): Reply[] {
    if (requests.length === 0) return []
    const replies = attempt(requests)
    if (replies.ok) {
      if (requests.some(request => request.operation === 'remove')) removed()
      return replies.value
    }
    if (requests.length === 1) return requests.map(({ id }) => ({ id, result: replies }))
    return requests.flatMap(request => commit([request]))
  }

  function attempt(requests: readonly Request[]): Result<Reply[], Fault> {
    if (broken !== undefined) return err(broken)
    // The first deadline counts: whoever was told that nothing was saved must not find it saved later.
    const patience = Math.min(...requests.map(request => request.deadline)) - Date.now()
    if (patience <= 0) return err(LATE)
    try {
      db.exec(`pragma busy_timeout = ${Math.ceil(patience)}`)
      db.exec('begin immediate')
      const replies = requests.map(request => ({ id: request.id, result: inSavepoint(request) }))
      db.exec('commit')
      return { ok: true, value: replies }
    } catch (cause) {
      const trouble = storeFault(cause)
      if (db.isTransaction) db.exec('rollback')
      return err(trouble)
    }
  }

  function inSavepoint(request: Request): Result<unknown, Fault> {
    db.exec('savepoint request')
    const result = perform(request)
    db.exec(result.ok ? 'release request' : 'rollback to request; release request')
    return result
  }

  function perform({ operation, args }: Request): Result<unknown, Fault> {
    if (operation === 'close') throw new Error('close is not an operation of the store')
    return (store[operation] as (...args: readonly unknown[]) => ReturnType<SqliteStore[StoreOperation]>)(...args)
  }

  /** Work that nobody waits for, a little at a time: words to index, and what a removal has left behind. */
  function tidy(): void {
    tidying = undefined
    const deadline = Date.now() + TIDY_PATIENCE_MS
    const done = <Value>(operation: StoreOperation, ...args: readonly unknown[]): Value | undefined => {
      const [reply] = commit([{ id: 0, operation, args, deadline }])
      return reply?.result.ok === true ? (reply.result.value as Value) : undefined
    }
    const indexing = done<number>('indexWords', INDEX_BATCH) === INDEX_BATCH
    const removing = done<{ more: boolean } | null>('removeRest')?.more === true
    if (indexing || removing) tidying = setTimeout(tidy, TIDY_PAUSE_MS)
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
      storeFault(cause)
      return false
    }
  }

  function storeFault(cause: unknown): Fault {
    const { errcode, message, stack } = cause as { errcode?: number; message?: string; stack?: string }
    // Thrown where it was asked for: this thread also works for those who asked for something else.
    if (errcode === undefined) return fault('bug', stack ?? String(cause))
    const trouble = fault('store', `the database said: ${message}`)
    if ((errcode & 0xff) === SQLITE_IOERR) broken = fault('store', `the disk failed (${message}); restart once it is sound`)
    return trouble
  }
}
