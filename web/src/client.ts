import type { Attribution } from '../../src/context/attribution.ts'
import type { Council, SynthesisMode } from '../../src/model/council.ts'
import type { ApprovalAnswer } from '../../src/model/event.ts'
import type { Session, SessionHit } from '../../src/model/session.ts'
import { type Call, type Following, type FollowRequest, follow } from './follow.ts'
import { type Outcome, problemOf, UNREACHABLE } from './problem.ts'

export type SessionPage = { readonly items: readonly SessionHit[]; readonly next: string | null }

/** Who answers in a new session. */
export type Whom = { readonly agent: string } | { readonly council: string }

/** The gateway's verbs as the page uses them. Ordinary trouble is an outcome; nothing here throws for it. */
export type Client = {
  readonly list: (want: { readonly query: string; readonly cursor: string | null }) => Promise<Outcome<SessionPage>>
  /** Who may answer, with the names people know them by. */
  readonly agents: () => Promise<Outcome<{ readonly items: readonly { readonly key: string; readonly name: string }[] }>>
  readonly councils: () => Promise<Outcome<{ readonly items: readonly Council[] }>>
  readonly show: (id: string) => Promise<Outcome<Session>>
  /** Null leaves it to the gateway who answers. */
  readonly create: (whom: Whom | null) => Promise<Outcome<Session>>
  readonly rename: (id: string, title: string | null) => Promise<Outcome<unknown>>
  readonly remove: (id: string) => Promise<Outcome<unknown>>
  /** The same key and text again is the same message, so a send whose answer was lost may be repeated. */
  readonly say: (id: string, message: { readonly text: string; readonly key: string }) => Promise<Outcome<unknown>>
  readonly cancel: (id: string) => Promise<Outcome<unknown>>
  /** The advisors answer each other, once. */
  readonly exchange: (id: string) => Promise<Outcome<unknown>>
  readonly synthesize: (id: string, mode: SynthesisMode) => Promise<Outcome<unknown>>
  /** Goes on with what failed or was interrupted in the last round, or with one turn; with nothing to go on with, status 409. */
  readonly resume: (id: string, turn?: string) => Promise<Outcome<unknown>>
  /** What each sentence of a synthesis rests on. */
  readonly sources: (id: string, turn: string) => Promise<Outcome<Attribution>>
  /** The first answer counts; a second one is a problem with status 409. */
  readonly answer: (approval: string, answer: ApprovalAnswer) => Promise<Outcome<unknown>>
  readonly follow: (request: FollowRequest) => Following
}

const PAGE_SIZE = 50

export function createClient(token: () => string | null, send: Call = (path, init) => fetch(path, init)): Client {
  const call: Call = (path, init = {}) => {
    const headers = new Headers(init.headers)
    const known = token()
    if (known !== null) headers.set('authorization', `Bearer ${known}`)
    return send(path, { ...init, headers, cache: 'no-store', credentials: 'same-origin' })
  }
  const ask = async <Value>(method: string, path: string, body?: unknown, headers: HeadersInit = {}): Promise<Outcome<Value>> => {
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    const all = new Headers(headers)
    if (body !== undefined) all.set('content-type', 'application/json')
    try {
      const response = await call(path, { method, headers: all, ...content })
      if (!response.ok) return { ok: false, problem: await problemOf(response) }
      const text = await response.text()
      return { ok: true, value: (text === '' ? null : JSON.parse(text)) as Value }
    } catch {
      return { ok: false, problem: UNREACHABLE }
    }
  }
  const at = (id: string, rest = ''): string => `api/sessions/${encodeURIComponent(id)}${rest}`

  return {
    list: ({ query, cursor }) => {
      const search = new URLSearchParams({ limit: String(PAGE_SIZE) })
      if (query !== '') search.set('query', query)
      if (cursor !== null) search.set('cursor', cursor)
      return ask('GET', `api/sessions?${search}`)
    },
    agents: () => ask('GET', 'api/agents'),
    councils: () => ask('GET', 'api/councils'),
    show: id => ask('GET', at(id)),
    create: whom => ask('POST', 'api/sessions', whom ?? {}),
    rename: (id, title) => ask('PATCH', at(id), { title }),
    remove: id => ask('DELETE', at(id)),
    say: (id, { text, key }) => ask('POST', at(id, '/messages'), { text }, { 'idempotency-key': key }),
    cancel: id => ask('POST', at(id, '/cancel'), {}),
    exchange: id => ask('POST', at(id, '/rounds'), { rounds: 1 }),
    synthesize: (id, mode) => ask('POST', at(id, '/synthesis'), { mode }),
    resume: (id, turn) => ask('POST', at(id, '/resume'), turn === undefined ? {} : { turn }),
    sources: (id, turn) => ask('GET', at(id, `/turns/${encodeURIComponent(turn)}/sources`)),
    answer: (approval, answer) => ask('POST', `api/approvals/${encodeURIComponent(approval)}`, { answer }),
    follow: request => follow(call, at(request.session, '/events'), request),
  }
}
