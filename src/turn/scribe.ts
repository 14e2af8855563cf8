import type { Delta, HeardDelta, Usage } from '../model/delta.ts'
import type { Fact, Part } from '../model/event.ts'
import type { Fault } from '../model/fault.ts'
import type { TurnId } from '../model/ids.ts'

/** A reply being written down. */
export type Script = {
  readonly turn: TurnId
  readonly step: number
  readonly parts: readonly OpenPart[]
  readonly usage: Usage | undefined
  readonly end: { readonly type: 'done' } | { readonly type: 'fault'; readonly fault: Fault } | undefined
}

/** A script whose reply is over, well or not. */
export type Ended = Script & { readonly end: NonNullable<Script['end']> }

type OpenPart =
  | { readonly type: 'text' | 'think'; readonly text: string }
  | { readonly type: 'call'; readonly call: string; readonly tool: string; readonly text: string }

export const blank = (turn: TurnId, step: number): Script => ({ turn, step, parts: [], usage: undefined, end: undefined })

/** One delta more: the script after it, and what followers hear. */
export function scribe(script: Script, delta: Delta): readonly [Script, HeardDelta | undefined] {
  switch (delta.type) {
    case 'text':
    case 'think':
    case 'call':
      return write(script, delta)
    case 'usage':
      return [{ ...script, usage: delta.usage }, undefined]
    case 'done':
      return [{ ...script, end: { type: 'done' } }, undefined]
    case 'fault':
      return [{ ...script, end: { type: 'fault', fault: delta.fault } }, undefined]
  }
}

function write(script: Script, delta: Extract<Delta, { text: string }>): readonly [Script, HeardDelta | undefined] {
  if (delta.text === '' && delta.type !== 'call') return [script, undefined]
  const last = script.parts.at(-1)
  const goesOn =
    last !== undefined &&
    last.type === delta.type &&
    (delta.type !== 'call' || (last.type === 'call' && last.call === delta.call))
  const index = goesOn ? script.parts.length - 1 : script.parts.length
  const before = goesOn ? last.text : ''
  const part: OpenPart = { ...delta, text: before + delta.text }
  const heard: HeardDelta = {
    turn: script.turn,
    step: script.step,
    kind: delta.type,
    part: index,
    offset: before.length,
    text: delta.text,
    ...(delta.type === 'call' ? { call: delta.call, tool: delta.tool } : {}),
  }
  return [{ ...script, parts: [...script.parts.slice(0, index), part] }, heard]
}

/** The parts as they are remembered. */
export const partsOf = (script: Script): readonly Part[] =>
  script.parts.map(part =>
    part.type === 'call' ? callOf(part.call, part.tool, part.text) : { type: part.type, text: part.text },
  )

/** The fact to remember of a reply that ended, well or not. */
export function remembered(script: Ended): Extract<Fact, { type: 'reply.finished' | 'reply.broken' }> {
  const { turn, step, usage, end } = script
  const reply = { turn, step, parts: partsOf(script), ...(usage === undefined ? {} : { usage }) }
  return end.type === 'done' ? { type: 'reply.finished', ...reply } : { type: 'reply.broken', ...reply, fault: end.fault }
}

/** Arguments stay as they came: parsed where that gives the same bytes back, beside their text where it does not. */
function callOf(call: string, tool: string, text: string): Part {
  const raw = text.trim() === '' ? '{}' : text
  try {
    const args: unknown = JSON.parse(raw)
    return JSON.stringify(args) === raw ? { type: 'call', call, tool, args } : { type: 'call', call, tool, args, raw }
  } catch {
    return { type: 'call', call, tool, args: null, raw }
  }
}
