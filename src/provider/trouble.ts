import { type Fault, type FaultKind, fault } from '../model/fault.ts'

/** What went wrong with a request, and whether it makes sense to send it once more. */
export type Trouble = { readonly fault: Fault; readonly again: boolean }

export const trouble = (kind: FaultKind, message: string, again = false): Trouble => ({ fault: fault(kind, message), again })

/** The longest that a provider may make us wait before a request is given up instead. */
const LONGEST_WAIT_MS = 60_000
/** No error of a provider is worth more of a person's screen. */
const MOST_SHOWN = 500

type Answered = {
  readonly provider: string
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
  /** What to set when the key is at fault. */
  readonly keyName: string
  readonly now: number
}

/** What a status that is not a success means; the table is part of the contract. */
export function statusTrouble(answered: Answered): Trouble {
  const { provider, status, headers, keyName, now } = answered
  const said = errorText(answered.body)
  const says = said === '' ? '' : `: ${said}`
  if (status === 401 || status === 403)
    return trouble('unauthorized', `${provider} refused the key (${status})${says}; set ${keyName} to one that is valid`)
  if (status === 404) return trouble('not-found', `${provider} knows no such model or address (404)${says}`)
  if (status === 413) return trouble('too-long', `${provider} says that the request is too large (413)${says}`)
  if (status === 408) return trouble('timeout', `${provider} took too long (408)${says}`, true)
  const wait = waitOf(headers, now)
  const isSoon = (wait ?? 0) <= LONGEST_WAIT_MS
  if (status === 429) {
    const message = `${provider} asks for fewer requests (429)${says}`
    return { fault: fault('throttled', message, wait ?? undefined), again: isSoon && !isSpent(answered.body) }
  }
  if (status === 409 || status >= 500)
    return { fault: fault('overloaded', `${provider} cannot answer now (${status})${says}`, wait ?? undefined), again: isSoon }
  if (status >= 300 && status < 400) {
    const to = headers.location === undefined ? '' : ` to ${originOf(String(headers.location))}`
    return trouble(
      'rejected',
      `${provider} answered with a redirect${to}, which is not followed; set its baseURL to where it is now`,
    )
  }
  const isTooLong = /context.length|context_length|too long|maximum context|exceeds? the (context|model)|too many tokens/i.test(
    said,
  )
  return trouble(isTooLong ? 'too-long' : 'rejected', `${provider} did not accept the request (${status})${says}`)
}

/** No waiting helps where the account has nothing left. */
const isSpent = (body: string): boolean => /insufficient_quota|billing_hard_limit|credit balance is too low/.test(body)

/** An error that came inside the stream, by the provider's own name or number for it. */
export function errorTrouble(provider: string, code: string | number | undefined, message: string): Trouble {
  const says = message === '' ? '' : `: ${shortened(message)}`
  const status = typeof code === 'number' ? code : /^\d{3}$/.test(code ?? '') ? Number(code) : undefined
  if (status !== undefined) {
    const { fault: named, again } = statusTrouble({ provider, status, headers: {}, body: message, keyName: 'its key', now: 0 })
    return { fault: named, again }
  }
  const [kind, again] = (Object.hasOwn(NAMED, code ?? '') ? NAMED[code ?? ''] : undefined) ?? (['overloaded', true] as const)
  return trouble(kind, `${provider} stopped with an error (${code ?? 'unnamed'})${says}`, again)
}

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

/** The words of an error body, whatever shape it has. */
export function errorText(body: string): string {
  try {
    return shortened(messageIn(JSON.parse(body)))
  } catch {
    // A page of HTML says nothing that a person should read here.
    return /^\s*</.test(body) ? '' : shortened(body)
  }
}

function messageIn(value: unknown): string {
  if (typeof value === 'string') return value
  const { error, message, detail } = (value ?? {}) as Record<string, unknown>
  if (typeof error === 'object' && error !== null) return messageIn(error)
  return [message, error, detail].find(each => typeof each === 'string') ?? ''
}

const shortened = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= MOST_SHOWN ? line : `${line.slice(0, MOST_SHOWN)}…`
}

function originOf(location: string): string {
  return URL.canParse(location) ? new URL(location).origin : 'another place'
}

/** How long a provider asks us to wait, in any of the forms there are; null where it does not say, or says nonsense. */
export function waitOf(headers: Answered['headers'], now: number): number | null {
  const first = (name: string): string => String(headers[name] ?? '').trim()
  const ms = first('retry-after-ms')
  if (/^\d+(\.\d+)?$/.test(ms)) return Math.ceil(Number(ms))
  const after = first('retry-after')
  if (/^\d+(\.\d+)?$/.test(after)) return Math.ceil(Number(after) * 1000)
  const date = /[a-z]/i.test(after) ? Date.parse(after) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}
