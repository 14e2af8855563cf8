/** Says what an HTTP status or a provider's error means, and whether to try again. */
import { type Fault, type FaultKind, fault } from '../../model/fault.ts'

/** What went wrong with a request, and whether to send it again. */
export type RequestTrouble = { readonly fault: Fault; readonly again: boolean }

export const trouble = (kind: FaultKind, message: string, again = false): RequestTrouble => ({
  fault: fault(kind, message),
  again,
})

/** The longest wait that a provider may ask for. Beyond it the request is given up. */
const LONGEST_WAIT_MS = 60_000
/** The most characters of a provider's error that a person sees. */
const MOST_SHOWN = 500

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>

/** An answer that is not a success. */
export type Answered = {
  readonly provider: string
  readonly status: number
  readonly headers: Headers
  readonly body: string
  /** The variable to set if the key is wrong. */
  readonly keyName: string
  readonly now: number
}

/** The meaning of a status that is not a success. The table is part of the contract. */
export function statusTrouble({ provider, status, headers, body, keyName, now }: Answered): RequestTrouble {
  const said = errorText(body)
  const says = said === '' ? '' : `: ${said}`
  if (status === 401 || status === 403)
    return trouble(
      'unauthorized',
      `${provider} refused the key (${status})${says}; set ${keyName} to one that is valid, or run "turnwise connect ${provider}"`,
    )
  if (status === 402) return trouble('unauthorized', `${provider} wants to be paid first (402)${says}`)
  if (status === 404) return trouble('not-found', `${provider} knows no such model or address (404)${says}`)
  if (status === 408) return trouble('timeout', `${provider} took too long (408)${says}`, true)
  if (status === 413) return trouble('too-long', `${provider} says that the request is too large (413)${says}`)
  if (status === 429) return busy('throttled', `${provider} asks for fewer requests (429)${says}`, headers, now, !isSpent(body))
  if (status === 409 || status >= 500) return busy('overloaded', `${provider} cannot answer now (${status})${says}`, headers, now)
  if (status >= 300 && status < 400) {
    const where = headers.location === undefined ? '' : ` to ${originOf(String(headers.location))}`
    return trouble('rejected', `${provider} answered with a redirect${where}, which is not followed; set its baseURL`)
  }
  const kind = isTooLong(body) ? 'too-long' : 'rejected'
  return trouble(kind, `${provider} did not accept the request (${status})${says}`)
}

/** Worth another try, unless the provider asks for too long a wait. */
function busy(kind: FaultKind, message: string, headers: Headers, now: number, mayHelp = true): RequestTrouble {
  const wait = waitOf(headers, now)
  return { fault: fault(kind, message, wait ?? undefined), again: mayHelp && (wait ?? 0) <= LONGEST_WAIT_MS }
}

/** The trouble for an error inside the stream, by the provider's own name or number for it. */
export function errorTrouble(provider: string, code: string | number | undefined, message: string): RequestTrouble {
  const status = typeof code === 'string' && /^\d{3}$/.test(code) ? Number(code) : code
  if (typeof status === 'number')
    return statusTrouble({ provider, status, headers: {}, body: message, keyName: 'its key', now: 0 })
  const known = status !== undefined && Object.hasOwn(NAMED, status) ? NAMED[status] : undefined
  const [kind, again] = known ?? (isTooLong(message) ? NOT_AGAIN : UNNAMED)
  const says = message === '' ? '' : `: ${shortened(message)}`
  return trouble(kind, `${provider} stopped with an error (${status ?? 'unnamed'})${says}`, again)
}

const UNNAMED: readonly [FaultKind, boolean] = ['overloaded', true]
const NOT_AGAIN: readonly [FaultKind, boolean] = ['too-long', false]

const NAMED: Readonly<Record<string, readonly [FaultKind, boolean]>> = {
  overloaded_error: ['overloaded', true],
  api_error: ['overloaded', true],
  server_error: ['overloaded', true],
  internal_server_error: ['overloaded', true],
  timeout_error: ['timeout', true],
  rate_limit_error: ['throttled', true],
  rate_limit_exceeded: ['throttled', true],
  insufficient_quota: ['throttled', false],
  authentication_error: ['unauthorized', false],
  permission_error: ['unauthorized', false],
  invalid_api_key: ['unauthorized', false],
  billing_error: ['unauthorized', false],
  not_found_error: ['not-found', false],
  model_not_found: ['not-found', false],
  request_too_large: ['too-long', false],
  context_length_exceeded: ['too-long', false],
  invalid_request_error: ['rejected', false],
  invalid_prompt: ['rejected', false],
  content_filter: ['refused', false],
}

/** Waiting does not help if the account has no credit left. */
const isSpent = (body: string): boolean =>
  /insufficient_quota|credit_balance_exhausted|_(spend|usage)_limit_(exceeded|reached)/.test(body)

/** Every provider words this error differently. */
const isTooLong = (body: string): boolean =>
  /context[ _]length|maximum context|prompt is too long|exceeds? (the )?(available |model's )?context|exceed_context_size/i.test(
    body,
  )

/** The message of an error body, in any of its shapes. A page of HTML has nothing that a person should read here. */
export function errorText(body: string): string {
  const text = body.trim()
  if (text.startsWith('<')) return ''
  // Gemini's errors are in a list.
  return shortened(/^\[?\s*\{/.test(text) ? innerError(text).message : text)
}

type InnerError = { readonly code: string | number | undefined; readonly message: string }

/** How deep errors may be within errors. No provider means more, and reading each level again would take long. */
const MOST_LEVELS = 8

/** Ollama wraps the error of the program below it as JSON in a text. */
export function innerError(text: string, levels: number = MOST_LEVELS): InnerError {
  try {
    return errorIn(JSON.parse(text), levels) ?? { code: undefined, message: text }
  } catch {
    return { code: undefined, message: text }
  }
}

function errorIn(body: unknown, levels: number): InnerError | undefined {
  const first: unknown = Array.isArray(body) ? body[0] : body
  if (typeof first !== 'object' || first === null || levels === 0) return undefined
  const { error, message, detail, code } = first as Readonly<Record<string, unknown>>
  if (typeof error === 'object' && error !== null) return errorIn(error, levels - 1)
  const said = [message, error, detail].find(each => typeof each === 'string') ?? ''
  const inner = said.startsWith('{') ? innerError(said, levels - 1) : { code: undefined, message: said }
  return {
    code: inner.code ?? (typeof code === 'string' || typeof code === 'number' ? code : undefined),
    message: inner.message,
  }
}

const shortened = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= MOST_SHOWN ? line : `${line.slice(0, MOST_SHOWN)}…`
}

const originOf = (location: string): string => (URL.canParse(location) ? new URL(location).origin : 'another place')

/** How long a provider asks us to wait, in any known form. Returns null if it does not say, or says nonsense. */
export function waitOf(headers: Headers, now: number): number | null {
  const given = (name: string): string => String(headers[name] ?? '').trim()
  const ms = given('retry-after-ms')
  if (/^\d+(\.\d+)?$/.test(ms)) return Math.ceil(Number(ms))
  const after = given('retry-after')
  if (/^\d+(\.\d+)?$/.test(after)) return Math.ceil(Number(after) * 1000)
  const date = /[a-z]/i.test(after) ? Date.parse(after) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}
