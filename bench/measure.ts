import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { arch, cpus, hostname, platform, totalmem } from 'node:os'
import { basename, join } from 'node:path'
import type { Fault } from '../src/model/fault.ts'
import type { Result } from '../src/model/result.ts'

/** Something to measure: one go gives one duration in milliseconds for each row it has. */
export type Case = {
  /** How long the session is; rows of one name and two lengths are compared. */
  readonly messages: number
  readonly once: () => Promise<Readonly<Record<string, number>>>
  /** How many goes are under way at one time. */
  readonly atOnce?: number
  /** The row whose goes per second say something. */
  readonly counts?: string
  /** How many deltas come in one go, where those are what is counted. */
  readonly deltas?: number
  /** Goes in one round, where a case is too slow or too quick for the usual number. */
  readonly goes?: number
}

/** What one benchmark was asked to do. */
export type Scale = {
  readonly quick: boolean
  readonly small: number
  readonly large: number
  readonly rounds: number
  readonly goes: number
}

export type Row = {
  readonly what: string
  readonly messages: number
  readonly p50: number
  readonly p99: number
  /** Goes per second, or deltas where the row has them, with as many under way as the case has. */
  readonly perSecond?: number
  /** In each go. */
  readonly deltas?: number
  /** Every value in milliseconds, by round. */
  readonly rounds: readonly (readonly number[])[]
}

/** Long over short, unless the benchmark says otherwise. */
export type Ratio = { readonly what: string; readonly p50: number; readonly p99: number }

/** What a benchmark compares, and how it shows its rows. */
export type View = {
  readonly ratios: (rows: readonly Row[], scale: Scale) => readonly Ratio[]
  readonly table: (made: Report) => readonly string[]
}

export type Machine = {
  /** Runs of two machines are never compared; this tells them apart without naming them. */
  readonly fingerprint: string
  readonly cpu: string
  readonly cores: number
  readonly memoryGb: number
  readonly node: string
}

export type Report = {
  readonly bench: string
  readonly command: string
  readonly date: string
  readonly commit: string
  readonly machine: Machine
  /** Cores that others kept busy meanwhile. */
  readonly others: number
  readonly scale: Scale
  readonly rows: readonly Row[]
  readonly ratios: readonly Ratio[]
}

const QUICK: Scale = { quick: true, small: 1000, large: 20_000, rounds: 1, goes: 10 }
/** Many short rounds: a burst of other work then falls on both lengths alike. */
const WHOLE: Scale = { quick: false, small: 1000, large: 1_000_000, rounds: 30, goes: 40 }

export const scaleOf = (argv: readonly string[]): Scale => (argv.includes('--quick') ? QUICK : WHOLE)

/** Cases take turns, each round in the opposite order of the one before, so that a noisy minute meets them all. */
export async function measure(cases: readonly Case[], { rounds, goes }: Scale): Promise<readonly Row[]> {
  const found = new Map<string, { what: string; each: Case; rounds: number[][] }>()
  for (let round = -1; round < rounds; round += 1) {
    for (const each of round % 2 === 0 ? cases : cases.toReversed()) {
      const seen = await goesOf(each, each.goes ?? goes)
      // The first round is for caches and compilers, and counts for nothing.
      if (round === -1) continue
      for (const [what, values] of seen) {
        const key = `${what} ${each.messages}`
        const known = found.get(key) ?? { what, each, rounds: [] }
        known.rounds.push(values)
        found.set(key, known)
      }
    }
  }
  return [...found.values()].map(({ what, each, rounds: values }) => rowOf(what, each, values))
}

function rowOf(what: string, { messages, counts, deltas, atOnce = 1 }: Case, rounds: readonly (readonly number[])[]): Row {
  const all = rounds.flat()
  const mean = all.reduce((sum, ms) => sum + ms, 0) / all.length
  return {
    what,
    messages,
    p50: percentile(all, 50),
    p99: percentile(all, 99),
    ...(counts === what ? { perSecond: (atOnce * (deltas ?? 1) * 1000) / mean } : {}),
    ...(deltas === undefined ? {} : { deltas }),
    rounds,
  }
}

