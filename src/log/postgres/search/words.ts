/** Fills the full-text index behind the appends, a batch at a time, and forgets the words of removed sessions. */

import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import { searchable, searchTerms } from '../../snippet.ts'
import type { Database, Query } from '../database.ts'
import { EVENT, type EventRow, eventOf } from '../rows.ts'

/** `sessions.words_through` is the last event of each session that was looked at. */
export type PostgresWords = {
  /** Indexes a batch. A caller that does not wait does nothing while another node is at it. */
  readonly fill: (isWaiting: boolean) => Promise<Result<WordsFilled, Fault>>
  /** Fills the index in the background, soon after an append, a fork or an import. */
  readonly fillSoon: () => void
  readonly stop: () => Promise<void>
}

/** `more` asks to go on at once, `later` after a while: sessions that are being written to were passed over. */
export type WordsFilled = 'all' | 'more' | 'later'

type BehindRow = { readonly id: SessionId; readonly title: string | null; readonly head: number; readonly through: number }
type FoundRow = EventRow & { readonly session: SessionId; readonly total: number }

/** The words of an event, or of a title, which is at 0. */
type Words = { readonly session: SessionId; readonly seq: number; readonly at: string; readonly text: string }
type WordRow = Omit<Words, 'text'> & { readonly slice: number; readonly isSliced: boolean; readonly words: string }

const MOST_SESSIONS = 64
const MOST_EVENTS = 500
const MOST_BYTES = 8 << 20
/** A tsvector has at most a megabyte. */
const SLICE_BYTES = 100_000
/** A word of a tsvector has at most 2 KB, and a character at most 3 bytes for each of its units. */
const LONGEST_WORD = 600
const SOON_MS = 500

export function postgresWords(db: Database): PostgresWords {
  let timer: NodeJS.Timeout | undefined
  let filling: Promise<void> = Promise.resolve()
  let isStopped = false

  const fill: PostgresWords['fill'] = isWaiting =>
    db.transaction(async query => {
      // One node at a time fills the index, so that no two look at the same events.
      const locked = await query(`select 1 from counters where name = 'words' for update ${isWaiting ? '' : 'skip locked'}`)
      return ok(locked.length === 0 ? 'later' : await fillBatch(query))
    })
  const fillAll = async (): Promise<void> => {
    let filled: WordsFilled = 'more'
    while (filled === 'more' && !isStopped) {
      const done = await fill(false)
      // Where the database is away, the next append or search fills what is missing.
      filled = done.ok ? done.value : 'all'
    }
    if (filled === 'later') fillSoon()
  }
  function fillSoon(): void {
    if (timer !== undefined || isStopped) return
    timer = setTimeout(() => {
      timer = undefined
      // Even a bug stops no later filling: the next append tries again, and a search that finds it says so.
      filling = filling.then(fillAll).catch(() => undefined)
    }, SOON_MS)
    timer.unref()
  }
  const stop = async (): Promise<void> => {
    isStopped = true
    clearTimeout(timer)
    await filling
  }
  return { fill, fillSoon, stop }
}

