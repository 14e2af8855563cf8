/** Counts the messages of a session that a voice could hear, by the running numbers of their speakers, and looks closer only at odd ones. */

import type { Recorded } from '../../../model/event.ts'
import type { SessionId } from '../../../model/ids.ts'
import { isHouseVoice } from '../../../model/settings/council.ts'
import { HEARABLE_TYPES, type Hearer, hearableIn, isAmong } from '../../hearable.ts'
import { parsedJson } from '../../rows.ts'
import { countWithin, type Range, type SessionIndex } from '../../session-index.ts'
import type { Query } from '../database.ts'
import { encodeName } from '../encode-name.ts'
import { EVENT, type EventRow, eventOf } from '../rows.ts'

type HearableRow = EventRow & { readonly turn: string | null }

const DECIDING = `type in (${HEARABLE_TYPES.map(type => `'${type}'`).join(', ')})`

/** What the index says about hearing, for one session. `speakers` are those that have a number. */
export function postgresHearable(
  query: Query,
  id: SessionId,
  speakers: readonly string[],
): Pick<SessionIndex, 'hearable' | 'deciding'> {
  const rows = (where: string, ...values: readonly unknown[]): Promise<readonly HearableRow[]> =>
    query<HearableRow>(`select ${EVENT}, turn from events where session = $1 and ${where}`, [id, ...values])

  /** All rows up to a seq that decide about the messages of these rows: whole answers, and the starts of turns that resume them. */
  const decidingRows = async (given: readonly HearableRow[], through: number): Promise<readonly HearableRow[]> => {
    const all = new Map<number, HearableRow>()
    const turns = new Set<string>()
    const add = (some: readonly HearableRow[]): void => {
      for (const each of some) all.set(each.seq, each)
    }
    const next = new Set(given.flatMap(({ turn }) => turn ?? []))
    add(given.filter(({ turn }) => turn === null))
    while (next.size > 0) {
      const some = [...next]
      for (const turn of next) turns.add(turn)
      next.clear()
      const [own, resuming] = await Promise.all([
        rows(`turn = any($2::text[]) and seq <= $3 and ${DECIDING}`, some, through),
        rows('resumes = any($2::text[]) and seq <= $3', some, through),
      ])
      add([...own, ...resuming])
      for (const each of [...own, ...resuming]) {
        if (each.type !== 'turn.started') continue
        const start = eventOf(id, each)
        if (start.type !== 'turn.started' || start.continues !== true || start.resumes === undefined) continue
        for (const turn of [start.turn, start.resumes].map(encodeName)) if (!turns.has(turn)) next.add(turn)
      }
    }
    return [...all.values()].sort((a, b) => a.seq - b.seq)
  }
  const eventsOf = (given: readonly HearableRow[]): readonly Recorded[] => given.map(each => eventOf(id, each))

  /** Which of these rows have a number among those of the speakers. */
  const numbered = async (given: readonly HearableRow[], among: readonly string[]): Promise<readonly number[]> => {
    if (given.length === 0) return []
    const found = await query<{ seq: number }>(
      'select seq from message_numbers where session = $1 and speaker = any($2::text[]) and seq = any($3::bigint[])',
      [id, among, given.map(({ seq }) => seq)],
    )
    return found.map(({ seq }) => seq)
  }

  /** By how much the count of each range differs from its numbers. */
  const differences = async (
    ranges: readonly Range[],
    hearer: Hearer,
    among: readonly string[],
    through: number,
  ): Promise<readonly number[]> => {
    const to = Math.max(0, ...ranges.map(range => range.to))
    const [odd, late] = await Promise.all([
      rows('is_odd and seq <= $2', to),
      rows('seq in (select seq from late_turns where session = $1 and seq <= $2)', through),
    ])
    if (odd.length === 0 && late.length === 0) return ranges.map(() => 0)
    const deciding = await decidingRows([...odd, ...late], through)
    const counted = await numbered(
      deciding.filter(({ begins }) => begins > 0),
      among,
    )
    const heard = hearableIn(eventsOf(deciding), hearer).map(({ begins }) => begins)
    return ranges.map(range => countWithin(range, heard) - countWithin(range, counted))
  }

  /** How many messages all of these speakers together had said by each of some seqs. */
  const numbersAt = async (seqs: readonly number[], among: readonly string[]): Promise<ReadonlyMap<number, number>> => {
    if (among.length === 0 || seqs.length === 0) return new Map()
    const found = await query<{ seq: number; total: number }>(
      `select wanted.seq, coalesce(sum(latest.number), 0)::bigint as total
       from unnest($2::bigint[]) as wanted (seq) cross join unnest($3::text[]) as among (speaker)
       left join lateral (
         select number from message_numbers as known where known.session = $1 and known.speaker = among.speaker and known.seq <= wanted.seq
         order by known.seq desc limit 1) as latest on true
       group by wanted.seq`,
      [id, seqs, among],
    )
    return new Map(found.map(({ seq, total }) => [seq, total]))
  }

  return {
    hearable: async (ranges, hearer, through) => {
      const among = speakers.filter(speaker => hears(hearer, speaker)).map(encodeName)
      const seqs = [...new Set(ranges.flatMap(({ from, to }) => (to < from ? [] : [from - 1, to])))]
      const [numbers, difference] = await Promise.all([numbersAt(seqs, among), differences(ranges, hearer, among, through)])
      const numberOf = (seq: number): number => numbers.get(seq) ?? 0
      return ranges.map(({ from, to }, place) => (to < from ? 0 : numberOf(to) - numberOf(from - 1)) + (difference[place] ?? 0))
    },
    deciding: async (seqs, through) => {
      const given = await rows('seq = any($2::bigint[]) and seq <= $3', seqs, through)
      return eventsOf(await decidingRows(given, through))
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
