/** What a database or the way to it can do wrong, and how it is said: in plain words, without an address or a password. */

import { type Fault, fault } from '../../model/fault.ts'

/** What the driver threw. Everything else that is thrown is a bug. */
export class DatabaseTrouble extends Error {
  /** PostgreSQL's code, or the system's; empty if there is none. */
  readonly code: string
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    const { code } = (cause ?? {}) as { readonly code?: unknown }
    this.code = typeof code === 'string' ? code : ''
  }
}

/** What went wrong, in words. A bug of ours is thrown on. */
export function faultOf(cause: unknown): Fault {
  if (!(cause instanceof DatabaseTrouble) || isOurs(cause)) throw cause
  return troubleInWords(cause)
}

export const troubleInWords = (trouble: DatabaseTrouble): Fault =>
  fault('store', `the database cannot be used: ${wordsFor(trouble)}`)

const NO_RIGHTS = '42501'
const NO_SCHEMA = '3F000'
const NO_TABLE = '42P01'
const NAME_TAKEN = '42P05'
const NAME_UNKNOWN = '26000'

/**
 * Our own mistakes in a statement or its values, which trying again does not mend. Missing rights, tables that are gone, and
 * statements that a pooler has mixed up are the operator's.
 */
function isOurs({ code, cause }: DatabaseTrouble): boolean {
  if (code === '') return cause instanceof TypeError || cause instanceof RangeError
  if (code === NO_RIGHTS || code === NO_TABLE || code === NAME_TAKEN) return false
  return ['22', '23', '42', '54', 'P0'].some(kind => code.length === 5 && code.startsWith(kind))
}

/** Whether the database has undone a transaction only because of others at the same time: it can be done again at once. */
export const isUndone = (cause: unknown): boolean =>
  cause instanceof DatabaseTrouble && (cause.code === '40001' || cause.code === '40P01')

/** Whether the connection is of no use any more. Nothing that is sent on it will be answered. */
export const isConnectionCut = (cause: unknown): boolean =>
  cause instanceof DatabaseTrouble && (!/^[0-9A-Z]{5}$/.test(cause.code) || /^(08|57P0)/.test(cause.code))

const NO_RIGHTS_WORDS = 'its user may not create or read tables there; grant it usage and create on the schema, then start again'
const POOLER_WORDS = 'a pooler is in between; add pgbouncer=true to its address'

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers at its address',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name cannot be looked up now',
  ENOENT: 'a file that its address names is not there',
  EACCES: 'a file that its address names cannot be read',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ETIMEDOUT: 'nothing answers at its address',
  EHOSTUNREACH: 'there is no way to its address',
  ENETUNREACH: 'there is no way to its address',
  [NO_RIGHTS]: NO_RIGHTS_WORDS,
  [NO_SCHEMA]: NO_RIGHTS_WORDS,
  [NO_TABLE]: 'its tables are gone; restore them, or start again on an empty database',
  [NAME_TAKEN]: POOLER_WORDS,
  [NAME_UNKNOWN]: POOLER_WORDS,
  '25006': 'it is read-only, as a standby is; connect to the primary',
  '28P01': 'the password is wrong',
  '28000': 'this user may not connect',
  '3D000': 'there is no database of that name',
  '53100': 'its disk is full',
  '53200': 'it is out of memory',
  '53300': 'it has no connection left; raise max_connections, or use PgBouncer',
  '55P03': 'it was busy for too long',
  '57014': 'it took too long to answer',
  '57P01': 'it is shutting down',
  '57P02': 'it is starting again after a crash',
  '57P03': 'it is starting up or shutting down',
  '57P05': 'the connection was idle for too long',
  '25P03': 'this node was too slow in the middle of a transaction',
}

/** What the driver says of its own, without a code. */
const DRIVER_WORDS: readonly (readonly [RegExp, string])[] = [
  [/timeout exceeded when trying to connect/, 'no connection to it was free in time'],
  [/timeout/, 'it does not answer in time'],
  [/terminated|not queryable|was closed/, 'the connection was cut'],
  [/password must be a/, 'it asks for a password, and its address has none'],
]

const isCertificate = (code: string): boolean => /CERT|SIGNATURE|TLS|SSL/.test(code)

function wordsFor({ code, message }: DatabaseTrouble): string {
  if (/unsupported startup parameter/.test(message)) return POOLER_WORDS
  if (WORDS[code] !== undefined) return WORDS[code]
  if (code === '') return DRIVER_WORDS.find(([said]) => said.test(message))?.[1] ?? (message || 'no answer')
  if (isCertificate(code))
    return `its certificate is not one that this machine trusts (${code}); name that of its authority with sslrootcert=`
  // The system puts addresses and names into its messages; those of the database and of the driver have none.
  return /^E[A-Z]{2}|_/.test(code) ? `the way to it is broken (${code})` : message || code
}
