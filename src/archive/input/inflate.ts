// Inflates a deflated stream.
import { createInflateRaw } from 'node:zlib'
import type { ByteSource } from './byte-source.ts'
import { badFile } from './found.ts'

/** Pieces are small, because inflating can make one a thousand times as long. */
const PIECE = 32 << 10

/**
 * Inflates a deflated stream. The stream marks its own end, so its length need not be known: bytes that were taken beyond the
 * end are given back. If the length is known, the stream must end exactly there.
 */
export async function* inflated(source: ByteSource, length: number | undefined, name: string): AsyncGenerator<Uint8Array> {
  const inflate = createInflateRaw({ chunkSize: 64 << 10 })
  let out: Uint8Array[] = []
  let trouble: Error | undefined
  inflate.on('data', (bytes: Uint8Array) => out.push(bytes))
  inflate.on('error', cause => {
    trouble = cause
  })
  const closed = new Promise<void>(resolve => {
    inflate.once('end', resolve)
    inflate.once('close', resolve)
  })
  const given = (work: (done: () => void) => void): Promise<void> =>
    new Promise(resolve => {
      inflate.once('error', resolve)
      work(() => {
        inflate.off('error', resolve)
        resolve()
      })
    })
  const damaged = (): Error => badFile(`${name} is damaged inside the ZIP`)
  try {
    let fed = 0
    while (length === undefined || fed < length) {
      const piece = await source.some(Math.min(PIECE, (length ?? PIECE) - (length === undefined ? 0 : fed)))
      if (piece.length === 0) throw badFile('the ZIP ends in the middle; it was cut off')
      await given(done => inflate.write(piece, done))
      if (trouble !== undefined) throw damaged()
      fed += piece.length
      yield* out
      out = []
      const beyond = fed - inflate.bytesWritten
      if (beyond > 0) {
        if (length !== undefined) throw damaged()
        source.giveBack(piece.subarray(piece.length - beyond))
        return
      }
    }
    inflate.end()
    await closed
    if (trouble !== undefined) throw damaged()
    yield* out
  } finally {
    inflate.destroy()
  }
}
