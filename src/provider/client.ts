import type { Delta } from '../model/delta.ts'
import { fault } from '../model/fault.ts'
import type { Encoded, Listener, Provider, ProviderSetting, Timeouts, Wire } from '../model/provider.ts'
import { err, type Result } from '../model/result.ts'
import { address } from './address-book.ts'
import { type Answer, Broken, createSender, type Sender } from './send.ts'
import { createSlots } from './slots.ts'
import { statusTrouble, type Trouble, trouble } from './trouble.ts'

export type ClientOptions = {
  /** As in the settings: `anthropic`, or the name of a server. */
  readonly name: string
  readonly wire: Wire
  readonly setting: ProviderSetting
  /** A server of one's own may want no key. */
  readonly needsKey: boolean
  /** For tests: what a pause before the next try is measured in. */
  readonly backoffMs?: number
}

const TIMEOUTS: Timeouts = { connectMs: 5000, firstByteMs: 15_000, idleMs: 15_000 }
/** Loading a model, and thinking before the first word, take their time. */
const PATIENT_FIRST_BYTE_MS = 120_000
const MOST_TRIES = 3
const BACKOFF_MS = 500
const LONGEST_BACKOFF_MS = 8000
const CONCURRENCY = 8
/** No reply is longer; who sends more is broken or means harm. */
const MOST_CHARACTERS = 8 * 2 ** 20
const MOST_ERROR_BYTES = 64 * 1024

/** A real service: our bytes, its own client's address and headers, our clocks and our patience. */
export function createClient({ name, wire, setting, needsKey, backoffMs = BACKOFF_MS }: ClientOptions): Provider {
  const sender = createSender(name)
  const slots = createSlots(setting.concurrency ?? CONCURRENCY)
  const keyName = setting.keyName ?? `providers.${name}.apiKey`
  const isPatient = name === 'ollama'
  const timeoutsFor = ({ reasons = false }: Encoded): Timeouts => ({
    ...TIMEOUTS,
    ...(reasons || isPatient ? { firstByteMs: PATIENT_FIRST_BYTE_MS } : {}),
    ...setting.timeouts,
  })

  async function* speak(request: Encoded, signal: AbortSignal): AsyncGenerator<Delta> {
    if (needsKey && setting.apiKey === undefined) {
      yield { type: 'fault', fault: fault('unauthorized', `${name} needs a key; set ${keyName}`) }
      return
    }
    const leave = await slots.enter(signal)
    if (leave === undefined) return
    try {
      for (let attempt = 1; ; attempt += 1) {
        const answer = await ask(request, signal)
        const failed = answer.ok ? yield* reply(answer.value, listenTo(request)) : answer.fault
        if (failed === undefined) return
        if (attempt >= MOST_TRIES || !failed.again || signal.aborted) {
          yield { type: 'fault', fault: failed.fault }
          return
        }
        const afterMs = failed.fault.retryAfterMs ?? backoff(attempt, backoffMs)
        yield { type: 'retrying', fault: failed.fault, afterMs }
        await pause(afterMs, signal)
      }
    } finally {
      leave()
    }
  }

  async function ask(request: Encoded, signal: AbortSignal): Promise<Result<Answer, Trouble>> {
    const answer = await send(sender, request, signal)
    return answer.ok && answer.value.status !== 200 ? err(await refusalOf(answer.value)) : answer
  }

  function listenTo(request: Encoded): Listener {
    const heard = wire.listen?.(request)
    if (heard === undefined) throw new Error(`${wire.name} cannot be heard`)
    return heard
  }

  async function send(by: Sender, request: Encoded, signal: AbortSignal): Promise<Result<Answer, Trouble>> {
    let answer: Result<Answer, Trouble> = err(trouble('bug', `${name} was never asked`))
    const body = new TextEncoder().encode(request.body)
    await address(name, request, setting, async ({ url, headers }) => {
      answer = await by.post({ url, headers, body, timeouts: timeoutsFor(request), signal })
    })
    return answer
  }

  async function refusalOf({ status, headers, bytes }: Answer): Promise<Trouble> {
    const body = await textOf(bytes, MOST_ERROR_BYTES)
    return redacted(statusTrouble({ provider: name, status, headers, body, keyName, now: Date.now() }), setting)
  }

  /** Gives back what went wrong before anything was said. What goes wrong later is told as it is. */
  async function* reply({ bytes }: Answer, heard: Listener): AsyncGenerator<Delta, Trouble | undefined> {
    let characters = 0
    let hasSpoken = false
    try {
      for await (const chunk of bytes) {
        for (const delta of heard.hear(chunk)) {
          if (delta.type === 'fault') return yield* ended(delta, hasSpoken)
          if ('text' in delta) {
            hasSpoken = true
            characters += delta.text.length
          }
          if (characters > MOST_CHARACTERS) {
            yield { type: 'fault', fault: fault('too-large', `${name} said more than ${MOST_CHARACTERS / 2 ** 20} MiB`) }
            return undefined
          }
          yield delta
          if (delta.type === 'done') return undefined
        }
      }
    } catch (cause) {
      if (!(cause instanceof Broken)) throw cause
      if (!hasSpoken) return cause.trouble
      yield { type: 'fault', fault: cause.trouble.fault }
      return undefined
    }
    for (const delta of heard.end()) {
      if (delta.type === 'fault') return yield* ended(delta, hasSpoken)
      yield delta
    }
    return undefined
  }

  async function* ended(
    delta: Extract<Delta, { type: 'fault' }>,
    hasSpoken: boolean,
  ): AsyncGenerator<Delta, Trouble | undefined> {
    const told = redacted({ fault: delta.fault, again: delta.again ?? false }, setting)
    if (!hasSpoken) return told
    yield { type: 'fault', fault: told.fault }
    return undefined
  }

  return { wire, speak, close: sender.close }
}

/** Longer each time, and never the same for two who were refused together. */
const backoff = (attempt: number, unit: number): number =>
  Math.round(Math.min(LONGEST_BACKOFF_MS, unit * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2))

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
    if (signal.aborted) done()
  })
}

/** The beginning of an answer that nobody wants whole. */
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
    // What was said until then is all there is.
  }
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, most))
}

/** A provider may quote the key it refuses; nobody is to read it. */
function redacted({ fault: told, again }: Trouble, { apiKey }: ProviderSetting): Trouble {
  if (apiKey === undefined || apiKey === '') return { fault: told, again }
  return { fault: { ...told, message: told.message.replaceAll(apiKey, '[redacted]') }, again }
}
