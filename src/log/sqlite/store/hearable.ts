/** Counts the messages of a session that a voice could hear, by the running numbers of their speakers, and looks closer only at odd ones. */

import type { SQLInputValue } from 'node:sqlite'
import type { Recorded } from '../../../model/event.ts'
import type { SessionId } from '../../../model/ids.ts'
import { isHouseVoice } from '../../../model/settings/council.ts'
import { HEARABLE_TYPES, type Hearer, hearableIn, isAmong } from '../../hearable.ts'
import { EVENT, type EventRow, eventOf, parsedJson } from '../../rows.ts'
import { countWithin, type Range, type SessionIndex } from '../../session-index.ts'
import { ODD_EVENT, RESUMED_TURN } from '../migrations.ts'
import type { Tables } from './rows.ts'

type HearableRow = EventRow & { readonly turn: string | null }

const DECIDING = `type in (${HEARABLE_TYPES.map(type => `'${type}'`).join(', ')})`
const GIVEN = '(select value from json_each(?))'

/**
 * By how much the count of each range differs from its numbers, as far as the log was looked at, and the turns that decided it.
 * `row` is the row of the last event, since a session of the same id may be opened anew.
 */
type Difference = {
  readonly amounts: readonly number[]
  readonly through: number
  readonly row: number | undefined
  readonly turns: ReadonlySet<string>
}

/** What was found out at earlier turns, by session, voice and range. It holds until one of the turns goes on or is resumed. */
export type Differences = Map<string, Difference>

const MOST_DIFFERENCES = 64
/** Looking through more new events than this takes as long as counting anew. */
const MOST_NEW = 2048

