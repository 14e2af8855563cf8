import { randomFrom } from '../log/facts.ts'
import { type Kill, kindOf, wordsOf } from './kill.ts'
import { everyKill, type Plan, randomPlan, someKills } from './plan.ts'
import { type Break, type Outcome, run } from './run.ts'

export type ChaosOptions = {
  /** So many runs of kills at random, instead of one for every point. */
  readonly random?: number
  /** Only this one of them. */
  readonly only?: number | undefined
  /** Only points that are named with these words. */
  readonly at?: string | undefined
  /** Only so many points of each kind. */
  readonly ofEach?: number | undefined
  readonly seed: number
  /** How many conversations are had side by side. */
  readonly atOnce: number
  /** Where gateways keep their compiled code, for those that come after. */
  readonly compiled: string
  readonly isVerbose?: boolean
  readonly isBroken?: Break | undefined
  readonly print: (line: string) => void
}

/** What came of all runs; `first` is the first difference there was. */
export type Verdict = { readonly ok: boolean; readonly runs: number; readonly kills: number; readonly first?: string }

type Ran = Plan & { readonly outcome: Outcome }

/** Has the same conversation over and over, each time with other kills, until all are done or one made a difference. */
export async function chaos(options: ChaosOptions): Promise<Verdict> {
  const { random, only, at = '', ofEach, seed, atOnce, compiled, isVerbose = false, isBroken, print } = options
  if (random !== undefined) print(`seed ${seed}`)
  const plain = await run({ kills: [], isBroken, compiled })
  if (plain.differences.length > 0) return failed({ kills: [], outcome: plain }, options)
  const points = everyKill(plain).filter(kill => wordsOf(kill).includes(at))
  print(`${plain.events} events in ${plain.appends.length} appends, ${plain.frames.length} frames: ${points.length} kill points`)
  const plans =
    random === undefined ? onePlanEach(ofEach === undefined ? points : someKills(points, ofEach)) : several(random, only, seed)
  const done: Ran[] = []
  let first: Ran | undefined
  const work = async (): Promise<void> => {
    for (let plan = plans.shift(); plan !== undefined && first === undefined; plan = plans.shift()) {
      const started = performance.now()
      const outcome = await run({ ...plan, plain: plain.lines, isBroken, compiled })
      const ran = { ...plan, outcome: random === undefined ? reached(plan, outcome) : outcome }
      done.push(ran)
      if (isVerbose)
        print(`${describe(ran)}: ${ran.outcome.differences[0] ?? 'the same'}, ${Math.round(performance.now() - started)} ms`)
      if (ran.outcome.differences.length > 0) first ??= ran
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  if (first !== undefined) return failed(first, options)
  for (const line of table(done)) print(line)
  return { ok: true, runs: done.length, kills: done.reduce((sum, { outcome }) => sum + outcome.killed, 0) }
}

const onePlanEach = (kills: readonly Kill[]): Plan[] => kills.map(kill => ({ kills: [kill] }))

function several(count: number, only: number | undefined, seed: number): Plan[] {
  const next = randomFrom(seed)
  return Array.from({ length: count }, (_, index) => ({ number: index + 1, ...randomPlan(next) })).filter(
    ({ number }) => only === undefined || number === only,
  )
}

/** A point that nobody comes to proves nothing. */
const reached = ({ kills }: Plan, outcome: Outcome): Outcome =>
  outcome.killed === kills.length
    ? outcome
    : { ...outcome, differences: [...outcome.differences, 'the kill point was not reached'] }

const describe = ({ number, kills, continuations }: Plan): string =>
  `${number === undefined ? '' : `run ${number}: `}killed ${kills.map(wordsOf).join(', then ')}${continuations === undefined ? '' : `, ${continuations} continuations`}`

function failed(ran: Ran, { random, seed, print }: ChaosOptions): Verdict {
  const [first = ''] = ran.outcome.differences
  print(`${random === undefined ? '' : `seed ${seed}: `}${describe(ran)}`)
  print(`first difference of ${ran.outcome.differences.length}: ${first}`)
  return { ok: false, runs: 1, kills: ran.outcome.killed, first }
}

/** Kinds of kill points, how many of each were killed at, and how long it took until what was cut off was answered. */
function table(done: readonly Ran[]): readonly string[] {
  const rows = done.flatMap(({ kills, outcome }) =>
    kills.slice(0, outcome.killed).map((kill, index) => ({ kind: kindOf(kill), ms: outcome.recoveredMs[index] ?? 0 })),
  )
  const line = (kind: string, times: readonly number[]): string => {
    const sorted = times.toSorted((a, b) => a - b)
    const [middle = 0, most = 0] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
    return `| ${kind.padEnd(24)} | ${String(times.length).padStart(5)} | ${String(Math.round(middle)).padStart(6)} | ${String(Math.round(most)).padStart(6)} |`
  }
  return [
    '| killed                   | times | p50 ms | max ms |',
    '|--------------------------|------:|-------:|-------:|',
    ...[...Map.groupBy(rows, ({ kind }) => kind)].map(([kind, same]) =>
      line(
        kind,
        same.map(({ ms }) => ms),
      ),
    ),
    line(
      'all',
      rows.map(({ ms }) => ms),
    ),
    `${done.length} runs, ${rows.length} kills, no difference`,
  ]
}
