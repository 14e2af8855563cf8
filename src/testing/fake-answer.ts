/** Chooses the fake provider's answer to a request: status, headers and frames. */
import { errorWords, type Stream, streamOf, wholeOf } from './fake-frames.ts'
import { keyOf, type RecordedRequest } from './fake-request.ts'
import { type Script, scriptFault } from './fake-script.ts'
import type { Asked, Dialect, ErrorWords } from './providers/dialect.ts'

/** A whole answer, except for how its bytes travel. */
export type FakeAnswer = Stream & {
  readonly code: number
  readonly headers: Readonly<Record<string, string>>
  /** What may be sent between two frames as a sign of life. */
  readonly ping?: string
}

const JSON_TYPE = 'application/json'
/** The status for each error that a stream may contain, for answers without a stream. */
const CODES: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  rate_limit_exceeded: 429,
  overloaded_error: 529,
}

/** The answer to a request. If several faults replace the answer, the first of this list wins. Pure. */
export function answerTo(request: RecordedRequest, script: Script, { dialect, asked, streams }: Speaking): FakeAnswer {
  const refuse = (code: number, message: string): FakeAnswer => errorAnswer(dialect, asked, code, { message })
  const key = keyOf(request, dialect.keyHeaders)
  const required = scriptFault(script, 'requireKey')
  if (required !== undefined && key !== required.key) return refuse(401, key === undefined ? 'no key was sent' : 'invalid key')
  if (scriptFault(script, 'echoKey')) return refuse(401, `Incorrect API key provided: ${key ?? ''}`)

  const missing = dialect.missing?.(request.json, asked) ?? null
  if (missing !== null) return refuse(400, missing)

  const redirect = scriptFault(script, 'redirect')
  if (redirect !== undefined) return whole(redirect.code ?? 302, '', { location: redirect.to })

  const status = scriptFault(script, 'status')
  if (status !== undefined) {
    const type = status.html === undefined ? JSON_TYPE : 'text/html'
    const body = status.html ?? status.body ?? refuse(status.code, `a fake ${status.code}`).frames.join('')
    return whole(status.code, body, { ...dialect.headers(asked), 'content-type': type, ...status.headers })
  }
  if (streams) {
    const headers = { ...dialect.headers(asked), 'content-type': dialect.contentType, 'cache-control': 'no-cache' }
    return { code: 200, headers, ping: dialect.ping(asked), ...streamOf(dialect, script, asked) }
  }
  const error = scriptFault(script, 'errorEvent')
  if (error !== undefined) return errorAnswer(dialect, asked, CODES[error.error] ?? 500, errorWords(error))
  return whole(200, wholeOf(dialect, script, asked), { ...dialect.headers(asked), 'content-type': JSON_TYPE })
}

export type Speaking = { readonly dialect: Dialect; readonly asked: Asked; readonly streams: boolean }

export const errorAnswer = (dialect: Dialect, asked: Asked, code: number, words: ErrorWords): FakeAnswer =>
  whole(code, JSON.stringify(dialect.errorBody(code, words, asked)), { ...dialect.headers(asked), 'content-type': JSON_TYPE })

export const jsonAnswer = (body: object): FakeAnswer => whole(200, JSON.stringify(body), { 'content-type': JSON_TYPE })

const whole = (code: number, body: string, headers: Readonly<Record<string, string>>): FakeAnswer => ({
  code,
  headers: { 'content-length': String(Buffer.byteLength(body)), ...headers },
  frames: [body],
})
