import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { type Fault, fault } from '../model/fault.ts'
import { err, type Result } from '../model/result.ts'
import { type OpenFile, openReader, openWriter, Unusable } from './sqlite-file.ts'
import { type SqliteStore, type StoreOperation, sqliteStore } from './sqlite-store.ts'

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
const INDEX_PAUSE_MS = 20
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
  let indexing: NodeJS.Timeout | undefined
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
      clearTimeout(indexing)
      close()
      port.postMessage([{ id: closing.id, result: { ok: true, value: null } }] satisfies Reply[])
      port.close()
      return
    }
    if (settings.role === 'write') indexing ??= setTimeout(indexBehind, INDEX_PAUSE_MS)
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
    if (replies.ok) return replies.value
    if (requests.length === 1) return requests.map(({ id }) => ({ id, result: replies }))
    return requests.flatMap(request => commit([request]))
  }

  function attempt(requests: readonly Request[]): Result<Reply[], Fault> {
    if (broken !== undefined) return err(broken)
    const patience = Math.max(...requests.map(request => request.deadline)) - Date.now()
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

  function indexBehind(): void {
    indexing = undefined
    const indexed = attempt([{ id: 0, operation: 'indexWords', args: [INDEX_BATCH], deadline: Date.now() + 200 }])
    const looked = indexed.ok ? indexed.value[0]?.result : undefined
    if (looked?.ok === true && looked.value === INDEX_BATCH) indexing = setTimeout(indexBehind, INDEX_PAUSE_MS)
  }

  function storeFault(cause: unknown): Fault {
    const { errcode, message } = cause as { errcode?: number; message?: string }
    if (errcode === undefined) throw cause
    const trouble = fault('store', `the database said: ${message}`)
    if ((errcode & 0xff) === SQLITE_IOERR) broken = fault('store', `the disk failed (${message}); restart once it is sound`)
    return trouble
  }
}
