// How many turns one, two and three gateways answer on one PostgreSQL, beside one on SQLite: real processes on the cores of one
// machine, with the provider, the people and the database on the same cores.

import { onServer } from '../test/support/postgres.ts'
import { markdown, percentile, type Ratio, type Row, ratioOf, report, type Scale, scaleOf, type View } from './measure.ts'
import { findPgbench, runPgbench } from './nodes/pgbench.ts'
import { openStand, type Setup, type Stand, type Used } from './nodes/stand.ts'

const DELTAS = 20
const NODES = [1, 2, 3]
const PEOPLE = 64
const TURNS_PER_SECOND = 20
const KINDS = ['gateways', 'PostgreSQL', 'provider', 'people'] as const

const { quick } = scaleOf(process.argv)
/** A go is a stretch of time, in which there are as many turns as there is room for. */
const scale: Scale = { quick, small: 0, large: 0, rounds: quick ? 1 : 5, goes: 1 }
/** More than are talked in within the time for which a node keeps a session: each message finds its session without a node. */
const SESSIONS = quick ? 128 : 512
const SATURATED_MS = quick ? 2000 : 6000
const PACED_MS = quick ? 1500 : 5000
const PGBENCH_SECONDS = quick ? 2 : 10

const A_TURN = `a turn, ${PEOPLE} people`
const FIRST = `first delta, ${PEOPLE} people`
const FIRST_PACED = `first delta, ${TURNS_PER_SECOND}/s`
const cpuOf = (kind: keyof Used): string => `CPU of a turn: ${kind}`

/** What was seen of each row, by round. */
const seen = new Map<string, number[][]>()
const note = (setup: Setup, what: string, values: readonly number[]): void => {
  const key = `${setup.name}: ${what}`
  seen.set(key, [...(seen.get(key) ?? []), [...values]])
}

const view: View = {
  ratios: rows => [...comparedWithSqlite(rows), ...comparedWithOne(rows)],
  table: ({ rows, ratios }) => [...turnsTable(rows, ratios), '', ...cpuTable(rows), '', ...databaseTable(rows)],
}

async function measured(): Promise<readonly Row[]> {
  const stand = await openStand(NODES, DELTAS)
  const { setups, people, database } = stand
  for (const setup of setups)
    setup.sessions = (await people.ask({ do: 'open', urls: urlsOf(setup), sessions: SESSIONS })).sessions
  for (let round = -1; round < scale.rounds; round += 1)
    for (const setup of round % 2 === 0 ? setups : setups.toReversed()) await roundOf(stand, setup, round === -1)
  const pgbench = findPgbench()
  const alone = pgbench === undefined ? [] : await runPgbench(pgbench, database.url, database.folder, PGBENCH_SECONDS)
  if (pgbench === undefined) console.log('pgbench is not here, so what the database itself could do is not measured\n')
  await stand.close()
  return [
    ...[...seen].map(([what, rounds]) => rowOf(what, rounds)),
    ...alone.map(({ what, perSecond, ms }) => ({ what, messages: 0, p50: ms, p99: ms, perSecond, rounds: [[ms]] })),
  ]
}

const urlsOf = ({ gateways }: Setup): readonly string[] => gateways.map(({ url }) => url)

async function roundOf({ people, used, database }: Stand, setup: Setup, isForNothing: boolean): Promise<void> {
  const { sessions, nodes } = setup
  const common = { urls: urlsOf(setup), sessions }
  const [usedBefore, doneBefore] = [used(setup), nodes === 0 ? 0 : await transactions(database.url)]
  // Each gateway has as much to warm up with as one alone.
  const ms = SATURATED_MS * (isForNothing ? Math.max(1, nodes) : 1)
  const full = await people.ask({ ...common, do: 'saturate', people: PEOPLE, ms })
  const [usedAfter, doneAfter] = [used(setup), nodes === 0 ? 0 : await transactions(database.url)]
  // The first round is for caches and compilers.
  if (isForNothing) return
  const paced = await people.ask({ ...common, do: 'pace', perSecond: TURNS_PER_SECOND, ms: PACED_MS })
  const turns = full.whole.length
  note(setup, A_TURN, [full.ms / turns])
  note(setup, FIRST, full.first)
  note(setup, FIRST_PACED, paced.first)
  if (usedBefore !== undefined && usedAfter !== undefined)
    for (const kind of KINDS) note(setup, cpuOf(kind), [(usedAfter[kind] - usedBefore[kind]) / turns])
  if (nodes > 0) note(setup, 'transactions of a turn', [(doneAfter - doneBefore) / turns])
}

