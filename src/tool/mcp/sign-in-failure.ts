// Says why a sign-in failed in our own words, because a stranger's words may repeat what must stay secret.
import { failureOf, type Library } from './failure.ts'
import { RefusedAddress } from './sign-in-fetch.ts'

export function whySignInFailed(library: Library, cause: unknown): string {
  if (!(cause instanceof Error)) return 'it failed'
  if (cause instanceof RefusedAddress) return cause.message
  if (cause instanceof library.OAuthError) return `the authorization server refused it${codeOf(cause.code)}`
  if (cause instanceof library.RegistrationRejectedError)
    return `the authorization server does not take Turnwise as a client (HTTP ${cause.status})`
  if (cause instanceof library.InsecureTokenEndpointError) return 'the authorization server gives tokens without encryption'
  if (cause instanceof library.OAuthClientFlowError) return 'the answer is from another authorization server than expected'
  if (cause.name === 'TimeoutError' || cause.name === 'AbortError') return 'it took too long'
  if (cause.name === 'ZodError' || cause instanceof SyntaxError)
    return 'the authorization server answered with something that cannot be used'
  if (cause.message.startsWith(INCOMPATIBLE)) return `the authorization server ${cause.message.slice(INCOMPATIBLE.length)}`
  return failureOf(library, cause).why
}

const INCOMPATIBLE = 'Incompatible auth server: '

/** OAuth's own codes are safe to show; a server may put anything in their place. */
const codeOf = (code: string): string => (/^[a-z_]{3,40}$/.test(code) ? ` (${code})` : '')

/** Codes of a server that is in trouble. After any other one the same request would be refused again. */
const PASSING = ['server_error', 'temporarily_unavailable', 'too_many_requests', 'slow_down']

/** True if a renewal was refused, and a person has to sign in again. */
export const isRefusedForGood = (library: Library, cause: unknown): boolean =>
  cause instanceof library.OAuthError && !PASSING.includes(cause.code)
