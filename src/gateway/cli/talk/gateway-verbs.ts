// The engine's verbs over HTTP.
import type { Fold, FoldBegun, Pending, Signal } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import type { SessionId, TurnId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import type { SessionHit } from '../../../model/session.ts'
import type { Verbs } from './answering-engine.ts'
import { signalsOf } from './frames.ts'
import { gatewayMcp } from './mcp-verbs.ts'

export type GatewayCallOptions = { readonly headers?: Readonly<Record<string, string>>; readonly abort?: AbortSignal }

/** Sends one request to a gateway. A refusal comes back as the fault that the gateway names. */
export type GatewayCall = (
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  options?: GatewayCallOptions,
) => Promise<Result<Response, Fault>>

export const GONE: Fault = fault('unreachable', 'the gateway went away; what was said until then is kept')

type Page = { readonly items: readonly SessionHit[]; readonly next: string | null }

/** The engine's verbs, sent to the gateway that has the engine. */
export function gatewayVerbs(call: GatewayCall): Verbs {
  /** The gateway is our own program, so its answer has the shape that its engine returned. */
  const asked = async <Value>(method: 'POST' | 'PATCH', path: string, body: object): Promise<Result<Value, Fault>> => {
    const answered = await call(method, path, body)
    return answered.ok ? ok((await answered.value.json()) as Value) : answered
  }
  const done = async (answered: Promise<Result<unknown, Fault>>): Promise<Result<null, Fault>> => {
    const answer = await answered
    return answer.ok ? ok(null) : answer
  }
  const turnsOf = async (path: string, turn: string | undefined): ReturnType<Verbs['cancel']> => {
    const answered = await asked<{ turns: readonly TurnId[] }>('POST', path, turn === undefined ? {} : { turn })
    return answered.ok ? ok(answered.value.turns) : answered
  }
  /** A fold that is there, or the turn in which a model is asked for one. */
  const begun = async (answered: ReturnType<GatewayCall>): Promise<Result<FoldBegun, Fault>> => {
    const answer = await answered
    if (!answer.ok) return answer
    const value = await answer.value.json()
    return ok(answer.value.status === 202 ? { turn: (value as { turn: TurnId }).turn } : { fold: value as Fold })
  }
  return {
    open: wish => asked('POST', '/sessions', wish),
    change: (id, changes) => asked('PATCH', `/sessions/${id}`, changes),
    mark: (id, seq, mark, reach) =>
      done(call('POST', `/sessions/${id}/marks`, { seq, mark, ...(reach === undefined ? {} : { reach }) })),
    fork: (id, at, redo) => asked('POST', `/sessions/${id}/fork`, { at, ...(redo === undefined ? {} : { redo }) }),
    remove: id => done(call('DELETE', `/sessions/${id}`)),
    folds: async id => {
      const listed = await call('GET', `/sessions/${id}/folds`)
      return listed.ok ? ok(((await listed.value.json()) as { items: readonly Fold[] }).items) : listed
    },
    fold: (id, wish = {}) => begun(call('POST', `/sessions/${id}/folds`, wish)),
    editFold: (id, seq, text) => asked('PATCH', `/sessions/${id}/folds/${seq}`, { text }),
    redoFold: (id, seq, wish = {}) => begun(call('PATCH', `/sessions/${id}/folds/${seq}`, { redo: true, ...wish })),
    removeFold: (id, seq) => done(call('DELETE', `/sessions/${id}/folds/${seq}`)),
    say: async ({ session, from: _, key, ...message }) => {
      const options = key === undefined ? {} : { headers: { 'idempotency-key': key } }
      const said = await call('POST', `/sessions/${session}/messages`, message, options)
      return said.ok ? ok((await said.value.json()) as { seq: number; turns: readonly TurnId[] }) : said
    },
    resume: (id, turn) => turnsOf(`/sessions/${id}/resume`, turn),
    cancel: (id, turn) => turnsOf(`/sessions/${id}/cancel`, turn),
    sessions: async query => {
      const given = Object.entries(query).filter(([, value]) => value !== undefined)
      const asking = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
      const listed = await call('GET', `/sessions?${asking}`)
      return listed.ok ? ok((await listed.value.json()) as Page) : listed
    },
    approvals: async () => {
      const listed = await call('GET', '/approvals')
      return listed.ok ? ok(((await listed.value.json()) as { items: readonly Pending[] }).items) : listed
    },
    answer: (id, answer, reason) =>
      done(call('POST', `/approvals/${encodeURIComponent(id)}`, { answer, ...(reason === undefined ? {} : { reason }) })),
    mcp: gatewayMcp(call),
    follow: (id, after, abort) => followed(call, id, after, abort),
  }
}

/** Yields everything after a cursor until `abort`. If the gateway goes away, that is the last signal. */
export async function* followed(call: GatewayCall, id: SessionId, after: number, abort: AbortSignal): AsyncGenerator<Signal> {
  const headers = { accept: 'text/event-stream' }
  const answered = await call('GET', `/sessions/${id}/events?after=${after}`, undefined, { headers, abort })
  if (abort.aborted) return
  if (!answered.ok || answered.value.body === null) return yield { type: 'fault', fault: answered.ok ? GONE : answered.fault }
  try {
    yield* signalsOf(answered.value.body)
  } catch {
    // The code below reports a broken connection and a stopped gateway alike.
  }
  if (!abort.aborted) yield { type: 'fault', fault: GONE }
}
