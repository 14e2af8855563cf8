/** What was said in a session as UI messages, for a client to begin with after a reload. */
import type { Engine } from '../../engine.ts'
import type { Attachment, Recorded } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { ok, type Result } from '../../model/result.ts'
import { isInternalVoice } from '../../model/settings/council.ts'
import type { Chunk } from './chunk.ts'
import { createUiStream, replyId, type UiStream } from './ui-stream.ts'

type Part = Record<string, unknown> & { readonly type: string }

/** A message as `useChat` keeps it. */
export type UiMessage = {
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly parts: readonly Part[]
  readonly metadata: object
}

export type History = { readonly id: SessionId; readonly messages: readonly UiMessage[] }

/** The most of the past that one answer has. A client that wants the whole past reads the events. */
const MOST = { limit: 2000, size: 4 << 20 }

/** What a client begins with after a reload; the answer that is being given comes by its stream. */
export async function historyOf(engine: Pick<Engine, 'read' | 'session'>, id: SessionId): Promise<Result<History, Fault>> {
  const known = await engine.session(id)
  if (!known.ok) return known
  const read = await engine.read(id, { newest: true, ...MOST })
  return read.ok ? ok({ id, messages: uiMessages(id, read.value, known.value.council !== null) }) : read
}

type Round = { readonly seq: number; readonly ui: UiStream; readonly chunks: Chunk[]; readonly open: Set<TurnId> }

/**
 * From the first whole message on: each message, and behind it the answer it caused, if that is over. A voice that answers
 * alone has no name above its words, also where its session came from elsewhere and knows one.
 */
export function uiMessages(session: SessionId, events: readonly Recorded[], isCouncil: boolean): readonly UiMessage[] {
  const voices = new Map<number, Set<string>>()
  for (const event of events)
    if (event.type === 'turn.started') voices.set(event.cause, (voices.get(event.cause) ?? new Set()).add(event.voice))
  const isAlone = (cause: number): boolean => !isCouncil && voices.get(cause)?.size === 1
  const rounds = new Map<number, Round>()
  const roundOf = new Map<TurnId, Round>()
  const said = new Map<number, UiMessage>()
  for (const event of events) {
    if (event.type === 'message.received') {
      const { seq, text, parts = [], key, from } = event
      const metadata = { session, seq, from }
      const words: readonly Part[] = text === '' ? [] : [{ type: 'text', text }]
      said.set(seq, { id: key ?? `message-${seq}`, role: 'user', parts: [...words, ...parts.map(fileOf)], metadata })
      const ui = createUiStream(session)
      rounds.set(seq, { seq, ui, chunks: [...ui.hear({ type: 'event', event })], open: new Set() })
    }
    if (!('turn' in event) || event.turn === undefined) continue
    const round = event.type === 'turn.started' ? rounds.get(event.cause) : roundOf.get(event.turn)
    if (round === undefined || (event.type === 'turn.started' && isInternalVoice(event.voice))) continue
    if (event.type === 'turn.started') {
      roundOf.set(event.turn, round)
      round.open.add(event.turn)
    }
    const shown = event.type === 'turn.started' && isAlone(event.cause) ? unnamed(event) : event
    round.chunks.push(...round.ui.hear({ type: 'event', event: shown }))
    if (event.type === 'turn.ended') round.open.delete(event.turn)
  }
  const replies = new Map([...rounds.values()].flatMap(round => replyOf(round) ?? []))
  return [...said].flatMap(([seq, message]) => [message, ...(replies.get(seq) ?? [])])
}

const unnamed = ({ name: _, ...start }: Extract<Recorded, { type: 'turn.started' }>): Recorded => start

function replyOf({ seq, ui, chunks, open }: Round): readonly [[number, readonly UiMessage[]]] | undefined {
  if (open.size > 0) return undefined
  const { parts, metadata } = folded([...chunks, ...ui.end()])
  return parts.length === 0 ? undefined : [[seq, [{ id: replyId(seq), role: 'assistant', parts, metadata }]]]
}

/** As a client would have put the pieces together. */
function folded(chunks: readonly Chunk[]): { readonly parts: readonly Part[]; readonly metadata: object } {
  const parts = new Map<string, Part>()
  let metadata = {}
  const change = (id: string, more: object): void => {
    const before = parts.get(id)
    if (before !== undefined) parts.set(id, { ...before, ...more })
  }
  for (const [index, chunk] of chunks.entries()) {
    switch (chunk.type) {
      case 'start':
      case 'finish':
        metadata = { ...metadata, ...chunk.messageMetadata }
        break
      case 'start-step':
        parts.set(`step ${index}`, { type: 'step-start' })
        break
      case 'text-start':
      case 'reasoning-start': {
        const { type, id, providerMetadata } = chunk
        parts.set(id, { type: type === 'text-start' ? 'text' : 'reasoning', text: '', state: 'done', providerMetadata })
        break
      }
      case 'text-delta':
      case 'reasoning-delta':
        change(chunk.id, { text: `${parts.get(chunk.id)?.text ?? ''}${chunk.delta}` })
        break
      case 'tool-input-available': {
        const { toolName, toolCallId, input } = chunk
        parts.set(toolCallId, {
          ...{ type: 'dynamic-tool', toolName, toolCallId, state: 'input-available', input, providerExecuted: true },
        })
        break
      }
      case 'tool-output-available':
        change(chunk.toolCallId, { state: 'output-available', output: chunk.output })
        break
      case 'tool-output-error':
        change(chunk.toolCallId, { state: 'output-error', errorText: chunk.errorText })
        break
      case 'data-approval':
      case 'data-fault': {
        const { type, id, data } = chunk
        parts.set(id, { type, id, data: { ...(parts.get(id)?.data ?? {}), ...data } })
        break
      }
      default:
        break
    }
  }
  return { parts: [...parts.values()], metadata }
}

/** Files are named; their bytes are at the session's own files. */
const fileOf = (file: Attachment): Part => ({
  type: 'data-file',
  data: { name: file.name, mediaType: file.mediaType, ...('hash' in file ? { hash: file.hash } : {}) },
})
