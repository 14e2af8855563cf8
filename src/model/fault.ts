/** Faults: every kind of ordinary trouble, as part of the contract. */

/** Every kind of ordinary trouble there is; the list is closed and part of the contract. */
export const FAULT_KINDS = [
  'invalid',
  'unauthorized',
  'not-found',
  'conflict',
  'too-large',
  'too-long',
  'budget',
  'throttled',
  'overloaded',
  'unreachable',
  'timeout',
  'garbled',
  'rejected',
  'refused',
  'denied',
  'tool',
  'cancelled',
  'store',
  'bug',
] as const

export type FaultKind = (typeof FAULT_KINDS)[number]

/** Ordinary trouble that knows whether trying again may help. */
export type Fault = {
  readonly kind: FaultKind
  readonly message: string
  readonly retryable: boolean
  readonly retryAfterMs?: number
}

const RETRYABLE: ReadonlySet<FaultKind> = new Set(['throttled', 'overloaded', 'unreachable', 'timeout', 'garbled', 'store'])

export const fault = (kind: FaultKind, message: string, retryAfterMs?: number): Fault => ({
  kind,
  message,
  retryable: RETRYABLE.has(kind),
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
})
