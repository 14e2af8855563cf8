/** Divides a conversation into messages as a person counts them, and into the past and the running turn. */
import type { TurnId } from '../../model/ids.ts'
import type { Material } from '../../model/plan.ts'
import { type Beat, messageOf, seqsOf } from '../stages/draft.ts'
import { pinsOf } from '../stages/project.ts'
import type { Unit } from './window-kind.ts'

/** This turn, and those that ended without an answer and are gone on with in it. */
export function ownTurns({ events, turn }: Material): ReadonlySet<TurnId> {
  const own = new Set([turn.id])
  for (const event of events.toReversed())
    if (event.type === 'turn.started' && own.has(event.turn) && event.resumes !== undefined) own.add(event.resumes)
  return own
}

/** The past: replies of other turns, however late they ended, and messages before the one that caused this turn. */
export function splitTurn(beats: readonly Beat[], material: Material): { readonly past: Beat[]; readonly current: Beat[] } {
  const own = ownTurns(material)
  const isPast = (beat: Beat): boolean => (beat.kind === 'said' ? !own.has(beat.turn) : beat.seq < material.turn.cause)
  return { past: beats.filter(isPast), current: beats.filter(beat => !isPast(beat)) }
}

/** In the order in which they begin; a turn that went on after another message is still one. */
export function unitsOf(beats: readonly Beat[]): readonly Unit[] {
  return [...Map.groupBy(beats, messageOf)].map(([key, own]) => ({ key, beats: own }))
}

/** Whether a person pinned a message. */
export function pinnedIn(material: Material): (unit: Unit) => boolean {
  const pinned = pinsOf(material)
  return ({ beats }) => beats.some(beat => seqsOf(beat).some(seq => pinned.has(seq)))
}

/** A conversation begins with a person; an answer whose question is gone goes with it. */
export function withoutLeadingAnswers(units: readonly Unit[]): readonly Unit[] {
  const first = units.findIndex(unit => unit.beats[0]?.kind !== 'said')
  return first === -1 ? [] : units.slice(first)
}

export const unitSeq = ({ beats }: Unit): number => beats[0]?.seq ?? 0

/** The index of the first message at or after a seq. */
export function firstFrom(units: readonly Unit[], seq: number): number {
  const index = units.findIndex(unit => unitSeq(unit) >= seq)
  return index === -1 ? units.length : index
}

/** The index of the last exchange: the last message of a person before the new one, and what was answered to it. */
export function lastExchange(units: readonly Unit[]): number {
  const index = units.findLastIndex(unit => unit.beats[0]?.kind === 'heard')
  return index === -1 ? units.length : index
}

/** A turn begins where a person speaks after a voice did. */
export const beginsTurn = (units: readonly Unit[], index: number): boolean =>
  units[index]?.beats[0]?.kind === 'heard' && units[index - 1]?.beats[0]?.kind !== 'heard'

export function runningSums(values: readonly number[]): readonly number[] {
  let sum = 0
  return values.map(value => {
    sum += value
    return sum
  })
}

/** Binary search: the least index below `length` from which on a condition is true, or `length`. */
export function firstWhere(length: number, holds: (index: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
