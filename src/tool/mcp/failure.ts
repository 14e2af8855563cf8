// Tells apart how a request to an MCP server failed.
import { TOO_LARGE } from './fetch.ts'
import { readableDescription } from './listing.ts'

export type Library = typeof import('@modelcontextprotocol/client')

/** How a request to a server failed. Only after the first two is the server certainly still there. */
export type Failure =
  /** The server itself refused. */
  | { readonly kind: 'refused'; readonly why: string }
  /** The server wants to ask a person in the middle of a call. */
  | { readonly kind: 'asks'; readonly why: string }
  | { readonly kind: 'late'; readonly why: string }
  /** No part of the request can have reached the server. */
  | { readonly kind: 'unreached'; readonly why: string }
  /** The server wants to know who asks. Nothing was done. */
  | { readonly kind: 'unknown-person'; readonly why: string }
  | { readonly kind: 'garbled'; readonly why: string }
  | { readonly kind: 'gone'; readonly why: string }

/** Keeps a request from being sent, for the reason in its message. */
export class NotSent extends Error {}

/** The error code for a request whose stream ended without an answer. The library itself would wait until the timeout. */
export const CUT_SHORT = -32_099

/** Describes a failure in our own words where possible, because a stranger's words may repeat our headers. */
export function failureOf(library: Library, cause: unknown): Failure {
  if (!(cause instanceof Error)) return { kind: 'gone', why: 'it failed' }
  const { SdkHttpError, SdkError, SdkErrorCode, ProtocolError, UnauthorizedError, InsufficientScopeError } = library
  if (cause instanceof NotSent) return { kind: 'unreached', why: cause.message }
  if (cause instanceof UnauthorizedError)
    // The library's own error says only this.
    return cause.message === 'Unauthorized' ? UNKNOWN_PERSON : { kind: 'unknown-person', why: cause.message }
  if (cause instanceof InsufficientScopeError)
    return { kind: 'unknown-person', why: 'it wants more rights than the sign-in has; sign in again' }
  if (cause instanceof ProtocolError)
    return cause.code === CUT_SHORT
      ? { kind: 'gone', why: 'it hung up' }
      : { kind: 'refused', why: readableDescription(cause.message, 400).replaceAll('\n', ' ') }
  if (cause instanceof SdkHttpError) {
    const { status } = cause
    if (status === 401) return UNKNOWN_PERSON
    return { kind: status < 500 ? 'unreached' : 'gone', why: `it answers with HTTP ${status}` }
  }
  if (cause instanceof SdkError) {
    if (cause.code === SdkErrorCode.RequestTimeout) return { kind: 'late', why: 'it does not answer' }
    if (cause.code === SdkErrorCode.ConnectionClosed) return { kind: 'gone', why: 'it hung up' }
    if (cause.code === SdkErrorCode.UnsupportedResultType)
      return { kind: 'asks', why: 'it asks for something in the middle of a call' }
    if (cause.code === SdkErrorCode.InvalidResult) return { kind: 'garbled', why: 'its answer cannot be read' }
  }
  if (cause.cause instanceof Error) return failureOf(library, cause.cause)
  const { code = '' } = cause as NodeJS.ErrnoException
  if (code === TOO_LARGE) return { kind: 'garbled', why: 'its answer is too large' }
  if (Object.hasOwn(UNREACHED, code)) return { kind: 'unreached', why: `${UNREACHED[code]} (${code})` }
  return {
    kind: 'gone',
    why: /^E[A-Z]+$/.test(code) ? `the connection broke (${code})` : readableDescription(cause.message, 200),
  }
}

export const UNKNOWN_PERSON: Failure = { kind: 'unknown-person', why: 'it answers with HTTP 401' }

const UNREACHED: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'no server listens at its address',
  ENOTFOUND: 'its address is not known',
  EAI_AGAIN: 'its address could not be looked up',
  EHOSTUNREACH: 'there is no way to its address',
  ENETUNREACH: 'there is no way to its address',
  ENOENT: 'its command was not found',
  EACCES: 'its command may not be run',
  ENOTDIR: 'its command was not found',
}