/** Committed so far in the whole server; it counts up to a second late. */
async function transactions(url: string): Promise<number> {
  const [row] = (await onServer(url, 'select sum(xact_commit)::text as done from pg_stat_database')) as readonly {
    readonly done: string
  }[]
  return Number(row?.done)
}

function rowOf(what: string, rounds: readonly (readonly number[])[]): Row {
  const all = rounds.flat()
  const p50 = percentile(all, 50)
  return { what, messages: 0, p50, p99: percentile(all, 99), ...(what.endsWith(A_TURN) ? { perSecond: 1000 / p50 } : {}), rounds }
}

const nameOf = (nodes: number): string => (nodes === 0 ? 'SQLite' : `PostgreSQL, ${nodes} ${nodes === 1 ? 'node' : 'nodes'}`)
const find = (rows: readonly Row[], nodes: number, what: string): Row | undefined =>
  rows.find(row => row.what === `${nameOf(nodes)}: ${what}`)

/** Of turns per second the other's milliseconds are the ones to be divided. */
function comparedWithSqlite(rows: readonly Row[]): readonly Ratio[] {
  return NODES.flatMap(nodes => {
    const pairs = [A_TURN, FIRST, FIRST_PACED].map(what => [what, find(rows, 0, what), find(rows, nodes, what)] as const)
    return pairs.flatMap(([what, sqlite, ours]) => {
      if (sqlite === undefined || ours === undefined) return []
      const name = what === A_TURN ? 'turns a second' : what
      return [
        { what: `${name}: ${nameOf(nodes)} ÷ SQLite`, ...(what === A_TURN ? ratioOf(sqlite, ours) : ratioOf(ours, sqlite)) },
      ]
    })
  })
}

function comparedWithOne(rows: readonly Row[]): readonly Ratio[] {
  const one = find(rows, 1, A_TURN)
  return NODES.slice(1).flatMap(nodes => {
    const more = find(rows, nodes, A_TURN)
    if (one === undefined || more === undefined) return []
    return [{ what: `turns a second: ${nodes} nodes ÷ 1 node`, ...ratioOf(one, more) }]
  })
}

function turnsTable(rows: readonly Row[], ratios: readonly Ratio[]): readonly string[] {
  const ratio = (what: string): string => ratios.find(each => each.what === what)?.p50.toFixed(2) ?? '–'
  const times = (row: Row | undefined): string => (row === undefined ? '–' : `${row.p50.toFixed(1)} / ${row.p99.toFixed(1)}`)
  return markdown(
    ['', 'turns/s', '÷ SQLite', '÷ 1 node', `${FIRST}, p50 / p99 ms`, `${FIRST_PACED}, p50 / p99 ms`, '÷ SQLite, p50'],
    [0, ...NODES].map(nodes => [
      nameOf(nodes),
      find(rows, nodes, A_TURN)?.perSecond?.toFixed(0) ?? '–',
      ratio(`turns a second: ${nameOf(nodes)} ÷ SQLite`),
      ratio(`turns a second: ${nodes} nodes ÷ 1 node`),
      times(find(rows, nodes, FIRST)),
      times(find(rows, nodes, FIRST_PACED)),
      ratio(`${FIRST_PACED}: ${nameOf(nodes)} ÷ SQLite`),
    ]),
  )
}

/** How the cores were shared; nothing where the system does not tell. */
function cpuTable(rows: readonly Row[]): readonly string[] {
  const shown = [0, ...NODES].map(nodes => {
    const used = KINDS.map(kind => find(rows, nodes, cpuOf(kind))?.p50)
    const turn = find(rows, nodes, A_TURN)?.p50
    if (turn === undefined || used.includes(undefined)) return undefined
    const all = used.reduce<number>((sum, each) => sum + (each ?? 0), 0)
    return [nameOf(nodes), ...used.map(each => each?.toFixed(2) ?? '–'), all.toFixed(2), (all / turn).toFixed(2)]
  })
  if (shown.includes(undefined)) return ['CPU by process is known on Linux only']
  const titles = ['CPU ms of a turn', ...KINDS, 'all', 'cores in use']
  return markdown(titles, shown as readonly (readonly string[])[])
}

function databaseTable(rows: readonly Row[]): readonly string[] {
  const done = NODES.map(nodes => [
    `${nameOf(nodes)}: transactions of a turn`,
    find(rows, nodes, 'transactions of a turn')?.p50.toFixed(1) ?? '–',
    '',
  ])
  const alone = rows
    .filter(({ what }) => what.startsWith('pgbench'))
    .map(({ what, perSecond, p50 }) => [`${what}: transactions a second`, perSecond?.toFixed(0) ?? '–', p50.toFixed(2)])
  return markdown(['the database', '', 'ms'], [...done, ...alone])
}

await report('nodes', scale, measured, view)
