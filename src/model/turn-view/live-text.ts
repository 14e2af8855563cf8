/** Live text on top of the log: where a delta belongs among the parts of a reply, and how much of its text is new. */
import type { HeardDelta } from '../message/delta.ts'
import type { PartView } from './step-view.ts'

/** Puts a delta where it belongs. Said twice, it changes nothing; with a hole before it, it waits for the event. */
export function joinDelta(parts: readonly PartView[], delta: HeardDelta): readonly PartView[] {
  const known = parts[delta.part]
  if (known === undefined) return delta.part === parts.length && delta.offset === 0 ? [...parts, newPart(delta)] : parts
  const before = textOf(known)
  if (delta.offset > before.length) return parts
  const after = before.slice(0, delta.offset) + delta.text
  if (known.type === delta.kind && before.startsWith(after)) return parts
  if (known.type === delta.kind && after.startsWith(before)) return parts.with(delta.part, withText(known, after))
  // It says something else than before: the reply was begun again, and nothing from here on is true any more.
  if (known.type === delta.kind) return [...parts.slice(0, delta.part), withText(known, after)]
  return delta.offset === 0 ? [...parts.slice(0, delta.part), newPart(delta)] : parts
}

const newPart = (delta: HeardDelta): PartView =>
  delta.kind === 'call'
    ? { type: 'call', call: delta.call ?? '', tool: delta.tool ?? '', args: delta.text, run: { state: 'asked' } }
    : { type: delta.kind, text: delta.text }

const textOf = (part: PartView): string => (part.type === 'call' ? writtenArguments(part.args) : part.text)

const writtenArguments = (args: unknown): string => (typeof args === 'string' ? args : '')

const withText = (part: PartView, text: string): PartView => (part.type === 'call' ? { ...part, args: text } : { ...part, text })

type Heard = Pick<HeardDelta, 'turn' | 'step' | 'part' | 'offset' | 'text'>

/**
 * For readers that cannot take back what they wrote: gives the text of a delta that was not heard yet. Deltas may be missed,
 * events may not, so the whole part of an event gives the rest of the text.
 */
export function createFreshText(): (heard: Heard) => string {
  const lengths = new Map<string, number>()
  return ({ turn, step, part, offset, text }) => {
    const key = `${turn} ${step} ${part}`
    const before = lengths.get(key) ?? 0
    if (offset > before || offset + text.length <= before) return ''
    lengths.set(key, offset + text.length)
    return text.slice(before - offset)
  }
}
