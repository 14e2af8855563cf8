// Finds out which program wrote a file.
import type { ImportFormat } from './found.ts'
import { badAt, type FilePosition } from './place.ts'

const SPACE_TYPES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'advisor_json', 'parallel_advisor_response'])

/** Tells by the first value of a file which program wrote it. Returns undefined for an unknown program. */
export function formatOf(first: unknown): Exclude<ImportFormat, 'turnwise'> | undefined {
  if (!isObject(first)) return undefined
  if (isObject(own(first, 'mapping'))) return 'chatgpt'
  if (Array.isArray(own(first, 'chat_messages'))) return 'claude'
  if (typeof own(first, 'role') === 'string') return 'openai'
  if (Array.isArray(own(first, 'sessions')) || SPACE_TYPES.has(own(first, 'type'))) return 'space'
  const messages = own(first, 'messages')
  if (!Array.isArray(messages) && typeof own(first, 'agent') !== 'string') return undefined
  if (Array.isArray(messages) && messages.some(isOfSpace)) return 'space'
  if (typeof own(first, 'agent') === 'string') return 'port42'
  return Array.isArray(own(first, 'advisors')) ? 'space' : 'openai'
}

const isOfSpace = (message: unknown): boolean =>
  isObject(message) && SPACE_TYPES.has(own(message, 'type')) && own(message, 'role') === undefined

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null

const own = (value: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(value, key) ? value[key] : undefined

/** The end of the error message for a file of an unknown program. */
export const KNOWN =
  'known are archives of Turnwise, session files of Port 42, exports of SPACE, ChatGPT and Claude (their ZIP or the JSON in it), and JSONL in the form of OpenAI'

/** Tells by the first bytes why a file is not readable text. Returns undefined if it may be text. */
export function whyNoText(bytes: Uint8Array): string | undefined {
  const [a = 0x7b, b = 0x7b] = bytes
  const isWide = (a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff) || a === 0 || b === 0
  return isWide ? 'the file is text in UTF-16, or no text at all; save it as UTF-8' : undefined
}

/** This error is about the whole file, so it names no line. Within a ZIP it names the file. */
export const unknownFile = ({ file }: FilePosition): Error =>
  badAt(file === undefined ? {} : { file }, `this file is not understood; ${KNOWN}`)
