// Sends one request to the gateway, with the token, and returns a result.
import type { ApiFetch } from './follow.ts'
import { type ApiResult, readProblem, UNREACHABLE } from './problem.ts'

/** One question to the gateway and its answer. Ordinary trouble is an outcome; nothing here throws for it. */
export type AskGateway = <Value>(
  method: string,
  path: string,
  body?: unknown,
  headers?: HeadersInit,
  /** Gives the question up; its answer is then as if the gateway could not be reached. */
  signal?: AbortSignal,
) => Promise<ApiResult<Value>>

/** The connection to the gateway: the token goes with every request, and is never in an address. */
export type ApiConnection = { readonly call: ApiFetch; readonly ask: AskGateway }

export function createApiConnection(
  token: () => string | null,
  send: ApiFetch = (path, init) => fetch(path, init),
): ApiConnection {
  const call: ApiFetch = (path, init = {}) => {
    const headers = new Headers(init.headers)
    const known = token()
    if (known !== null) headers.set('authorization', `Bearer ${known}`)
    return send(path, { ...init, headers, cache: 'no-store', credentials: 'same-origin' })
  }
  const ask: AskGateway = async <Value>(
    method: string,
    path: string,
    body?: unknown,
    headers: HeadersInit = {},
    signal?: AbortSignal,
  ) => {
    const content = body === undefined ? {} : { body: JSON.stringify(body) }
    const all = new Headers(headers)
    if (body !== undefined) all.set('content-type', 'application/json')
    try {
      // Deleting waits until it cannot be undone, so it may be the last thing a page that is being left has to say.
      const response = await call(path, {
        method,
        headers: all,
        keepalive: method === 'DELETE',
        ...content,
        ...(signal === undefined ? {} : { signal }),
      })
      if (!response.ok) return { ok: false, problem: await readProblem(response) }
      const text = await response.text()
      return { ok: true, value: (text === '' ? null : JSON.parse(text)) as Value }
    } catch {
      return { ok: false, problem: UNREACHABLE }
    }
  }
  return { call, ask }
}
