import type { Found } from './found.ts'

/** Reads one file: given its bytes piece by piece, it gives what it found in them so far. */
export type Reader = {
  readonly push: (bytes: Uint8Array) => Iterable<Found>
  readonly end: () => Iterable<Found>
}

/** Makes sessions of one format's values; the place is where the value stands. */
export type Teller = {
  readonly take: (value: unknown) => Iterable<Found>
  readonly end: () => Iterable<Found>
}