async function goesOf({ once, atOnce = 1 }: Case, many: number): Promise<Map<string, number[]>> {
  const seen = new Map<string, number[]>()
  let begun = 0
  const go = async (): Promise<void> => {
    for (; begun < many; ) {
      begun += 1
      for (const [what, ms] of Object.entries(await once())) {
        const values = seen.get(what) ?? []
        values.push(ms)
        seen.set(what, values)
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, go))
  return seen
}

/** How long a piece of work takes, in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** In a benchmark every trouble is a reason to stop. */
export function sure<Value>(result: Result<Value, Fault>): Value {
  if (!result.ok) throw new Error(result.fault.message)
  return result.value
}

/** The value below which that many of a hundred lie. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN
}

/** Runs a benchmark, prints its table and, as the last line, its JSON; a whole run is kept in `bench/results` with every value. */
export async function report(
  bench: string,
  scale: Scale,
  work: () => Promise<readonly Row[]>,
  view: View = BY_LENGTH,
): Promise<void> {
  const before = busyMs()
  const rows = await work()
  const after = busyMs()
  const made: Report = {
    bench,
    command: `node bench/${bench}.ts${scale.quick ? ' --quick' : ''}`,
    date: new Date().toISOString(),
    commit: commitOf(),
    machine: machineOf(),
    others: Math.max(0, after.all - after.own - (before.all - before.own)) / (after.at - before.at),
    scale,
    rows,
    ratios: view.ratios(rows, scale),
  }
  console.log([headOf(made), '', ...view.table(made), ''].join('\n'))
  if (!scale.quick) keep(made)
  const withoutValues = { ...made, rows: rows.map(({ rounds: _, ...row }) => row) }
  console.log(JSON.stringify(withoutValues))
}

const headOf = ({ bench, command, machine, others }: Report): string =>
  `${bench} · ${command} · ${machine.cores} cores, Node ${machine.node} · others kept ${others.toFixed(1)} cores busy`

const BY_LENGTH: View = {
  ratios: (rows, { small, large }) =>
    rows.flatMap(row => {
      const short = rows.find(({ what, messages }) => what === row.what && messages === small)
      return row.messages !== large || short === undefined ? [] : [{ what: row.what, ...ratioOf(row, short) }]
    }),
  table: ({ rows, ratios, scale }) => {
    const shown = rows.map(row => {
      const ratio = row.messages === scale.large ? ratios.find(({ what }) => what === row.what) : undefined
      return [
        row.what,
        row.messages === 0 ? '–' : row.messages.toLocaleString('en'),
        row.p50.toFixed(3),
        row.p99.toFixed(3),
        row.perSecond === undefined ? '' : Math.round(row.perSecond).toLocaleString('en'),
        ratio === undefined ? '' : `${ratio.p50.toFixed(2)} / ${ratio.p99.toFixed(2)}`,
      ]
    })
    return markdown(['', 'messages', 'p50 ms', 'p99 ms', 'per second', 'long ÷ short, p50 / p99'], shown)
  },
}

/** Two rows of one run: the median of the rounds' ratios of medians, and the ratio of the 99th percentiles of all values. */
export function ratioOf(over: Row, under: Row): Omit<Ratio, 'what'> {
  const pairs = over.rounds.map((values, round) => percentile(values, 50) / percentile(under.rounds[round] ?? [], 50))
  return { p50: percentile(pairs, 50), p99: over.p99 / under.p99 }
}

/** A table that reads as it is and pastes into a page. */
export function markdown(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const widths = head.map((title, column) => Math.max(3, title.length, ...rows.map(row => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`
  const rule = `|${widths.map((width, column) => (column === 0 ? `${'-'.repeat(width + 2)}` : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  return [line(head), rule, ...rows.map(line)]
}

function keep(made: Report): void {
  const folder = join(import.meta.dirname, 'results')
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${made.bench}-${made.date.replace(/[:.]/g, '-')}.json`)
  const rounded = made.rows.map(row => ({
    ...row,
    rounds: row.rounds.map(values => values.map(ms => Math.round(ms * 1000) / 1000)),
  }))
  writeFileSync(file, `${JSON.stringify({ ...made, rows: rounded })}\n`)
  console.log(`every value: bench/results/${basename(file)}\n`)
}

function machineOf(): Machine {
  const cpu = cpus()[0]?.model ?? 'unknown'
  const cores = cpus().length
  const memoryGb = Math.round(totalmem() / 2 ** 30)
  const traits = [hostname(), platform(), arch(), cpu, cores, memoryGb]
  const fingerprint = createHash('sha256').update(traits.join('\n')).digest('hex').slice(0, 16)
  return { fingerprint, cpu, cores, memoryGb, node: process.versions.node }
}

/** The commit that was measured; `+` says that something had been changed since. */
function commitOf(): string {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain', '--', '../src') === '' ? '' : '+'}`
  } catch {
    return 'unknown'
  }
}

function busyMs(): { all: number; own: number; at: number } {
  const all = cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0)
  const { user, system } = process.cpuUsage()
  return { all, own: (user + system) / 1000 + childrenMs(), at: performance.now() }
}

/** What ended children have used; Node does not tell, Linux does, in hundredths of a second. */
function childrenMs(): number {
  if (platform() !== 'linux') return 0
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[13]) + Number(fields[14])) * 10
}
