// The worker thread that reads a file.
import { parentPort, workerData } from 'node:worker_threads'
import type { Fault } from '../../model/fault.ts'
import { type ArchiveItem, BadFile } from './found.ts'
import { type ReadSettings, readBytes } from './read-bytes.ts'

/** From the main thread: a piece of the file, the end of the file, or news that a batch was taken. */
export type ToWorker = { readonly bytes: Uint8Array } | { readonly end: true } | { readonly taken: true }

/** From this thread: a request for more bytes, a batch of items, or how reading ended. */
export type FromWorker =
  | { readonly want: true }
  | { readonly batch: readonly ArchiveItem[] }
  | { readonly bad: Fault }
  | { readonly done: true }

/** How many batches may be under way, so that this thread works on while the main thread takes one. */
const MOST_UNTAKEN = 2

if (parentPort === null) throw new Error('this file runs as a worker')
const port = parentPort
const post = (message: FromWorker): void => port.postMessage(message)

let arrived: ((bytes: Uint8Array | undefined) => void) | undefined
let taken: (() => void) | undefined
let untaken = 0

port.on('message', (message: ToWorker) => {
  if ('taken' in message) {
    untaken -= 1
    taken?.()
  } else arrived?.('bytes' in message ? message.bytes : undefined)
})

async function* pieces(): AsyncGenerator<Uint8Array> {
  for (;;) {
    const bytes = await new Promise<Uint8Array | undefined>(resolve => {
      arrived = resolve
      post({ want: true })
    })
    if (bytes === undefined) return
    yield bytes
  }
}

async function read(): Promise<void> {
  try {
    for await (const batch of readBytes(pieces(), workerData as ReadSettings)) {
      if (batch.length === 0) continue
      untaken += 1
      post({ batch })
      while (untaken >= MOST_UNTAKEN) {
        await new Promise<void>(resolve => {
          taken = resolve
        })
      }
    }
    post({ done: true })
  } catch (cause) {
    if (!(cause instanceof BadFile)) throw cause
    post({ bad: cause.fault })
  }
  port.close()
}

await read()
