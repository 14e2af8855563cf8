/** How the fake provider answers as Gemini at its address for OpenAI clients. */
import { isDeepStrictEqual } from 'node:util'
import { type FlavourWords, openaiFlavour } from './flavour.ts'

const STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  503: 'UNAVAILABLE',
}

/**
 * Gemini seals its thinking into the first call of each step, and refuses to go on unless that call comes back with its seal:
 * https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export const geminiFlavour: FlavourWords = {
  ...openaiFlavour,
  id: ({ ordinal }) => `fake-${ordinal}`,
  chunk: {},
  spoken: {},
  refuses: false,
  callExtra: ({ id }, index) => (index === 0 ? sealOf(id) : {}),
  missing: json => {
    const unsealed = sinceLastWords(json).flatMap(firstCallOf).find(isUnsealed)
    return unsealed === undefined
      ? null
      : `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Function call: ${String(unsealed.id)}`
  },
  // One error in a list is what this address really answers.
  errorBody: (code, { message }) => [{ error: { code, message, status: STATUSES[code] ?? 'INTERNAL' } }],
  headers: () => ({ 'server-timing': 'gfet4t7; dur=1' }),
}

type Json = Readonly<Record<string, unknown>>

/** The seal depends on the call alone, so that the fake recognizes it without keeping anything. */
const sealOf = (id: string): Json => ({
  extra_content: { google: { thought_signature: Buffer.from(`seal of ${id}`).toString('base64') } },
})

const isUnsealed = ({ id, extra_content }: Json): boolean => !isDeepStrictEqual({ extra_content }, sealOf(String(id)))

/** What was said since a person last said something: what is before that needs no seals. */
function sinceLastWords(json: unknown): readonly Json[] {
  const messages = isRecord(json) && Array.isArray(json.messages) ? json.messages.filter(isRecord) : []
  return messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
}

const firstCallOf = ({ tool_calls: calls }: Json): readonly Json[] =>
  Array.isArray(calls) ? calls.filter(isRecord).slice(0, 1) : []

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null
