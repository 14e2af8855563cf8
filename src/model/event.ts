/** The events of the log: everything that can happen in a session. */
import { hasRunFacts, type RunFacts } from './approval.ts'
import type { Fault } from './fault.ts'
import type { FoldRange, HistoryFolded } from './fold.ts'
import type { ApprovalId, CallId, SessionId, TurnId } from './ids.ts'
import type { CallExtra } from './message/call-extra.ts'
import type { Usage } from './message/delta.ts'
import type { Receipt } from './receipt.ts'
import type { Sampling } from './sampling.ts'
import type { SynthesisMode } from './settings/council.ts'
import type { VoiceId } from './voice.ts'

/**
 * Arguments as the model gave them: parsed for people, `raw` beside it where parsing would not give the same bytes back. `extra`
 * is what else its server sent with it, and wants back within its turn.
 */
export type Call = {
  readonly type: 'call'
  readonly call: CallId
  readonly tool: string
  readonly args: unknown
  readonly raw?: string
  readonly extra?: CallExtra
}

/**
 * `signature` is the provider's seal; without it the thinking cannot be sent back within its turn. `redacted` is thinking
 * that only the provider can read, and has no text.
 */
export type Thinking = {
  readonly type: 'think'
  readonly text: string
  readonly signature?: string
  readonly redacted?: string
}

export type Part = { readonly type: 'text'; readonly text: string } | Thinking | Call

/** A file or image that came with a message: a text file as its text, any other by the hash under which its base64 is kept. */
export type Attachment =
  | { readonly type: 'text'; readonly name: string; readonly mediaType: string; readonly text: string }
  | {
      readonly type: 'image' | 'file'
      readonly name: string
      readonly mediaType: string
      readonly hash: string
      /** Its size as a file. */
      readonly bytes: number
      /** About what it costs a model that can see it. */
      readonly tokens: number
    }

/** An image that came with the result of a call; its base64 is kept by its hash, as that of an attachment is. */
export type ResultImage = {
  readonly type: 'image'
  readonly name: string
  readonly mediaType: string
  readonly hash: string
  readonly bytes: number
  readonly tokens: number
}

export type Mark = 'pin' | 'exclude' | 'removed'

/** Whether a mark keeps a message out of every context. What was removed is also shown as removed. */
export const isExcluding = (mark: Mark | null | undefined): boolean => mark === 'exclude' || mark === 'removed'

/** Where a pinned message counts: in its own session, in all sessions of its project, or in every session. */
export type Reach = 'session' | 'project' | 'everywhere'

export type EndReason = 'done' | 'failed' | 'cancelled' | 'interrupted' | 'limit'

/** A person's answer to a call: allow this call, allow the unchanged tool in this session or everywhere, or deny. */
export type ApprovalAnswer = 'once' | 'session' | 'always' | 'deny'

/** What a person may change of a session after it was opened. */
export type SessionChange = {
  readonly title?: string | null
  readonly agent?: VoiceId | null
  readonly council?: string | null
  readonly policy?: string
  /** Whether a person chose that policy, or it came with the agent. */
  readonly policyChosen?: boolean
  readonly model?: string | null
  readonly thinking?: boolean | null
  readonly sampling?: Sampling | null
  readonly maxTokens?: number | null
  readonly project?: string | null
  readonly archived?: boolean
  /** Nothing of a private session is ever quoted in another one. */
  readonly private?: boolean
}

/** Rounds in which advisors answer each other: this one, and how many a person allowed. */
export type Exchange = { readonly round: number; readonly of: number }

/** How long a reply took, in milliseconds from when its request was sent. */
export type Took = {
  /** Until the first content came; not there where none did. */
  readonly firstMs?: number
  /** As long as thinking was heard. */
  readonly thinkMs?: number
  readonly ms: number
}

export type TurnStarted = {
  readonly type: 'turn.started'
  readonly turn: TurnId
  readonly voice: VoiceId
  readonly cause: number
  /** How the voice was called then; it may be gone by the time this is read. */
  readonly name?: string
  /** The turn that ended without an answer and is gone on with here. */
  readonly resumes?: TurnId
  /** That turn's answer was cut at its limit, and this one goes on with its text: its steps are counted on from there. */
  readonly continues?: true
  /** What the house makes of the round. */
  readonly mode?: SynthesisMode
  /** Which stretch the house folds. */
  readonly fold?: FoldRange
}

