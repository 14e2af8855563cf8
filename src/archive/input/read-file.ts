// Reads a file in a worker thread and reports progress.
import { Worker } from 'node:worker_threads'
import { fault } from '../../model/fault.ts'
import type { Mint } from '../../model/ids.ts'
import { type ArchiveItem, BadFile, badFile, type ImportFormat } from './found.ts'
import type { ReadSettings } from './read-bytes.ts'
import type { FromWorker, ToWorker } from './read-worker.ts'

export type { ArchiveItem as Found, FoundSession, ImportFormat } from './found.ts'
export { BadFile, IMPORT_FORMATS } from './found.ts'

export type ReadProgress = { readonly bytes: number; readonly sessions: number; readonly messages: number }

export type ReadFileOptions = {
  /** The program that wrote the file. Without it the reader finds out from the file. */
  readonly format?: ImportFormat
  readonly mint: Mint
  readonly abort?: AbortSignal
  /** The time that a conversation without times gets. */
  readonly now?: number
}

export type FileReader = {
  readonly batches: AsyncIterable<readonly ArchiveItem[]>
  /** How much of the file was read and taken so far. */
  readonly progress: () => ReadProgress
}

/** Enough for the largest conversation that can be read. A file that needs more memory ends only its own thread. */
const MOST_MEGABYTES = 1024
/** The thread gets pieces of this size, no matter how the bytes arrive. */
const PIECE = 256 << 10

/**
 * Reads a file of conversations in a worker thread, in bounded memory: it reads only a few batches ahead of the caller. A bad
 * file ends the iteration with a thrown `BadFile`. An error of the byte stream itself is thrown unchanged.
 */
export function readFile(bytes: AsyncIterable<Uint8Array>, options: ReadFileOptions): FileReader {
  const count = { bytes: 0, sessions: 0, messages: 0 }
  return { batches: batchesOf(bytes, options, count), progress: () => ({ ...count }) }
}

async function* batchesOf(
  bytes: AsyncIterable<Uint8Array>,
  { format, mint, abort, now = Date.now() }: ReadFileOptions,
  count: { bytes: number; sessions: number; messages: number },
): AsyncGenerator<readonly ArchiveItem[]> {
  const settings: ReadSettings = { format, turns: mint('trn'), now }
  const source = pieces(bytes)
  const heard: Heard[] = []
  let wake: (() => void) | undefined
  const hear = (what: Heard): void => {
    heard.push(what)
    wake?.()
  }
  const worker = startWorker(settings, hear)
  const aborted = (): void => {
    void worker.terminate()
    wake?.()
  }
  abort?.addEventListener('abort', aborted, { once: true })

  const send = async (): Promise<void> => {
    try {
      const next = await source.next()
      if (next.done === true) return worker.postMessage({ end: true } satisfies ToWorker)
      count.bytes += next.value.length
      worker.postMessage({ bytes: next.value } satisfies ToWorker, [next.value.buffer])
    } catch (cause) {
      hear({ failed: cause })
    }
  }

  try {
    for (;;) {
      if (abort?.aborted === true) throw stopped()
      const next = heard.shift()
      if (next === undefined) {
        await new Promise<void>(resolve => {
          wake = resolve
        })
      } else if ('want' in next) void send()
      else if ('bad' in next) throw new BadFile(next.bad)
      else if ('failed' in next) throw next.failed
      else if ('done' in next) return
      else if ('batch' in next) {
        for (const found of next.batch) {
          if (found.type === 'session') count.sessions += 1
          else if (found.type === 'fact') count.messages += found.messages
        }
        yield next.batch
        worker.postMessage({ taken: true } satisfies ToWorker)
      }
    }
  } finally {
    abort?.removeEventListener('abort', aborted)
    await worker.terminate()
    // Not awaited: the caller has given up, and bytes that never arrive would keep it waiting.
    source.return(undefined).catch(() => {})
  }
}

type Heard = FromWorker | { readonly failed: unknown }

const stopped = (): BadFile => new BadFile(fault('cancelled', 'reading the file was stopped'))

function startWorker(settings: ReadSettings, hear: (what: Heard) => void): Worker {
  const source = import.meta.url.endsWith('.ts') ? './read-worker.ts' : './read-worker.js'
  const worker = new Worker(new URL(source, import.meta.url), {
    workerData: settings,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
  })
  worker.on('message', (message: FromWorker) => hear(message))
  worker.on('error', cause => {
    const isTooMuch = cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
    hear({ failed: isTooMuch ? badFile('the file takes more memory to read than there is for it') : cause })
  })
  worker.on('exit', () => hear({ failed: new Error('the thread that reads the file ended') }))
  return worker
}

/** The same bytes in pieces of one size. Each piece has its own buffer, which can be transferred to the thread. */
async function* pieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let piece = new Uint8Array(PIECE)
  let filled = 0
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; ) {
      const part = chunk.subarray(at, at + PIECE - filled)
      piece.set(part, filled)
      filled += part.length
      at += part.length
      if (filled < PIECE) continue
      yield piece
      piece = new Uint8Array(PIECE)
      filled = 0
    }
  }
  if (filled > 0) yield piece.slice(0, filled)
}
