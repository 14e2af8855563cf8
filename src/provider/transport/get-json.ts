/** Reads JSON from a provider with one GET request, within limits of time and size. */
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { err, ok, type Result } from '../../model/result.ts'
import type { Addressed } from './address.ts'
import { guardedLookup, whyForbidden } from './addresses.ts'

/** An answer with its status. `json` is undefined if the body is not JSON. */
export type JsonAnswer = { readonly status: number; readonly text: string; readonly json: unknown }

const MOST_BYTES = 4 * 1024 * 1024

/** The error is a short reason for people: refused, not found, too slow. Redirects are not followed: they would carry the key along. */
export function getJson({ url, headers }: Addressed, timeoutMs: number): Promise<Result<JsonAnswer, string>> {
  const forbidden = whyForbidden(url)
  if (forbidden !== undefined) return Promise.resolve(err(forbidden))
  return new Promise(resolve => {
    const signal = AbortSignal.timeout(timeoutMs)
    const options = {
      method: 'GET',
      headers: { ...headers, accept: 'application/json', 'accept-encoding': 'identity' },
      lookup: guardedLookup,
      signal,
      agent: false as const,
    }
    const failed = (cause: unknown): void => resolve(err(signal.aborted ? 'it did not answer in time' : whyUnreached(cause)))
    const request = url.protocol === 'https:' ? secureRequest(url, options) : plainRequest(url, options)
    request.once('response', response => {
      read(response).then(resolve, failed)
    })
    request.once('error', failed)
    request.end()
  })
}

async function read(response: IncomingMessage): Promise<Result<JsonAnswer, string>> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    chunks.push(chunk)
    size += chunk.byteLength
    if (size > MOST_BYTES) return err('its answer is too large')
  }
  const text = Buffer.concat(chunks).toString('utf8')
  return ok({ status: response.statusCode ?? 0, text, json: parsed(text) })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function whyUnreached(cause: unknown): string {
  const { code = 'unknown' } = cause as NodeJS.ErrnoException
  if (code === 'ECONNREFUSED') return 'the connection was refused'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its host name was not found'
  return `the connection failed (${code})`
}
