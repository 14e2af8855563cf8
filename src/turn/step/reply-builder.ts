import type { Fact, Part, Thinking, Took } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { TurnId } from '../../model/ids.ts'
import { argumentsOf } from '../../model/message/call-arguments.ts'
import type { Delta, HeardDelta, Usage } from '../../model/message/delta.ts'

/** A reply being written down. */
export type Script = {
  readonly turn: TurnId
  readonly step: number
  readonly parts: readonly OpenPart[]
  readonly usage: Usage | undefined
  readonly end: End | undefined
}

type End = { readonly type: 'done'; readonly stop?: 'length' } | { readonly type: 'fault'; readonly fault: Fault }

/** A script whose reply is over, well or not. */
export type Ended = Script & { readonly end: End; readonly took?: Took }

type OpenPart =
  | { readonly type: 'text'; readonly text: string }
  | Thinking
  | { readonly type: 'call'; readonly call: string; readonly tool: string; readonly text: string }

type Spoken = Extract<Delta, { text: string }>

export const blank = (turn: TurnId, step: number): Script => ({ turn, step, parts: [], usage: undefined, end: undefined })

/** One delta more: the script after it, and what followers hear. */
export function scribe(script: Script, delta: Delta): readonly [Script, HeardDelta | undefined] {
  switch (delta.type) {
    case 'text':
    case 'think':
    case 'call':
      return write(script, delta)
    case 'sealed':
      return [sealed(script, delta.signature), undefined]
    case 'redacted':
      return [{ ...script, parts: [...script.parts, { type: 'think', text: '', redacted: delta.data }] }, undefined]
    case 'usage':
      return [{ ...script, usage: delta.usage }, undefined]
    case 'retrying':
      return [script, undefined]
    case 'done':
    case 'fault':
      return [{ ...script, end: delta }, undefined]
  }
}

function write(script: Script, delta: Spoken): readonly [Script, HeardDelta | undefined] {
  if (delta.text === '' && delta.type !== 'call') return [script, undefined]
  const open = openFor(script.parts, delta)
  const index = open === -1 ? script.parts.length : open
  const before = script.parts[index]
  const part = { ...before, ...delta, text: (before?.text ?? '') + delta.text } as OpenPart
  const heard: HeardDelta = {
    turn: script.turn,
    step: script.step,
    kind: delta.type,
    part: index,
    offset: before?.text.length ?? 0,
    text: delta.text,
    ...(delta.type === 'call' ? { call: delta.call, tool: delta.tool } : {}),
  }
  return [{ ...script, parts: [...script.parts.slice(0, index), part, ...script.parts.slice(index + 1)] }, heard]
}

/** The part a delta adds to: words to the last part, arguments to their call wherever it is; -1 where a new part begins. */
function openFor(parts: readonly OpenPart[], delta: Spoken): number {
  if (delta.type === 'call') return parts.findLastIndex(part => part.type === 'call' && part.call === delta.call)
  const last = parts.at(-1)
  const isOpen = last?.type === 'text' || (last?.type === 'think' && last.signature === undefined && last.redacted === undefined)
  return isOpen && last.type === delta.type ? parts.length - 1 : -1
}

/** Thinking that is not shown is sealed all the same, and goes back with its seal alone. */
function sealed(script: Script, signature: string): Script {
  const last = script.parts.at(-1)
  const parts =
    last?.type === 'think' && last.redacted === undefined && last.signature === undefined
      ? script.parts.with(-1, { ...last, signature })
      : [...script.parts, { type: 'think' as const, text: '', signature }]
  return { ...script, parts }
}

/** The parts as they are remembered. */
export const partsOf = (script: Script): readonly Part[] =>
  script.parts.map(part => (part.type === 'call' ? callOf(part.call, part.tool, part.text) : part))

/** The fact to remember of a reply that ended, well or not. */
export function remembered(script: Ended, model: string): Extract<Fact, { type: 'reply.finished' | 'reply.broken' }> {
  const { turn, step, usage, took, end } = script
  const measured = { ...(usage === undefined ? {} : { usage }), ...(took === undefined ? {} : { took }) }
  const reply = { turn, step, parts: partsOf(script), model, ...measured }
  if (end.type === 'fault') return { type: 'reply.broken', ...reply, fault: end.fault }
  return { type: 'reply.finished', ...reply, ...(end.stop === undefined ? {} : { stop: end.stop }) }
}

export const callOf = (call: string, tool: string, text: string): Part => ({ type: 'call', call, tool, ...argumentsOf(text) })
