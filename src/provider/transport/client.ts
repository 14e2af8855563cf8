/** Asks a provider over HTTP, with retries, time limits and a limit on requests at one time. */
import { doubledWait } from '../../model/back-off.ts'
import { fault } from '../../model/fault.ts'
import type { Delta } from '../../model/message/delta.ts'
import type { Encoded, Provider, ProviderSetting, Timeouts } from '../../model/provider.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { ProviderDescriptor } from '../descriptor.ts'
import { type Addressed, address } from './address.ts'
import { createHold } from './hold.ts'
import { abortablePause } from './pause.ts'
import { redactor } from './redactor.ts'
import { Broken, createSender, type HttpAnswer } from './send.ts'
import { createSlots } from './slots.ts'
import { type RequestTrouble, statusTrouble, trouble } from './trouble.ts'

export type ClientOptions = {
  /** The name in the settings: `anthropic`, or the name of a server. */
  readonly name: string
  readonly descriptor: ProviderDescriptor
  readonly setting: ProviderSetting
  /** False for a person's own server without a key. */
  readonly needsKey: boolean
  /** For tests: the unit of the pause before the next try. */
  readonly backoffMs?: number
}

const TIMEOUTS: Timeouts = { connectMs: 5000, firstByteMs: 15_000, idleMs: 15_000 }
/** A model that thinks before its first word needs more time. */
const THINKING_FIRST_BYTE_MS = 120_000
const MOST_TRIES = 3
const BACKOFF_MS = 500
const LONGEST_BACKOFF_MS = 8000
const CONCURRENCY = 8
/** Requests without a session take turns as if they belonged to one session. */
const NO_SESSION = ''
/** The longest reply. No model says half as much, so a server that sends more is broken or hostile. */
const MOST_CHARACTERS = 2 ** 20
/** What a piece of a call counts, because even an empty one takes memory. */
const CALL_CHARACTERS = 64
const MOST_ERROR_BYTES = 64 * 1024

