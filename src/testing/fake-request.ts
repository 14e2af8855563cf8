/** Reads a request to a fake provider. */
import type { IncomingMessage } from 'node:http'
import { buffer } from 'node:stream/consumers'

/** A request as it arrived over the socket. */
export type RecordedRequest = {
  readonly method: string
  /** The path with its query. */
  readonly path: string
  /** Headers by their names in lower case. Repeated headers are joined by commas. */
  readonly headers: Readonly<Record<string, string>>
  /** The exact body. */
  readonly body: string
  /** The body as JSON, or undefined if it is not JSON. */
  readonly json: unknown
}

/** Reads a request. Returns null if the client left before it had sent all. */
export async function recorded(request: IncomingMessage): Promise<RecordedRequest | null> {
  const bytes = await buffer(request).catch(() => null)
  if (bytes === null) return null
  const body = bytes.toString()
  const headers = Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(', ')])
  return {
    method: request.method ?? '',
    path: request.url ?? '',
    headers: Object.fromEntries(headers),
    body,
    json: parsed(body),
  }
}

/** The key of a request, from one of the headers where the service looks for it. */
export const keyOf = ({ headers }: RecordedRequest, names: readonly string[]): string | undefined =>
  names.map(name => headers[name]?.replace(/^Bearer /i, '')).find(key => key !== undefined)

/** The fields of a body that the fakes look at. They ignore all other fields. */
export type FakeChatRequest = {
  readonly model: string
  readonly stream?: boolean
  readonly wantsUsage: boolean
  readonly heard: string
}

export function readChatRequest(json: unknown): FakeChatRequest | null {
  if (!isRecord(json) || typeof json.model !== 'string' || !Array.isArray(json.messages)) return null
  const options = json.stream_options
  return {
    model: json.model,
    ...(typeof json.stream === 'boolean' ? { stream: json.stream } : {}),
    wantsUsage: isRecord(options) && options.include_usage === true,
    heard:
      json.messages
        .filter(isRecord)
        .filter(isUser)
        .map(textOf)
        .findLast(text => text !== '') ?? '',
  }
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null

const isUser = ({ role }: Readonly<Record<string, unknown>>): boolean => role === 'user'

const textOf = ({ content }: Readonly<Record<string, unknown>>): string => {
  if (typeof content === 'string') return content
  const texts = Array.isArray(content) ? content.filter(isRecord).map(({ text }) => text) : []
  return texts.filter(text => typeof text === 'string').join(' ')
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