/** What the index says about hearing, for one session. */
export function sqliteHearable(
  { row, rows }: Tables,
  id: SessionId,
  known: Differences,
): Pick<SessionIndex, 'hearable' | 'deciding'> {
  const numberAt = (speaker: string, seq: number): number =>
    row<{ number: number }>(
      'select number from message_numbers where session = ? and speaker = ? and seq <= ? order by seq desc limit 1',
      ...[id, speaker, seq],
    )?.number ?? 0

  /** Each once, without walking over their messages. */
  const speakers = (): readonly string[] =>
    rows<{ speaker: string }>(
      `with recursive each (speaker) as (
         select min(speaker) from message_numbers where session = ?1
         union all
         select (select min(speaker) from message_numbers where session = ?1 and speaker > each.speaker) from each
         where each.speaker is not null)
       select speaker from each where speaker is not null`,
      id,
    ).map(({ speaker }) => speaker)

  const found = (where: string, ...values: SQLInputValue[]): readonly HearableRow[] =>
    rows<HearableRow>(`select ${EVENT}, turn from events ${where}`, ...values)

  /** All rows up to a seq that decide about the messages of these rows: whole answers, and the starts of turns that resume them. */
  const decidingRows = (given: readonly HearableRow[], through: number): readonly HearableRow[] => {
    const all = new Map<number, HearableRow>()
    const turns = new Set<string>()
    const add = (some: readonly HearableRow[]): void => {
      for (const each of some) all.set(each.seq, each)
    }
    const next = new Set(given.flatMap(({ turn }) => turn ?? []))
    add(given.filter(({ turn }) => turn === null))
    while (next.size > 0) {
      const some = JSON.stringify([...next])
      for (const turn of next) turns.add(turn)
      next.clear()
      const own = found(
        `indexed by events_by_turn where session = ? and turn in ${GIVEN} and seq <= ? and ${DECIDING}`,
        ...[id, some, through],
      )
      const resuming = found(
        `indexed by events_by_resumed where session = ? and type = 'turn.started' and ${RESUMED_TURN} in ${GIVEN} and seq <= ?`,
        ...[id, some, through],
      )
      add([...own, ...resuming])
      for (const each of [...own, ...resuming]) {
        if (each.type !== 'turn.started') continue
        const start = eventOf(id, each)
        if (start.type !== 'turn.started' || start.continues !== true || start.resumes === undefined) continue
        for (const turn of [start.turn, start.resumes]) if (!turns.has(turn)) next.add(turn)
      }
    }
    return [...all.values()].sort((a, b) => a.seq - b.seq)
  }
  const eventsOf = (given: readonly HearableRow[]): readonly Recorded[] => given.map(each => eventOf(id, each))

  /** Which of these rows have a number among those of the speakers. */
  const numbered = (given: readonly HearableRow[], among: readonly string[]): readonly number[] =>
    rows<{ seq: number }>(
      `select known.seq from json_each(?) as seqs cross join json_each(?) as speakers
       cross join message_numbers as known on known.session = ? and known.speaker = speakers.value and known.seq = seqs.value`,
      ...[JSON.stringify(given.map(({ seq }) => seq)), JSON.stringify(among), id],
    ).map(({ seq }) => seq)

  const rowAt = (seq: number): number | undefined =>
    row<{ id: number }>('select id from events where session = ? and seq = ?', id, seq)?.id

  const differenceOf = (ranges: readonly Range[], hearer: Hearer, among: readonly string[], through: number): Difference => {
    const to = Math.max(0, ...ranges.map(range => range.to))
    const odd = [
      ...found(`indexed by events_by_oddity where session = ? and seq <= ? and ${ODD_EVENT}`, id, to),
      ...found('where session = ?1 and seq in (select seq from late_turns where session = ?1 and seq <= ?2)', id, through),
    ]
    const deciding = decidingRows(odd, through)
    const counted = numbered(
      deciding.filter(({ begins }) => begins > 0),
      among,
    )
    const heard = hearableIn(eventsOf(deciding), hearer).map(({ begins }) => begins)
    const amounts = ranges.map(range => countWithin(range, heard) - countWithin(range, counted))
    return { amounts, through, row: rowAt(through), turns: new Set(deciding.flatMap(({ turn }) => turn ?? [])) }
  }

  /** Whether nothing that was said since changes what was found out. */
  const holds = ({ through: before, row: last, turns }: Difference, through: number): boolean => {
    if (through < before || through - before > MOST_NEW || rowAt(before) !== last) return false
    if (row('select 1 from late_turns where session = ? and seq > ? and seq <= ?', id, before, through) !== undefined)
      return false
    return rows<{ turn: string | null; resumed: string | null }>(
      `select turn, case when type = 'turn.started' then ${RESUMED_TURN} end as resumed from events
       where session = ? and seq > ? and seq <= ?`,
      ...[id, before, through],
    ).every(({ turn, resumed }) => !turns.has(turn ?? '') && !turns.has(resumed ?? ''))
  }

  return {
    hearable: async (ranges, hearer, through) => {
      const among = speakers().filter(speaker => hears(hearer, speaker))
      const numbers = new Map<number, number>()
      const numberOf = (seq: number): number => {
        const number = numbers.get(seq) ?? among.reduce((sum, each) => sum + numberAt(each, seq), 0)
        numbers.set(seq, number)
        return number
      }
      const all = ranges.map(({ from, to }) => (to < from ? 0 : numberOf(to) - numberOf(from - 1)))
      const key = JSON.stringify([id, hearer, ranges])
      const before = known.get(key)
      const difference =
        before !== undefined && holds(before, through)
          ? { ...before, through, row: rowAt(through) }
          : differenceOf(ranges, hearer, among, through)
      known.delete(key)
      known.set(key, difference)
      for (const oldest of known.keys()) {
        if (known.size <= MOST_DIFFERENCES) break
        known.delete(oldest)
      }
      return all.map((count, place) => count + (difference.amounts[place] ?? 0))
    },
    deciding: async (seqs, through) => {
      const given = found(`where session = ? and seq in ${GIVEN} and seq <= ?`, id, JSON.stringify(seqs), through)
      return eventsOf(decidingRows(given, through))
    },
  }
}

/** Whether a voice hears what is numbered so: said to all, said to some (`to:`), or answered by a voice (`by:`). */
function hears({ voice, isOwn }: Hearer, speaker: string): boolean {
  if (speaker === '') return isAmong(voice, undefined)
  if (speaker.startsWith('to:')) return isAmong(voice, parsedJson(speaker.slice(3)) as readonly string[])
  const by = speaker.slice(3)
  return !isHouseVoice(by) && (!isOwn || by === voice)
}
