// Hashes a tool's description file.
import { createHash } from 'node:crypto'

/** The SHA-256 in hex of a tool's description. The same description gives the same hash. */
export const describedHash = (description: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(description) ?? '')
    .digest('hex')