/** Something that happened. Facts are appended once and never edited. */
export type Fact =
  | {
      readonly type: 'message.received'
      readonly text: string
      readonly parts?: readonly Attachment[]
      readonly from: string
      /** Heard by these alone. */
      readonly to?: readonly VoiceId[]
      /** The voices of a council that are to answer; if absent, the voices that answer in this session. */
      readonly voices?: readonly VoiceId[]
      /** What is made of its round when that is over. */
      readonly synthesis?: SynthesisMode
      /** Which round of an exchange among advisors it begins. */
      readonly exchange?: Exchange
      /** The longest reply of each of those asked, in tokens, where money allows no longer ones. */
      readonly replyLimit?: number
      /** How its answers are to be sampled, and the most tokens each may have. */
      readonly sampling?: Sampling
      readonly maxTokens?: number
      readonly key?: string
    }
  | TurnStarted
  | { readonly type: 'context.planned'; readonly turn: TurnId; readonly step: number; readonly receipt: Receipt }
  | {
      readonly type: 'reply.finished'
      readonly turn: TurnId
      readonly step: number
      readonly parts: readonly Part[]
      readonly model?: string
      readonly usage?: Usage
      readonly took?: Took
      /** Words of the house that are no message of the conversation: neither counted nor searched. */
      readonly internal?: true
      /** It was cut at the limit of its length. */
      readonly stop?: 'length'
      readonly through?: number
      readonly missed?: readonly number[]
      /** How many words of it came from what the window did not show: from quotes alone, or identifiers from before the window. */
      readonly beyond?: number
    }
  | {
      readonly type: 'reply.broken'
      readonly turn: TurnId
      readonly step: number
      readonly parts: readonly Part[]
      readonly model?: string
      readonly usage?: Usage
      readonly took?: Took
      readonly fault: Fault
      readonly internal?: true
      /** The last seq its request knew of, if the log has grown since. Messages that came meanwhile are placed after the reply. */
      readonly through?: number
      /** Earlier messages to another audience than the turn's own. They are placed after the reply, too. */
      readonly missed?: readonly number[]
    }
  | { readonly type: 'tool.started'; readonly turn: TurnId; readonly call: CallId; readonly tool: string; readonly args: unknown }
  | {
      readonly type: 'tool.settled'
      readonly turn: TurnId
      readonly call: CallId
      readonly tool: string
      readonly ok: boolean
      readonly outcome: string
      readonly content?: string
      readonly ms: number
      /** What was run in the end, if a resolver had to work out a part. */
      readonly argv?: readonly string[]
      /** The images that the tool gave; never an empty list. */
      readonly images?: readonly ResultImage[]
    }
  /** A call waits for a person; `argv` is exactly what would be run, but for the places that a resolver still fills. */
  | ({
      readonly type: 'approval.asked'
      readonly approval: ApprovalId
      readonly turn: TurnId
      readonly call: CallId
      readonly tool: string
      readonly argv: readonly string[]
    } & RunFacts)
  | {
      readonly type: 'approval.answered'
      readonly approval: ApprovalId
      readonly turn: TurnId
      readonly call: CallId
      readonly tool: string
      readonly answer: ApprovalAnswer
      readonly reason?: string
    }
  | {
      readonly type: 'turn.ended'
      readonly turn: TurnId
      readonly voice: VoiceId
      readonly reason: EndReason
      readonly fault?: Fault
    }
  /** A person pins a message into, or keeps it out of, every context from the next turn on; null takes the mark away. */
  | {
      readonly type: 'message.marked'
      readonly target: number
      readonly mark: Mark | null
      /** Where a pin counts; absent if only in its own session. */
      readonly reach?: Exclude<Reach, 'session'>
    }
  | HistoryFolded
  | { readonly type: 'session.changed'; readonly changes: SessionChange }

