/** Asks any of several nodes, again and again, until one gives an answer that counts. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Json } from '../../gateway/http/client.ts'

export type Request = { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
export type Answer = { readonly status: number; readonly value: Json }

export type Asking = {
  /** The next node to ask: any of them, also one that is down. */
  readonly pick: () => string
  /** Asks one node after the other until one answers with one of these states. Any other answer but trouble is thrown. */
  readonly insist: (method: string, path: string, request: Request, accepted: readonly number[]) => Promise<Answer>
}

/** A node that is paused keeps its callers waiting; they go elsewhere then. */
const PATIENCE_MS = 3000
const AGAIN_MS = 60

export function createAsking(urls: readonly string[], next: () => number, signal: AbortSignal): Asking {
  const pick = (): string => urls[Math.floor(next() * urls.length)] ?? ''
  return {
    pick,
    insist: async (method, path, { body, headers = {} }, accepted) => {
      for (;;) {
        signal.throwIfAborted()
        const answer = await askOnce(pick() + path, method, body, headers)
        if (answer !== undefined && accepted.includes(answer.status)) return answer
        if (answer !== undefined && !isTrouble(answer.status))
          throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.value)}`)
        await pause(AGAIN_MS)
      }
    },
  }
}

/** A node may be overloaded, starting, or without its database; what it says then promises nothing. */
export const isTrouble = (status: number): boolean => status >= 500 || status === 429

async function askOnce(
  url: string,
  method: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<Answer | undefined> {
  try {
    const response = await fetch(url, {
      method,
      headers: { 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(PATIENCE_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: response.status, value: await response.json() }
  } catch (cause) {
    // A connection that broke, or an answer that did not come in time.
    if (cause instanceof TypeError || (cause instanceof DOMException && cause.name === 'TimeoutError')) return undefined
    throw cause
  }
}
