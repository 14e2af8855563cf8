/** Builds a reply from a provider's deltas, and makes the fact that the log keeps. */
import type { Fact, Part, Thinking, Took } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { TurnId } from '../../model/ids.ts'
import { argumentsOf } from '../../model/message/call-arguments.ts'
import { type CallExtra, joinExtra, keptExtra } from '../../model/message/call-extra.ts'
import type { Delta, HeardDelta, Usage } from '../../model/message/delta.ts'

/** A reply being written down. */
export type ReplyDraft = {
  readonly turn: TurnId
  readonly step: number
  readonly parts: readonly OpenPart[]
  readonly usage: Usage | undefined
  readonly end: End | undefined
}

type End = { readonly type: 'done'; readonly stop?: 'length' } | { readonly type: 'fault'; readonly fault: Fault }

/** A draft whose reply is over, well or not. */
export type EndedDraft = ReplyDraft & { readonly end: End; readonly took?: Took }

type OpenPart = { readonly type: 'text'; readonly text: string } | Thinking | OpenCall

type OpenCall = {
  readonly type: 'call'
  readonly call: string
  readonly tool: string
  readonly text: string
  readonly extra?: CallExtra
}

type Spoken = Extract<Delta, { text: string }>

export const emptyReply = (turn: TurnId, step: number): ReplyDraft => ({
  turn,
  step,
  parts: [],
  usage: undefined,
  end: undefined,
})

/** Adds one delta: gives the new draft, and what followers hear. */
export function addDelta(draft: ReplyDraft, delta: Delta): readonly [ReplyDraft, HeardDelta | undefined] {
  switch (delta.type) {
    case 'text':
    case 'think':
    case 'call':
      return write(draft, delta)
    case 'sealed':
      return [sealed(draft, delta.signature), undefined]
    case 'redacted':
      return [{ ...draft, parts: [...draft.parts, { type: 'think', text: '', redacted: delta.data }] }, undefined]
    case 'usage':
      return [{ ...draft, usage: delta.usage }, undefined]
    case 'retrying':
      return [draft, undefined]
    case 'done':
    case 'fault':
      return [{ ...draft, end: delta }, undefined]
  }
}

function write(draft: ReplyDraft, delta: Spoken): readonly [ReplyDraft, HeardDelta | undefined] {
  if (delta.text === '' && delta.type !== 'call') return [draft, undefined]
  const open = openFor(draft.parts, delta)
  const index = open === -1 ? draft.parts.length : open
  const before = draft.parts[index]
  const extra = delta.type === 'call' && before?.type === 'call' ? joinExtra(before.extra, delta.extra) : undefined
  const more = extra === undefined ? {} : { extra }
  const part = { ...before, ...delta, ...more, text: (before?.text ?? '') + delta.text } as OpenPart
  const heard: HeardDelta = {
    turn: draft.turn,
    step: draft.step,
    kind: delta.type,
    part: index,
    offset: before?.text.length ?? 0,
    text: delta.text,
    ...(delta.type === 'call' ? { call: delta.call, tool: delta.tool } : {}),
  }
  return [{ ...draft, parts: [...draft.parts.slice(0, index), part, ...draft.parts.slice(index + 1)] }, heard]
}

/** The part a delta adds to: words to the last part, arguments to their call wherever it is; -1 where a new part begins. */
function openFor(parts: readonly OpenPart[], delta: Spoken): number {
  if (delta.type === 'call') return parts.findLastIndex(part => part.type === 'call' && part.call === delta.call)
  const last = parts.at(-1)
  const isOpen = last?.type === 'text' || (last?.type === 'think' && last.signature === undefined && last.redacted === undefined)
  return isOpen && last.type === delta.type ? parts.length - 1 : -1
}

/** Thinking that is not shown is sealed all the same, and goes back with its seal alone. */
function sealed(draft: ReplyDraft, signature: string): ReplyDraft {
  const last = draft.parts.at(-1)
  const parts =
    last?.type === 'think' && last.redacted === undefined && last.signature === undefined
      ? draft.parts.with(-1, { ...last, signature })
      : [...draft.parts, { type: 'think' as const, text: '', signature }]
  return { ...draft, parts }
}

/** The parts as they are remembered. */
export const partsOf = (draft: ReplyDraft): readonly Part[] =>
  draft.parts.map(part => (part.type === 'call' ? callOf(part.call, part.tool, part.text, part.extra) : part))

/** The fact to remember of a reply that ended, well or not. */
export function replyFact(draft: EndedDraft, model: string): Extract<Fact, { type: 'reply.finished' | 'reply.broken' }> {
  const { turn, step, usage, took, end } = draft
  const measured = { ...(usage === undefined ? {} : { usage }), ...(took === undefined ? {} : { took }) }
  const reply = { turn, step, parts: partsOf(draft), model, ...measured }
  if (end.type === 'fault') return { type: 'reply.broken', ...reply, fault: end.fault }
  return { type: 'reply.finished', ...reply, ...(end.stop === undefined ? {} : { stop: end.stop }) }
}

export function callOf(call: string, tool: string, text: string, given?: CallExtra): Part {
  const extra = keptExtra(given)
  return { type: 'call', call, tool, ...argumentsOf(text), ...(extra === undefined ? {} : { extra }) }
}
