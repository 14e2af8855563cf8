// The interfaces of readers: one per file, one per format.
import type { ArchiveItem } from './found.ts'

/** Reads one file. It is given the bytes piece by piece, and gives the items found so far. */
export type FormatReader = {
  readonly push: (bytes: Uint8Array) => Iterable<ArchiveItem>
  readonly end: () => Iterable<ArchiveItem>
}

/** Makes sessions from the values of one format. `place` is the position of the value. */
export type ConversationReader = {
  readonly take: (value: unknown) => Iterable<ArchiveItem>
  readonly end: () => Iterable<ArchiveItem>
}