async function fillBatch(query: Query): Promise<WordsFilled> {
  const behind = await query<BehindRow>(
    `select id, title, head, words_through as through from sessions
     where head > words_through and exists (select 1 from findable where findable.id = sessions.id)
     order by updated_at desc, id limit ${MOST_SESSIONS}`,
  )
  if (behind.length === 0) return 'all'
  const found = await query<FoundRow>(
    `select session, ${EVENT}, total from (
       select session, ${EVENT}, place, count(*) over () as total, row_number() over (order by place, seq) as number,
         sum(octet_length(body)) over (order by place, seq) - octet_length(body) as bytes
       from unnest($1::text[], $2::bigint[]) with ordinality as wanted (id, after, place)
       cross join lateral (
         select session, ${EVENT} from events where session = wanted.id and seq > wanted.after
           and type in ('message.received', 'reply.finished', 'reply.broken') order by seq limit ${MOST_EVENTS}) as own) as said
     where number <= ${MOST_EVENTS} and bytes < ${MOST_BYTES} order by place, seq`,
    [behind.map(({ id }) => id), behind.map(({ through }) => through)],
  )
  const looked = lookedAt(behind, found)
  const words: readonly Words[] = [
    ...looked.map(({ id, title }) => ({ session: id, seq: 0, at: '', text: title ?? '' })),
    ...found.map(row => ({ session: row.session, seq: row.seq, at: row.at, text: searchable(eventOf(row.session, row)) })),
  ]
  await insertWords(query, words.flatMap(wordRows))
  const saved = await query<{ id: SessionId }>(
    `update sessions set words_through = looked.through from unnest($1::text[], $2::bigint[]) as looked (id, through)
     where sessions.id = looked.id and sessions.id in (
       select id from sessions where id = any($1::text[]) order by id for no key update skip locked)
     returning sessions.id`,
    [looked.map(({ id }) => id), looked.map(({ through }) => through)],
  )
  const areSaved = new Set(saved.map(({ id }) => id))
  // The others are in use: written to, or removed. Words must not come back behind a removal, so they wait for the next batch.
  const undone = words.filter(({ session }) => !areSaved.has(session))
  if (undone.length > 0)
    await query('delete from words where (session, seq) in (select * from unnest($1::text[], $2::bigint[]))', [
      undone.map(({ session }) => session),
      undone.map(({ seq }) => seq),
    ])
  return undone.length === 0 ? 'more' : 'later'
}

/** How far each session was looked at. Where the batch is full, the last one was not read whole, and those after it not at all. */
function lookedAt(behind: readonly BehindRow[], found: readonly FoundRow[]): readonly BehindRow[] {
  const last = found.at(-1)
  const isFull = last !== undefined && (found.length >= MOST_EVENTS || found.length < last.total)
  const end = isFull ? behind.findIndex(({ id }) => id === last.session) : behind.length
  const whole = behind.slice(0, end).map(each => ({ ...each, through: each.head }))
  const half = behind[end]
  return half === undefined || last === undefined ? whole : [...whole, { ...half, through: last.seq }]
}

async function insertWords(query: Query, rows: readonly WordRow[]): Promise<void> {
  if (rows.length === 0) return
  await query(
    `insert into words (session, seq, slice, is_sliced, at, vector)
     select session, seq, slice, is_sliced, at, array_to_tsvector(string_to_array(words, ' '))
     from unnest($1::text[], $2::bigint[], $3::integer[], $4::boolean[], $5::text[], $6::text[])
       as new (session, seq, slice, is_sliced, at, words)
     on conflict (session, seq, slice) do update set vector = excluded.vector`,
    [
      rows.map(({ session }) => session),
      rows.map(({ seq }) => seq),
      rows.map(({ slice }) => slice),
      rows.map(({ isSliced }) => isSliced),
      rows.map(({ at }) => at),
      rows.map(({ words }) => words),
    ],
  )
}

/** The words of a text, each once, in as many rows as they need. They are split as the words of a search are, not by the database. */
function wordRows({ text, ...place }: Words): readonly WordRow[] {
  const slices: string[][] = []
  let bytes = SLICE_BYTES
  for (const word of new Set(searchTerms(text).map(indexedWord))) {
    const length = Buffer.byteLength(word)
    if (bytes + length > SLICE_BYTES) {
      slices.push([])
      bytes = 0
    }
    slices.at(-1)?.push(word)
    bytes += length
  }
  return slices.map((slice, index) => ({ ...place, slice: index, isSliced: slices.length > 1, words: slice.join(' ') }))
}

/** A word as the index has it: a very long one by its beginning. */
export const indexedWord = (word: string): string => word.slice(0, LONGEST_WORD).replace(/[\ud800-\udbff]$/, '')

export async function forgetWords(query: Query, id: SessionId): Promise<void> {
  await query('delete from words where session = $1', [id])
}
