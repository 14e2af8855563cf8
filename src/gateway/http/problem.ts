/** Faults as HTTP answers: problems as RFC 9457 describes them. */
import type { ServerResponse } from 'node:http'
import type { Fault, FaultKind } from '../../model/fault.ts'

/** An error as RFC 9457 wants it, with the kind of fault beside it. */
export type Problem = {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly fault: FaultKind
}

const STATUS: Record<FaultKind, number> = {
  invalid: 400,
  unauthorized: 401,
  'not-found': 404,
  conflict: 409,
  'too-large': 413,
  'too-long': 422,
  budget: 402,
  throttled: 429,
  overloaded: 503,
  unreachable: 502,
  timeout: 504,
  garbled: 502,
  rejected: 502,
  refused: 422,
  denied: 403,
  tool: 502,
  cancelled: 409,
  store: 503,
  bug: 500,
}

const TITLE: Record<FaultKind, string> = {
  invalid: 'The request is not valid',
  unauthorized: 'Not allowed',
  'not-found': 'Not found',
  conflict: 'Conflict',
  'too-large': 'The body is too large',
  'too-long': 'The context is too long',
  budget: 'The budget is used up',
  throttled: 'Too many requests',
  overloaded: 'Overloaded',
  unreachable: 'Unreachable',
  timeout: 'Took too long',
  garbled: 'The answer was garbled',
  rejected: 'Rejected by the provider',
  refused: 'Refused by the model',
  denied: 'Denied',
  tool: 'A tool failed',
  cancelled: 'Cancelled',
  store: 'The store does not answer',
  bug: 'Something went wrong inside Turnwise',
}

/** A status that HTTP itself knows better than the fault's kind does. */
export type Refusal = { readonly fault: Fault; readonly status?: number }

export const problemOf = ({ fault, status = STATUS[fault.kind] }: Refusal): Problem => ({
  type: `urn:turnwise:fault:${fault.kind}`,
  title: TITLE[fault.kind],
  status,
  detail: fault.message,
  fault: fault.kind,
})

export function problemHeaders({ fault }: Refusal): Record<string, string> {
  const after = fault.retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(fault.retryAfterMs / 1000)) }
  const challenge = fault.kind === 'unauthorized' ? { 'www-authenticate': 'Bearer realm="turnwise"' } : {}
  // What is left of the body will not be read, so the connection cannot be used again.
  const last = fault.kind === 'too-large' ? { connection: 'close' } : {}
  return { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...after, ...challenge, ...last }
}

export function problemResponse(refusal: Refusal): Response {
  const problem = problemOf(refusal)
  return new Response(JSON.stringify(problem), { status: problem.status, headers: problemHeaders(refusal) })
}

/** For a request that is refused before anything of its body was read: the connection goes with it. */
export function refuse(response: ServerResponse, refusal: Refusal): void {
  const problem = problemOf(refusal)
  response.writeHead(problem.status, { ...problemHeaders(refusal), connection: 'close' })
  response.end(JSON.stringify(problem))
}
