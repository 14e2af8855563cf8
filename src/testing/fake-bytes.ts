/** Cuts a fake answer into pieces of bytes, as its script says. */
import type { Stream } from './fake-frames.ts'
import { type Script, scriptFault } from './fake-script.ts'

/** Bytes to write at once. `rests` is true if a frame ends with them: only there is a ping harmless. */
export type FakePiece = { readonly bytes: Uint8Array; readonly rests: boolean }

/** How much of the body is sent, and what happens to the connection then. */
export type Limit = { readonly bytes: number; readonly finally: 'rst' | 'fin' | 'end' | 'stall' | 'hang' }

/** Cuts a stream into pieces, up to its limit. It is lazy, because a stream may be endless. */
export function* fakePieces(stream: Stream, script: Script, limit: Limit): Generator<FakePiece> {
  const { sizes } = scriptFault(script, 'chunks') ?? {}
  let left = limit.bytes
  for (const piece of sizes === undefined || sizes.length === 0 ? whole(stream) : cut(stream, sizes)) {
    if (left === 0) return
    yield piece.bytes.length <= left ? piece : { bytes: piece.bytes.subarray(0, left), rests: false }
    left -= Math.min(left, piece.bytes.length)
  }
}

export function limitOf(stream: Stream, script: Script): Limit {
  const cutAt = scriptFault(script, 'cutAt')
  if (cutAt !== undefined) return { bytes: cutAt.byte, finally: cutAt.how ?? 'rst' }
  const stall = scriptFault(script, 'stallAt')
  const bytes = stall && scriptFault(script, 'pingEvery') ? restBefore(stream, stall.byte) : stall?.byte
  if (bytes !== undefined) return { bytes, finally: 'stall' }
  return { bytes: Number.POSITIVE_INFINITY, finally: scriptFault(script, 'afterDoneHang') ? 'hang' : 'end' }
}

/** The end of the last frame that fits. */
function restBefore(stream: Stream, byte: number): number {
  let end = 0
  for (const frame of framesOf(stream)) {
    if (end + Buffer.byteLength(frame) > byte) break
    end += Buffer.byteLength(frame)
  }
  return end
}

function* whole(stream: Stream): Generator<FakePiece> {
  for (const frame of framesOf(stream)) yield { bytes: Buffer.from(frame), rests: true }
}

function* cut(stream: Stream, sizes: readonly number[]): Generator<FakePiece> {
  const sizeOf = (nth: number): number => Math.max(1, sizes[nth % sizes.length] ?? 1)
  let held = Buffer.alloc(0)
  let nth = 0
  for (const frame of framesOf(stream)) {
    held = Buffer.concat([held, Buffer.from(frame)])
    for (; held.length >= sizeOf(nth); nth += 1) {
      yield { bytes: held.subarray(0, sizeOf(nth)), rests: held.length === sizeOf(nth) }
      held = held.subarray(sizeOf(nth))
    }
  }
  if (held.length > 0) yield { bytes: held, rests: true }
}

function* framesOf({ frames, forever }: Stream): Generator<string> {
  yield* frames
  while (forever !== undefined) yield forever
}
