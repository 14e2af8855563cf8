// The interfaces of readers: one per file, one per format.
import type { ArchiveItem } from './found.ts'

/** Reads one file: given its bytes piece by piece, it gives what it found in them so far. */
export type FormatReader = {
  readonly push: (bytes: Uint8Array) => Iterable<ArchiveItem>
  readonly end: () => Iterable<ArchiveItem>
}

/** Makes sessions of one format's values; the place is where the value stands. */
export type ConversationReader = {
  readonly take: (value: unknown) => Iterable<ArchiveItem>
  readonly end: () => Iterable<ArchiveItem>
}
