// What ten million sessions are on some shards, by a hash of their ids: how even the load is, and how much moves when a shard is
// added. Arithmetic alone: the same seed gives the same table on every machine.
import { markdown } from './measure.ts'
import { PLACEMENTS, type Place, type Placement } from './shards/placements.ts'
import { inventSessions, type Sessions } from './shards/sessions.ts'

const SEED = 20_260_101
const quick = process.argv.includes('--quick')
const SESSIONS = quick ? 500_000 : 10_000_000
const SHARDS = [4, 16, 64]
/** In the mean of all sessions; half of them have less than a seventh of it. */
const TURNS_A_DAY = 2
const SPREAD = 2
const APPENDS_A_TURN = 3
/** With its indexes, without those of a memory; the write-ahead log gets twice as much. */
const BYTES_A_TURN = 10_000
const DAY = 86_400
/** What a busy hour has above the mean. */
const BUSY_HOUR = 3

type Load = { readonly sessions: Float64Array; readonly turns: Float64Array; readonly busiest: Float64Array }
type Row = {
  readonly placement: string
  readonly shards: number
  /** Of one shard in the mean: sessions, appends a second in a busy hour, and bytes a day. */
  readonly sessions: number
  readonly appendsPerSecond: number
  readonly bytesADay: number
  readonly hottest: { readonly sessions: number; readonly appends: number }
  /** The most that one session has of the appends of its shard. */
  readonly busiestSession: number
  /** With one shard more. */
  readonly added: { readonly moved: number; readonly movedAppends: number; readonly hottest: number }
}

const started = performance.now()
const sessions = inventSessions(SESSIONS, TURNS_A_DAY, SPREAD, SEED)
const rows = SHARDS.flatMap(shards => PLACEMENTS.map(placement => rowOf(placement, shards, sessions)))
const command = `node bench/shards.ts${quick ? ' --quick' : ''}`
const seconds = (performance.now() - started) / 1000
const memoryMb = process.resourceUsage().maxRSS / 1024
const skew = shareOfBusiest(sessions.turns, 0.01)

console.log(
  [
    `shards · ${command} · seed ${SEED} · ${number(SESSIONS)} sessions, ${TURNS_A_DAY} turns a day each in the mean; the busiest 1 % have ${percent(skew)} of the turns · ${seconds.toFixed(0)} s, ${memoryMb.toFixed(0)} MB`,
    '',
    ...loadTable(),
    '',
    ...addedTable(),
    '',
  ].join('\n'),
)
console.log(JSON.stringify({ bench: 'shards', command, seed: SEED, sessions: SESSIONS, skew, rows }))

/** The load of a shard, with buckets; the other ways have the same in the mean. */
function loadTable(): readonly string[] {
  const titles = ['a shard in the mean', 'sessions', 'appends/s in a busy hour', 'GB a day', 'busiest session of a shard']
  const shown = rows
    .filter(({ placement }) => placement.endsWith('buckets'))
    .map(row => [
      `${row.shards} shards`,
      number(row.sessions),
      number(row.appendsPerSecond),
      (row.bytesADay / 1e9).toFixed(2),
      percent(row.busiestSession),
    ])
  return markdown(titles, shown)
}

function addedTable(): readonly string[] {
  const titles = [
    '',
    'hottest ÷ mean: sessions',
    'appends',
    'one shard more: sessions moved',
    'appends moved',
    'least possible',
    'hottest ÷ mean then',
  ]
  const shown = rows.map(({ placement, shards, hottest, added }) => [
    `${shards} shards, ${placement}`,
    hottest.sessions.toFixed(3),
    hottest.appends.toFixed(3),
    percent(added.moved),
    percent(added.movedAppends),
    percent(1 / (shards + 1)),
    added.hottest.toFixed(3),
  ])
  return markdown(titles, shown)
}

function rowOf(placement: Placement, shards: number, all: Sessions): Row {
  const [before, after] = placement.on(shards)
  const places = placesOf(all, before)
  const placesAfter = placesOf(all, after)
  const load = loadOf(all, places, shards)
  const loadAfter = loadOf(all, placesAfter, shards + 1)
  const total = load.turns.reduce((sum, each) => sum + each, 0)
  let [moved, movedTurns] = [0, 0]
  for (let index = 0; index < places.length; index += 1) {
    if (places[index] === placesAfter[index]) continue
    moved += 1
    movedTurns += all.turns[index] ?? 0
  }
  const turns = total / shards
  return {
    ...{ placement: placement.name, shards },
    sessions: SESSIONS / shards,
    appendsPerSecond: (turns * APPENDS_A_TURN * BUSY_HOUR) / DAY,
    bytesADay: turns * BYTES_A_TURN,
    hottest: { sessions: hottestOf(load.sessions), appends: hottestOf(load.turns) },
    busiestSession: Math.max(...load.busiest.map((most, shard) => most / (load.turns[shard] ?? 1))),
    added: { moved: moved / SESSIONS, movedAppends: movedTurns / total, hottest: hottestOf(loadAfter.turns) },
  }
}

function placesOf({ hashes }: Sessions, place: Place): Uint16Array {
  const places = new Uint16Array(hashes.length)
  for (let index = 0; index < places.length; index += 1) places[index] = place(hashes[index] ?? 0)
  return places
}

function loadOf({ turns }: Sessions, places: Uint16Array, shards: number): Load {
  const load = { sessions: new Float64Array(shards), turns: new Float64Array(shards), busiest: new Float64Array(shards) }
  for (let index = 0; index < places.length; index += 1) {
    const shard = places[index] ?? 0
    const own = turns[index] ?? 0
    load.sessions[shard] = (load.sessions[shard] ?? 0) + 1
    load.turns[shard] = (load.turns[shard] ?? 0) + own
    if (own > (load.busiest[shard] ?? 0)) load.busiest[shard] = own
  }
  return load
}

/** The most that a shard has, over the mean. */
function hottestOf(load: Float64Array): number {
  return (Math.max(...load) * load.length) / load.reduce((sum, each) => sum + each, 0)
}

function shareOfBusiest(turns: Float32Array, share: number): number {
  const sorted = Float32Array.from(turns).sort()
  const from = Math.floor(sorted.length * (1 - share))
  let [most, all] = [0, 0]
  for (let index = 0; index < sorted.length; index += 1) {
    all += sorted[index] ?? 0
    if (index >= from) most += sorted[index] ?? 0
  }
  return most / all
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

function number(value: number): string {
  return Math.round(value).toLocaleString('en')
}
