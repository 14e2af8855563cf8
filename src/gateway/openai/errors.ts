/** Faults in the shape that OpenAI's clients read. */
import type { ServerResponse } from 'node:http'
import type { Fault, FaultKind } from '../../model/fault.ts'
import { problemHeaders, problemOf, type Refusal } from '../http/problem.ts'

/** An error as OpenAI's clients read it. */
export type OpenAiError = {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string | null
  }
}

type Manner = { readonly type: string; readonly code?: string; readonly param?: string; readonly status?: number }

/** Where this door says another status than the others: clients of OpenAI know these, and choose their errors by them. */
const MANNERS: Partial<Record<FaultKind, Manner>> = {
  invalid: { type: 'invalid_request_error' },
  unauthorized: { type: 'authentication_error', code: 'invalid_api_key' },
  'not-found': { type: 'invalid_request_error' },
  conflict: { type: 'invalid_request_error', code: 'conflict' },
  'too-large': { type: 'invalid_request_error', code: 'request_too_large' },
  'too-long': { type: 'invalid_request_error', code: 'context_length_exceeded', param: 'messages', status: 400 },
  budget: { type: 'insufficient_quota', code: 'insufficient_quota', status: 429 },
  throttled: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  rejected: { type: 'invalid_request_error', code: 'rejected', status: 400 },
  denied: { type: 'permission_error', code: 'denied' },
}

/** A setting that the model is known not to take. Once it answers, a refusal is the model's own. */
const UNSUPPORTED: Manner = { type: 'invalid_request_error', code: 'unsupported_parameter', status: 400 }

const NO_MODEL: Manner = { type: 'invalid_request_error', code: 'model_not_found', param: 'model' }

/** What a fault means depends on what it is about. */
const ABOUT: Record<About, Partial<Record<FaultKind, Manner>>> = {
  model: { 'not-found': NO_MODEL, refused: UNSUPPORTED },
  session: { 'not-found': { type: 'invalid_request_error', param: 'metadata.session' }, refused: UNSUPPORTED },
  // A provider that refuses the gateway's key is no fault of the client.
  answer: { unauthorized: { type: 'api_error', code: 'unauthorized', status: 502 }, 'not-found': NO_MODEL },
}

/** Finding who is to answer, finding the session, or the answering itself. */
export type About = 'model' | 'session' | 'answer'

export type OpenAiTrouble = Refusal & { readonly about?: About }

const LONGEST = 2000

export function errorOf({ fault, about }: OpenAiTrouble): OpenAiError {
  const manner = mannerOf(fault, about)
  const text = manner === UNSUPPORTED ? inTheirWords(fault.message) : fault.message
  const message = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
  return {
    error: {
      message,
      type: manner.type,
      param: manner.param ?? placeIn({ kind: manner === UNSUPPORTED ? 'invalid' : fault.kind, message: text }),
      code: manner.code ?? null,
    },
  }
}

/** The parameters of this API, by the path that we call them. */
const PARAMETERS: Readonly<Record<string, string>> = {
  'sampling.temperature': 'temperature',
  'sampling.topP': 'top_p',
  'sampling.seed': 'seed',
  'sampling.stop': 'stop',
  'sampling.effort': 'reasoning_effort',
  maxTokens: 'max_tokens',
}

const inTheirWords = (message: string): string => message.replace(/^[\w.]+(?=: )/, place => PARAMETERS[place] ?? place)

export function errorResponse(trouble: OpenAiTrouble): Response {
  return new Response(JSON.stringify(errorOf(trouble)), { status: statusOf(trouble), headers: headersOf(trouble) })
}

/** For a request that is refused before anything of its body was read. */
export function refuseOpenAi(response: ServerResponse, refusal: Refusal): void {
  response.writeHead(statusOf(refusal), { ...headersOf(refusal), connection: 'close' })
  response.end(JSON.stringify(errorOf(refusal)))
}

/** Whether a request is for this door, so that it is refused in the words its clients read. */
export const isOpenAiPath = (address: string): boolean => /^\/v1(?:[/?]|$)/.test(address)

const mannerOf = ({ kind }: Fault, about: About | undefined): Manner =>
  (about === undefined ? undefined : ABOUT[about][kind]) ?? MANNERS[kind] ?? { type: 'api_error', code: kind }

const statusOf = ({ fault, status, about }: OpenAiTrouble): number =>
  status ?? mannerOf(fault, about).status ?? problemOf({ fault }).status

/** OpenAI's own client tries some statuses again, unless `x-should-retry` says that this is of no use. */
const headersOf = (trouble: OpenAiTrouble): Record<string, string> => ({
  ...problemHeaders(trouble),
  'content-type': 'application/json',
  'x-should-retry': String(trouble.fault.retryable),
})

/** The place that a message about a request begins with: `messages.0.content: …`. */
function placeIn({ kind, message }: Pick<Fault, 'kind' | 'message'>): string | null {
  const [, place] = /^([a-z_]\w*(?:\.\w+)*): /i.exec(message) ?? []
  return kind === 'invalid' && place !== undefined && place !== 'body' ? place : null
}
