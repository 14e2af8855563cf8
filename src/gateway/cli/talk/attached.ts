// Talks to the gateway that runs on the workspace.
import type { Signal } from '../../../engine.ts'
import { FAULT_KINDS, type Fault, type FaultKind, fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { type GatewayAddress, readGatewayAddress } from '../../workspace/workspace.ts'
import type { AnsweringEngine, OutgoingText } from './answering-engine.ts'
import { signalsOf } from './frames.ts'
import { followed, type GatewayCall, type GatewayCallOptions, GONE, gatewayVerbs } from './gateway-verbs.ts'
import { signalsOfTurns } from './heard-of.ts'

const HEALTH_MS = 2000

/** The gateway that runs on a workspace, if its address file names one that really answers. */
export async function runningGateway(home: string): Promise<GatewayAddress | undefined> {
  const run = readGatewayAddress(home)
  if (typeof run?.url !== 'string') return undefined
  const url = reachable(run.url)
  try {
    const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(HEALTH_MS) })
    const { status } = (await answer.json()) as { status?: unknown }
    return answer.ok && status === 'ok' ? { ...run, url } : undefined
  } catch {
    return undefined
  }
}

/** Sends one request to a running gateway. A refusal comes back as the fault that the gateway names. */
export async function gatewayCall(
  { url, token }: GatewayAddress,
  method: Parameters<GatewayCall>[0],
  path: string,
  body?: unknown,
  options: GatewayCallOptions = {},
): Promise<Result<Response, Fault>> {
  try {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(options.abort === undefined ? {} : { signal: options.abort }),
    })
    return response.ok ? ok(response) : err(await faultIn(response))
  } catch {
    return err(GONE)
  }
}

/** Talks to a running gateway like any other client. */
export function attached(gateway: GatewayAddress): AnsweringEngine {
  const call: GatewayCall = (method, path, body, options) => gatewayCall(gateway, method, path, body, options)

  async function* say(session: SessionId, message: OutgoingText, abort: AbortSignal): AsyncGenerator<Signal> {
    const headers = { accept: 'text/event-stream' }
    const said = await call('POST', `/sessions/${session}/messages`, message, { headers, abort })
    if (!said.ok || said.value.body === null) return yield { type: 'fault', fault: said.ok ? GONE : said.fault }
    try {
      yield* signalsOf(said.value.body)
    } catch {
      if (!abort.aborted) yield { type: 'fault', fault: GONE }
    }
  }

  const verbs = gatewayVerbs(call)

  async function* resume(
    session: SessionId,
    { turn, after }: Parameters<AnsweringEngine['resume']>[1],
    abort: AbortSignal,
  ): AsyncGenerator<Signal> {
    const begun = await verbs.resume(session, turn)
    if (!begun.ok) return yield { type: 'fault', fault: begun.fault }
    yield* signalsOfTurns(begun.value, followed(call, session, after, abort))
  }

  return { isAlone: false, verbs, say, resume, close: async () => {} }
}

/** The fault that a gateway named in its refusal. */
export async function faultIn(response: Response): Promise<Fault> {
  const problem = (await response.json().catch(() => ({}))) as { fault?: unknown; detail?: unknown }
  const kind: FaultKind = FAULT_KINDS.find(known => known === problem.fault) ?? 'bug'
  return fault(kind, typeof problem.detail === 'string' ? problem.detail : `the gateway answered ${response.status}`)
}

/** A wildcard address works for listening but not for calling. */
const reachable = (url: string): string => url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
