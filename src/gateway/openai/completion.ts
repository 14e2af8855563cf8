/** An answer as a chat completion: whole, or as the chunks of a stream. */
import { z } from 'zod'
import type { Signal, StatelessAnswer } from '../../engine.ts'
import type { Fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { type Schema, schema } from '../http/schemas/schema.ts'
import type { Labels } from './blocks.ts'
import { createOneVoice, type OneVoice } from './one-voice-at-a-time.ts'
import { type CompletionOutcome, createOutcomeRecorder, type OutcomeRecorder, usageShown } from './outcome.ts'
import type { SpeechPiece } from './speech.ts'

/** An answer on its way, and how it is to be written. */
export type Answering = StatelessAnswer & {
  /** As it was asked for. */
  readonly model: string
  readonly passesCalls: boolean
  readonly includesUsage: boolean
  readonly labels?: Labels
  /** Gets every signal that belongs to the answer. */
  readonly onHeard?: (signal: Signal) => void
}

/** A whole chat completion, as it is answered. */
export const completion: Schema<object> = schema('ChatCompletion', () =>
  z.object({
    id: z.string(),
    created: z.int(),
    model: z.string(),
    object: z.literal('chat.completion'),
    choices: z.array(
      z.object({
        index: z.int(),
        message: z.object({
          role: z.literal('assistant'),
          content: z.string().nullable(),
          refusal: z.null(),
          reasoning_content: z.string().exactOptional(),
          tool_calls: z.array(toolCall()).exactOptional(),
        }),
        logprobs: z.null(),
        finish_reason: z.enum(['stop', 'length', 'tool_calls', 'content_filter']),
      }),
    ),
    usage: z
      .object({
        prompt_tokens: z.int(),
        completion_tokens: z.int(),
        total_tokens: z.int(),
        prompt_tokens_details: z.object({ cached_tokens: z.int() }),
      })
      .exactOptional(),
    turnwise: z.object({ receipts: z.array(z.string()) }),
  }),
)

const toolCall = () =>
  z.object({
    id: z.string(),
    type: z.literal('function'),
    function: z.object({ name: z.string(), arguments: z.string() }),
  })

type Writing = { readonly oneVoice: OneVoice; readonly record: OutcomeRecorder; readonly planned: Promise<void> }

function writing({ passesCalls, labels }: Answering, isWhole: boolean): Writing {
  const { promise: planned, resolve } = Promise.withResolvers<void>()
  const named = labels === undefined ? {} : { labels }
  return {
    oneVoice: createOneVoice({ passesCalls, isWhole, ...named }),
    record: createOutcomeRecorder({ passesCalls, onPlanned: resolve }),
    planned,
  }
}

/** Hears an answer to its end, piece by piece; the outcome comes last. */
async function* pieces(
  { signals, thread, onHeard }: Answering,
  { oneVoice, record }: Writing,
): AsyncGenerator<SpeechPiece, CompletionOutcome> {
  for await (const signal of signals) {
    if (!thread.belongs(signal)) continue
    record.note(signal)
    onHeard?.(signal)
    yield* oneVoice.hear(signal)
    if (thread.over() || signal.type === 'fault') break
  }
  const outcome = record.outcome(thread.over())
  if (outcome.fault === undefined) yield* oneVoice.end()
  return outcome
}

/** The whole answer as one object, with the receipt of its first request. */
export async function wholeCompletion(answering: Answering): Promise<Result<{ body: object; receipt: string }, Fault>> {
  const written = writing(answering, true)
  const all: SpeechPiece[] = []
  const heard = pieces(answering, written)
  let next = await heard.next()
  for (; next.done !== true; next = await heard.next()) all.push(next.value)
  const { finish, usage, fault } = next.value
  if (fault !== undefined) return err(fault)
  const joined = (kind: 'text' | 'think'): string => all.flatMap(each => (each.kind === kind ? [each.text] : [])).join('')
  const calls = callsIn(all)
  const [text, thoughts] = [joined('text'), joined('think')]
  const message = {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(thoughts === '' ? {} : { reasoning_content: thoughts }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  const body = {
    ...nameOf(answering, written.record),
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    ...(usage === undefined ? {} : { usage: usageShown(usage) }),
    turnwise: { receipts: written.record.receipts },
  }
  return ok({ body, receipt: written.record.receipts[0] ?? '' })
}

function callsIn(all: readonly SpeechPiece[]): readonly object[] {
  const calls = Map.groupBy(
    all.filter(each => each.kind === 'call'),
    ({ index }) => index,
  )
  return [...calls.values()].map(own => {
    const { call = '', tool = '' } = own[0]?.begins ?? {}
    return { id: call, type: 'function', function: { name: tool, arguments: own.map(({ text }) => text).join('') } }
  })
}

/** The same answer as frames of a stream: the generator's last value is why it broke off, if it did. */
export function streamedCompletion(answering: Answering): {
  readonly frames: AsyncGenerator<string, Fault | undefined>
  /** When it is known what was sent. */
  readonly planned: Promise<void>
  readonly receipt: () => string
} {
  const written = writing(answering, false)
  const { record, planned } = written
  return { frames: frames(answering, written), planned, receipt: () => record.receipts[0] ?? '' }
}

async function* frames(answering: Answering, written: Writing): AsyncGenerator<string, Fault | undefined> {
  const { record } = written
  const counts = answering.includesUsage ? { usage: null } : {}
  const chunk = (choices: readonly object[], more: object = {}): string => {
    const name = nameOf(answering, record)
    return `data: ${JSON.stringify({ ...name, object: 'chat.completion.chunk', choices, ...counts, ...more })}\n\n`
  }
  const choice = (delta: object, finish_reason: string | null = null, more: object = {}): string =>
    chunk([{ index: 0, delta, logprobs: null, finish_reason }], more)
  const opening = (): string => choice({ role: 'assistant', content: '' })
  const heard = pieces(answering, written)
  let isOpen = false
  let next = await heard.next()
  for (; next.done !== true; next = await heard.next()) {
    if (!isOpen) yield opening()
    isOpen = true
    yield choice(deltaOf(next.value))
  }
  const { finish, usage, fault } = next.value
  if (fault !== undefined) return fault
  if (!isOpen) yield opening()
  yield choice({}, finish, { turnwise: { receipts: record.receipts } })
  if (answering.includesUsage) yield chunk([], { usage: usage === undefined ? null : usageShown(usage) })
  yield 'data: [DONE]\n\n'
  return undefined
}

function deltaOf(piece: SpeechPiece): object {
  if (piece.kind !== 'call') return piece.kind === 'text' ? { content: piece.text } : { reasoning_content: piece.text }
  const { index, text, begins } = piece
  if (begins === undefined) return { tool_calls: [{ index, function: { arguments: text } }] }
  return { tool_calls: [{ index, id: begins.call, type: 'function', function: { name: begins.tool, arguments: text } }] }
}

function nameOf({ model }: Answering, record: OutcomeRecorder): object {
  const { turn, at } = record.began()
  const moment = Date.parse(at)
  return {
    id: `chatcmpl-${turn.replace(/^trn_/, '')}`,
    created: Math.floor((Number.isNaN(moment) ? Date.now() : moment) / 1000),
    model,
  }
}
