// Replays recorded and made up conversations call by call in small windows: what is sent, whether every provider takes it, what it costs.
import { markdown } from './measure.ts'
import { peersOf } from './peers.ts'
import { brokenMusts, percent, type TraceRow, traceTables } from './traces/report.ts'
import { LIMITS, rememberingMeasure, rowsOfSet } from './traces/run.ts'
import { codingSet, type Sources, sourcesOf } from './traces/sources.ts'
import { ourWindows, peerWindow, tokenWindow, weightBy } from './traces/windows.ts'

const quick = process.argv.includes('--quick')
/** Whether a must that is broken makes the run fail. */
const isStrict = process.argv.includes('--must')
const given = process.argv.slice(2).find(each => !each.startsWith('--'))

/** The peers that are asked for a number of tokens, or that know calls and results. */
const PEERS = /^(LangChain|AI SDK pruneMessages, before)/

const measure = rememberingMeasure()
const weight = weightBy(measure.count)
const peers = await peersOf(weight)
const windows = [
  ...ourWindows,
  peerWindow(tokenWindow(weight)),
  ...peers.windows.filter(({ name }) => PEERS.test(name)).map(peerWindow),
]
const sources: Sources = quick ? { sets: [codingSet(true)], missing: [] } : sourcesOf(given)
const rows: TraceRow[] = []
for (const set of sources.sets) rows.push(...(await rowsOfSet(set, windows, measure)))
const broken = brokenMusts(rows)
print()
if (isStrict && broken.length > 0) process.exitCode = 1

function print(): void {
  const command = ['node bench/traces.ts', ...(quick ? ['--quick'] : []), ...(isStrict ? ['--must'] : [])].join(' ')
  const missing = [...sources.missing, ...peers.missing]
  console.log(`traces · ${command}\n`)
  for (const line of missing) console.log(`${line}\n`)
  console.log(
    `feasible requests that were sent and are valid\n\n${overview(({ validShare }) => percent(validShare)).join('\n')}\n`,
  )
  console.log(`billed units ÷ full history with caching\n\n${overview(({ ofFull }) => ofFull.toFixed(2)).join('\n')}\n`)
  console.log(traceTables(rows).join('\n'))
  for (const line of broken) console.log(`must: ${line}`)
  console.log(broken.length === 0 ? 'every must is kept\n' : `${broken.length} musts are broken\n`)
  console.log(JSON.stringify({ bench: 'traces', command, limits: LIMITS, missing, broken, rows }))
}

function overview(cell: (row: TraceRow) => string): readonly string[] {
  const columns = sources.sets.flatMap(({ name }) => LIMITS.map(limit => ({ name, limit })))
  const head = ['', ...columns.map(({ name, limit }) => `${name} ${limit / 1000}k`)]
  const cells = [...Map.groupBy(rows, ({ window }) => window)].map(([window, own]) => [
    window,
    ...columns.map(({ name, limit }) => {
      const row = own.find(each => each.set === name && each.limit === limit)
      return row === undefined ? '' : cell(row)
    }),
  ])
  return markdown(head, cells)
}
