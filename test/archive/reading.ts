import { readFileSync } from 'node:fs'
import { type ArchiveItem, BadFile, type ImportFormat } from '../../src/archive/input/found.ts'
import { readBytes } from '../../src/archive/input/read-bytes.ts'
import type { TurnId } from '../../src/model/ids.ts'

export const NOW: number = Date.UTC(2026, 5, 1)

export const fileOf = (name: string): Buffer => readFileSync(new URL(`files/${name}`, import.meta.url))

export async function* inPieces(bytes: Uint8Array, size: number = bytes.length): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** All that a file holds, read without a thread. */
export async function readAll(
  bytes: Uint8Array | string | AsyncIterable<Uint8Array>,
  format?: ImportFormat,
): Promise<readonly ArchiveItem[]> {
  const found: ArchiveItem[] = []
  const chunks = typeof bytes === 'string' ? inPieces(Buffer.from(bytes)) : bytes instanceof Uint8Array ? inPieces(bytes) : bytes
  for await (const batch of readBytes(chunks, { format, turns: 'trn_t' as TurnId, now: NOW })) found.push(...batch)
  return found
}

/** What is said of a bad file; anything but a `BadFile` is our own mistake. */
export async function complaint(bytes: Uint8Array | string | AsyncIterable<Uint8Array>, format?: ImportFormat): Promise<string> {
  try {
    await readAll(bytes, format)
  } catch (cause) {
    if (cause instanceof BadFile) return cause.fault.message
    throw cause
  }
  return 'nothing'
}

export const remarksIn = (found: readonly ArchiveItem[]): readonly string[] =>
  found.flatMap(each => (each.type === 'remark' ? [each.message] : []))