export type FactType = Fact['type']

/** A fact with its place in the log. `tokens` is its length as history, counted once when it was written. */
export type Event = Fact & { readonly session: SessionId; readonly seq: number; readonly at: string; readonly tokens: number }

/** A row that can no longer be read; it keeps its place, so the rest of the session stays usable. */
export type Damaged = {
  readonly type: 'damaged'
  readonly session: SessionId
  readonly seq: number
  readonly at: string
  readonly tokens: number
  /** How many messages began with it, which its row still knows. */
  readonly messages: number
  readonly why: string
}

/** What reading a log gives. */
export type Recorded = Event | Damaged

type Field = 'string' | 'number' | 'boolean' | 'object' | 'array' | 'any'

/** The least a stored body must have, per type, before the rest of the house may trust it. */
const REQUIRED: Record<FactType, Readonly<Record<string, Field>>> = {
  'message.received': { text: 'string', from: 'string' },
  'turn.started': { turn: 'string', voice: 'string', cause: 'number' },
  'context.planned': { turn: 'string', step: 'number', receipt: 'object' },
  'reply.finished': { turn: 'string', step: 'number', parts: 'array' },
  'reply.broken': { turn: 'string', step: 'number', parts: 'array', fault: 'object' },
  'tool.started': { turn: 'string', call: 'string', tool: 'string', args: 'any' },
  'tool.settled': { turn: 'string', call: 'string', tool: 'string', ok: 'boolean', outcome: 'string', ms: 'number' },
  'approval.asked': { approval: 'string', turn: 'string', call: 'string', tool: 'string', argv: 'array' },
  'approval.answered': { approval: 'string', turn: 'string', call: 'string', tool: 'string', answer: 'string' },
  'turn.ended': { turn: 'string', voice: 'string', reason: 'string' },
  'message.marked': { target: 'number', mark: 'any' },
  'history.folded': { from: 'number', to: 'number', text: 'string', by: 'string' },
  'session.changed': { changes: 'object' },
}

const PARTS: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
  text: { text: 'string' },
  think: { text: 'string' },
  call: { call: 'string', tool: 'string', args: 'any' },
}

const KEPT_FILE: Readonly<Record<string, Field>> = {
  name: 'string',
  mediaType: 'string',
  hash: 'string',
  bytes: 'number',
  tokens: 'number',
}
const ATTACHMENTS: Readonly<Record<string, Readonly<Record<string, Field>>>> = {
  text: { name: 'string', mediaType: 'string', text: 'string' },
  image: KEPT_FILE,
  file: KEPT_FILE,
}

const areImages = (images: unknown): boolean =>
  images === undefined || (Array.isArray(images) && images.every(image => isOneOf(image, { image: KEPT_FILE })))

/** Stored text becomes a fact, or the reason why it cannot. */
export function parseFact(type: string, body: string): Fact | { readonly why: string } {
  const shape = Object.hasOwn(REQUIRED, type) ? REQUIRED[type as FactType] : undefined
  if (shape === undefined) return { why: `unknown type ${JSON.stringify(type)}` }
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return { why: 'the body is not JSON' }
  }
  if (type === 'history.folded') value = underTodaysForm(value)
  if (!fits(value, shape)) return { why: `the body is not a ${type}` }
  const { parts } = value as { parts?: unknown }
  if (type === 'message.received') {
    const isSound = parts === undefined || (Array.isArray(parts) && parts.every(part => isOneOf(part, ATTACHMENTS)))
    if (!isSound) return { why: 'a part of the message is damaged' }
  } else if (Array.isArray(parts) && !parts.every(part => isOneOf(part, PARTS))) return { why: 'a part of the reply is damaged' }
  if (type === 'tool.settled' && !areImages((value as { images?: unknown }).images))
    return { why: 'an image of the result is damaged' }
  if (type === 'context.planned' && !isReceipt((value as { receipt: unknown }).receipt)) return { why: 'the receipt is damaged' }
  if (type === 'approval.asked' && !hasRunFacts(value as object)) return { why: 'what was asked about is damaged' }
  const named = type === 'message.received' ? underTodaysNames(value as object) : (value as object)
  return Object.assign(named, { type }) as Fact
}