/** The client of a real service over HTTP: keys, addresses, time limits, retries, and a fair queue. */
export function createClient({ name, descriptor, setting, needsKey, backoffMs = BACKOFF_MS }: ClientOptions): Provider {
  const { wire } = descriptor
  const sender = createSender(name)
  const slots = createSlots(setting.concurrency ?? CONCURRENCY)
  const hold = createHold()
  const redact = redactor(setting)
  const redacted = ({ fault: found, again }: RequestTrouble): RequestTrouble => ({
    fault: { ...found, message: redact(found.message) },
    again,
  })
  const tooLarge = trouble('too-large', `${name} said more than ${MOST_CHARACTERS / 2 ** 20} MiB`)
  const keyName = setting.keyName ?? `providers.${name}.apiKey`
  const timeoutsFor = ({ reasons = false }: Encoded): Timeouts => ({
    ...TIMEOUTS,
    ...(reasons ? { firstByteMs: THINKING_FIRST_BYTE_MS } : {}),
    ...descriptor.timeouts,
    ...setting.timeouts,
  })

  async function* speak(request: Encoded, signal: AbortSignal, whose = NO_SESSION, giveWay?: () => void): AsyncGenerator<Delta> {
    if (needsKey && setting.apiKey === undefined) {
      yield {
        type: 'fault',
        fault: fault('unauthorized', `${name} needs a key; set ${keyName}, or run "turnwise connect ${name}"`),
      }
      return
    }
    const leave = await slots.enter(signal, whose, giveWay)
    if (leave === undefined) return
    try {
      for (let attempt = 1; ; attempt += 1) {
        let failed: RequestTrouble | undefined
        let hasSpoken = false
        for await (const deltas of once(request, signal)) {
          for (const delta of deltas) {
            if (delta.type === 'fault') failed = redacted({ fault: delta.fault, again: delta.again ?? false })
            else yield delta
            hasSpoken ||= sizeOf(delta) > 0
          }
        }
        if (failed === undefined) return
        if (hasSpoken || attempt >= MOST_TRIES || !failed.again || signal.aborted) {
          yield { type: 'fault', fault: failed.fault }
          return
        }
        const afterMs = waitAfter(failed, attempt, backoffMs)
        yield { type: 'retrying', fault: failed.fault, afterMs }
        await abortablePause(afterMs, signal)
      }
    } finally {
      leave()
    }
  }

  /** One try. It gives the deltas of each chunk together, and the very last delta is always `done` or `fault`. */
  async function* once(request: Encoded, signal: AbortSignal): AsyncGenerator<readonly Delta[]> {
    const answer = await hold.ask(() => ask(request, signal), holdsFor, signal)
    if (!answer.ok) return yield [failure(answer.fault)]
    const decoder = wire.decode?.(request)
    if (decoder === undefined) throw new Error(`${wire.name} has no decoder`)
    let characters = 0
    try {
      for await (const chunk of answer.value.bytes) {
        const deltas = decoder.read(chunk)
        characters += charactersIn(deltas)
        if (characters > MOST_CHARACTERS) return yield [failure(tooLarge)]
        yield deltas
        if (isOver(deltas)) return
      }
    } catch (cause) {
      if (!(cause instanceof Broken)) throw cause
      return yield [failure(cause.trouble)]
    }
    const deltas = decoder.end()
    yield characters + charactersIn(deltas) > MOST_CHARACTERS ? [failure(tooLarge)] : deltas
  }

  /** Sends one request. Returns a successful answer, or the trouble there was instead. */
  async function ask(request: Encoded, signal: AbortSignal): Promise<Result<HttpAnswer, RequestTrouble>> {
    const addressed = addressOf(request)
    if (!addressed.ok) return addressed
    const body = new TextEncoder().encode(request.body)
    const answer = await sender.post({ ...addressed.value, body, timeouts: timeoutsFor(request), signal })
    return answer.ok && answer.value.status !== 200 ? err(await refusalOf(answer.value)) : answer
  }

  function addressOf(request: Encoded): Result<Addressed, RequestTrouble> {
    try {
      return ok(address(descriptor, request.url, setting))
    } catch (cause) {
      return err(trouble('rejected', `${name} could not be addressed: ${cause instanceof Error ? cause.message : String(cause)}`))
    }
  }

  /** If a provider asks for fewer requests, all of our requests wait. */
  const holdsFor = (answer: Result<HttpAnswer, RequestTrouble>): number | undefined =>
    !answer.ok && answer.fault.again && answer.fault.fault.kind === 'throttled'
      ? (answer.fault.fault.retryAfterMs ?? backoffMs)
      : undefined

  async function refusalOf({ status, headers, bytes }: HttpAnswer): Promise<RequestTrouble> {
    const body = redact(await textOf(bytes, MOST_ERROR_BYTES))
    return statusTrouble({ provider: name, status, headers, body, keyName, now: Date.now() })
  }

  return { wire, speak, close: sender.close }
}

const failure = ({ fault, again }: RequestTrouble): Delta => ({ type: 'fault', fault, again })

const charactersIn = (deltas: readonly Delta[]): number => deltas.reduce((sum, delta) => sum + sizeOf(delta), 0)

/** How much of a reply a delta is. It is 0 if and only if the request could be sent again as though the delta had not come. */
function sizeOf(delta: Delta): number {
  switch (delta.type) {
    case 'text':
    case 'think':
      return delta.text.length
    case 'call':
      return CALL_CHARACTERS + delta.text.length
    case 'sealed':
      return 1 + delta.signature.length
    case 'redacted':
      return 1 + delta.data.length
    default:
      return 0
  }
}

function isOver(deltas: readonly Delta[]): boolean {
  const last = deltas.at(-1)?.type
  return last === 'done' || last === 'fault'
}

/** Waits longer each time, with a random part, so that requests refused together do not return together. */
const backoff = (attempt: number, unit: number): number =>
  Math.round(doubledWait(unit, LONGEST_BACKOFF_MS, attempt - 1) * (0.5 + Math.random() / 2))

/** Waits at least as long as the provider asks, and a little more, so that not all requests return together. */
const waitAfter = ({ fault: { retryAfterMs } }: RequestTrouble, attempt: number, unit: number): number =>
  retryAfterMs === undefined ? backoff(attempt, unit) : Math.round(retryAfterMs * (1 + Math.random() / 4))

/** The beginning of an answer, as text. */
async function textOf(bytes: AsyncIterable<Uint8Array>, most: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of bytes) {
      chunks.push(chunk)
      size += chunk.byteLength
      if (size >= most) break
    }
  } catch {
    // The answer broke off; the text so far is all there is.
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, most))
}
