// Reads a file's bytes, zipped or not, into batches of items.
import type { TurnId } from '../../model/ids.ts'
import type { FactsBuilderNeeds } from '../formats/facts-builder.ts'
import { ByteSource } from './byte-source.ts'
import { KNOWN } from './detect.ts'
import { type ArchiveItem, badFile, type ImportFormat } from './found.ts'
import type { FilePosition } from './place.ts'
import { createRemarkCounter } from './remarks.ts'
import { textReader } from './text-reader.ts'
import { isZip, zipEntries } from './zip.ts'

export type ReadSettings = {
  readonly format?: ImportFormat | undefined
  /** The first part of every turn id, minted for this file alone. */
  readonly turns: TurnId
  readonly now: number
}

/** Names of the files in a ZIP that are read. All other files are skipped. */
const WANTED = [
  /(?:^|\/)conversations(?:-\d{1,6})?\.json$/,
  /(?:^|\/)sessions\/\d{4}-\d\d-\d\d\/[^/]+\.json$/,
  /(?:^|\/)turnwise[^/]*\.json$/,
]
/** Files that macOS adds beside every file of a ZIP. */
const SHADOW = /(?:^|\/)(?:__MACOSX\/|\._)/

const isWanted = (name: string): boolean => !SHADOW.test(name) && WANTED.some(pattern => pattern.test(name))

const MOST_THINGS = 200
const MOST_CHARACTERS = 256 << 10

/** Reads all items of a file, a batch at a time. It reads nothing further until the caller has taken the batch. */
export async function* readBytes(
  chunks: AsyncIterable<Uint8Array>,
  settings: ReadSettings,
): AsyncGenerator<readonly ArchiveItem[]> {
  let count = 0
  const turnId = (): TurnId => {
    count += 1
    return `${settings.turns}x${count}` as TurnId
  }
  const needs: FactsBuilderNeeds = { now: settings.now, remarks: createRemarkCounter(), turnId }
  const source = new ByteSource(chunks[Symbol.asyncIterator]())
  if (isZip(await source.peek(4))) {
    let files = 0
    for await (const { name, bytes } of zipEntries(source, isWanted)) {
      files += 1
      yield* read(bytes, needs, { file: shortened(name) }, settings.format)
    }
    if (files === 0) throw badFile(`there is no file of conversations in this ZIP; ${KNOWN}`)
  } else yield* read(rest(source), needs, {}, settings.format)
  yield needs.remarks.all()
}

const shortened = (name: string): string => (name.length > 120 ? `…${name.slice(-119)}` : name).replace(/[\p{Cc}]/gu, '?')

async function* rest(source: ByteSource): AsyncGenerator<Uint8Array> {
  for (;;) {
    const bytes = await source.some(1 << 20)
    if (bytes.length === 0) return
    yield bytes
  }
}

async function* read(
  chunks: AsyncIterable<Uint8Array>,
  needs: FactsBuilderNeeds,
  place: FilePosition,
  format: ImportFormat | undefined,
): AsyncGenerator<readonly ArchiveItem[]> {
  const reader = textReader(needs, place, format)
  let batch: ArchiveItem[] = []
  let characters = 0
  const filled = function* (found: Iterable<ArchiveItem>): Generator<readonly ArchiveItem[]> {
    for (const each of found) {
      batch.push(each)
      characters += lengthOf(each)
      if (batch.length < MOST_THINGS && characters < MOST_CHARACTERS) continue
      yield batch
      batch = []
      characters = 0
    }
  }
  for await (const chunk of chunks) yield* filled(reader.push(chunk))
  yield* filled(reader.end())
  if (batch.length > 0) yield batch
}

/** About how many bytes it takes to hand an item over. */
function lengthOf(found: ArchiveItem): number {
  if (found.type === 'text') return found.text.length
  if (found.type !== 'fact') return 200
  const { fact } = found
  if (fact.type === 'message.received')
    return fact.text.length + (fact.parts ?? []).reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0)
  if (fact.type === 'reply.finished' || fact.type === 'reply.broken')
    return fact.parts.reduce((sum, part) => sum + (part.type === 'call' ? 500 : part.text.length), 0)
  if (fact.type === 'tool.settled') return (fact.content?.length ?? 100) + 300 * (fact.images?.length ?? 0)
  return fact.type === 'context.planned' ? 8000 : 100
}
