import type { Part } from '../../../src/model/event.ts'
import type { HeardDelta } from '../../../src/model/message/delta.ts'
import type { Run, ViewPart } from './view.ts'

/** Puts a delta where it belongs among the parts. Said twice, it changes nothing; with a hole before it, it waits for the event. */
export function joinDelta(parts: readonly ViewPart[], delta: HeardDelta): readonly ViewPart[] {
  const known = parts[delta.part]
  if (known === undefined) return delta.part === parts.length && delta.offset === 0 ? [...parts, fresh(delta)] : parts
  const before = textOf(known)
  if (delta.offset > before.length) return parts
  const after = before.slice(0, delta.offset) + delta.text
  if (known.type === delta.kind && before.startsWith(after)) return parts
  if (known.type === delta.kind && after.startsWith(before)) return parts.with(delta.part, withText(known, after))
  // It says something else than before: the reply was begun again, and nothing from here on is true any more.
  if (known.type === delta.kind) return [...parts.slice(0, delta.part), withText(known, after)]
  return delta.offset === 0 ? [...parts.slice(0, delta.part), fresh(delta)] : parts
}

/** The parts as the log has them; a call keeps what is already known of its run. */
export function settledParts(parts: readonly Part[], streamed: readonly ViewPart[]): readonly ViewPart[] {
  return parts.map(part => {
    if (part.type !== 'call') return { type: part.type, text: part.text }
    const seen = streamed.find(other => other.type === 'call' && other.call === part.call)
    const run: Run = seen?.type === 'call' ? seen.run : { state: 'asked' }
    return { type: 'call', call: part.call, tool: part.tool, args: readable(part.args), run }
  })
}

/** Arguments as people read them. */
export const readable = (args: unknown): string => (typeof args === 'string' ? args : (JSON.stringify(args, null, 2) ?? ''))

const fresh = (delta: HeardDelta): ViewPart =>
  delta.kind === 'call'
    ? { type: 'call', call: delta.call ?? '', tool: delta.tool ?? '', args: delta.text, run: { state: 'asked' } }
    : { type: delta.kind, text: delta.text }

const textOf = (part: ViewPart): string => (part.type === 'call' ? part.args : part.text)

const withText = (part: ViewPart, text: string): ViewPart => (part.type === 'call' ? { ...part, args: text } : { ...part, text })
