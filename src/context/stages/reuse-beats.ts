/** Reuses the beat that an event became before, so that its item and hash are not made again. */
import type { Recorded } from '../../model/event.ts'
import type { Beat, CallAnswer } from './draft.ts'

const known = new WeakMap<Recorded, Beat>()

/** The beat that was made of this event before, if it is equal to this one; else this one, for next time. */
export function remembered(event: Recorded, beat: Beat): Beat {
  const before = known.get(event)
  if (before !== undefined && isSame(before, beat)) return before
  known.set(event, beat)
  return beat
}

function isSame(a: Beat, b: Beat): boolean {
  if (a.seq !== b.seq || a.tokens !== b.tokens) return false
  if (a.kind === 'heard')
    return b.kind === 'heard' && a.text === b.text && a.after === b.after && areSame(a.attachments, b.attachments)
  if (a.kind === 'summary') return b.kind === 'summary' && a.text === b.text && a.through === b.through
  if (b.kind !== 'said' || a.to !== b.to || a.turn !== b.turn || a.voice !== b.voice || a.isBroken !== b.isBroken) return false
  return areSame(a.parts, b.parts) && areSame(a.answers, b.answers, isSameAnswer)
}

const isSameAnswer = (a: CallAnswer, b: CallAnswer): boolean =>
  a.call === b.call && a.ok === b.ok && a.text === b.text && areSame(a.images ?? [], b.images ?? [])

function areSame<Item>(a: readonly Item[], b: readonly Item[], same: (a: Item, b: Item) => boolean = Object.is): boolean {
  return a.length === b.length && a.every((item, index) => same(item, b[index] as Item))
}