/** Fields of stored messages that have another name today. */
const OLD_NAMES: Readonly<Record<string, string>> = { asked: 'voices' }

/** A stored body with the field names of today, in the same order. Events are never edited, so old names stay in old databases. */
function underTodaysNames(body: object): object {
  for (const name in OLD_NAMES) {
    if (!Object.hasOwn(body, name)) continue
    return Object.fromEntries(Object.entries(body).map(([key, value]) => [OLD_NAMES[key] ?? key, value]))
  }
  return body
}

/** Folds once said only through which seq they stand for everything. */
function underTodaysForm(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || 'from' in body || !('through' in body)) return body
  const { through, ...rest } = body
  return { from: 1, to: through, by: 'person', ...rest }
}

const RECEIPT: Readonly<Record<string, Field>> = {
  digest: 'string',
  through: 'number',
  window: 'object',
  policy: 'string',
  model: 'string',
  voice: 'string',
  tokens: 'object',
  ladder: 'array',
  in: 'array',
  out: 'array',
  inputs: 'object',
}
const TOKENS: Readonly<Record<string, Field>> = { estimated: 'number', factor: 'number', limit: 'number', reserved: 'number' }
const INPUTS: Readonly<Record<string, Field>> = {
  turn: 'string',
  cause: 'number',
  ordinal: 'number',
  wire: 'string',
  window: 'number',
  policy: 'string',
  system: 'array',
  tools: 'string',
  asides: 'array',
  voices: 'string',
  marksThrough: 'number',
  gaps: 'array',
}
const KEPT: Readonly<Record<string, Field>> = { hash: 'string' }
const FOLLOW: Readonly<Record<string, Field>> = { times: 'number', beyond: 'array', through: 'number' }
const GAP: Readonly<Record<string, Field>> = { from: 'number', to: 'number', messages: 'number' }

/** A receipt that requests can be built from again. */
function isReceipt(value: unknown): boolean {
  if (!fits(value, RECEIPT)) return false
  const { window, tokens, inputs, degraded, in: lines, out } = value as Record<string, unknown>
  if (!fits(tokens, TOKENS) || !fits(inputs, INPUTS) || ![...(lines as unknown[]), ...(out as unknown[])].every(isObject))
    return false
  const { begins, folds = [], follow } = window as { begins?: unknown; folds?: unknown; follow?: unknown }
  const { system, asides, gaps, begins: began } = inputs as Record<string, unknown>
  return (
    isNumberOrNull(begins) &&
    isNumberOrNull(began) &&
    Array.isArray(folds) &&
    isNumbers(folds) &&
    (follow === undefined || (fits(follow, FOLLOW) && isNumbers((follow as { beyond: unknown[] }).beyond))) &&
    (degraded === null || isObject(degraded)) &&
    [...(system as unknown[]), ...(asides as unknown[])].every(each => fits(each, KEPT)) &&
    (gaps as unknown[]).every(gap => fits(gap, GAP))
  )
}

const isObject = (value: unknown): boolean => is(value, 'object')
const isNumbers = (values: readonly unknown[]): boolean => values.every(value => typeof value === 'number')
const isNumberOrNull = (value: unknown): boolean => value === null || typeof value === 'number'

function isOneOf(part: unknown, shapes: Readonly<Record<string, Readonly<Record<string, Field>>>>): boolean {
  const type = (part as { type?: unknown } | null)?.type
  const shape = typeof type === 'string' && Object.hasOwn(shapes, type) ? shapes[type] : undefined
  return shape !== undefined && fits(part, shape)
}

function fits(value: unknown, shape: Readonly<Record<string, Field>>): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  // Not by entries: this is asked of every event that is read.
  for (const name in shape) {
    if (!Object.hasOwn(value, name) || !is((value as Record<string, unknown>)[name], shape[name] ?? 'any')) return false
  }
  return true
}

function is(value: unknown, field: Field): boolean {
  if (field === 'any') return true
  if (field === 'array') return Array.isArray(value)
  return typeof value === field && value !== null
}
