// Hashes a tool's description file.
import { createHash } from 'node:crypto'

/** SHA-256, in hex, of a description as it was read; the same file gives the same hash. */
export const describedHash = (description: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(description) ?? '')
    .digest('hex')
