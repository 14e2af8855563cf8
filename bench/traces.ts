// Replays recorded and made up conversations call by call in small windows: what is sent, whether every provider takes it, what it costs.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { markdown } from './measure.ts'
import { brokenMusts, percent, type TraceRow, traceTables } from './traces/report.ts'
import { rememberingMeasure, rowsOfSet } from './traces/run.ts'
import { codingSet, type Sources, sourcesOf } from './traces/sources.ts'
import { traceWindows } from './traces/windows.ts'

const quick = process.argv.includes('--quick')
/** Whether a must that is broken makes the run fail. */
const isStrict = process.argv.includes('--must')
/** Only `steady`, with and without its memory, beside the full history. */
const which = process.argv.includes('--steady') ? 'steady' : ''
const given = process.argv.slice(2).find(each => !each.startsWith('--'))

const { windows: all, missing: absent } = await traceWindows(rememberingMeasure().count)
const windows = all.filter(({ name }) => name.startsWith(which))
const sources: Sources = quick ? { sets: [codingSet(true)], missing: [] } : sourcesOf(given)
const rows = quick ? await here(sources) : await inProcesses(sources)
const broken = brokenMusts(rows)
print()
if (isStrict && broken.length > 0) process.exitCode = 1

async function here({ sets }: Sources): Promise<readonly TraceRow[]> {
  const found: TraceRow[] = []
  for (const set of sets) found.push(...(await rowsOfSet(set, windows, rememberingMeasure())))
  return found
}

/** One process for each set and limit, as many at a time as there are cores; the longest first. */
async function inProcesses({ sets }: Sources): Promise<readonly TraceRow[]> {
  const jobs = sets.flatMap(({ name, limits }) => limits.map(limit => ({ name, limit })))
  const waiting = jobs.toSorted((a, b) => b.limit - a.limit)
  const found = new Map<string, readonly TraceRow[]>()
  const worker = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift())
      found.set(`${job.name} ${job.limit}`, await partOf(job.name, job.limit))
  }
  await Promise.all(Array.from({ length: availableParallelism() }, worker))
  return jobs.flatMap(({ name, limit }) => found.get(`${name} ${limit}`) ?? [])
}

async function partOf(name: string, limit: number): Promise<readonly TraceRow[]> {
  const file = join(import.meta.dirname, 'traces', 'part.ts')
  const child = fork(file, [name, `${limit}`, which, ...(given === undefined ? [] : [given])])
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`${name} at ${limit} ended with ${code}`)
  })
  const [rows] = await Promise.race([once(child, 'message'), ended])
  return rows as readonly TraceRow[]
}

function print(): void {
  const options = [
    ...(quick ? ['--quick'] : []),
    ...(isStrict ? ['--must'] : []),
    ...(which === '' ? [] : ['--steady']),
    ...(given === undefined ? [] : ['<folder>']),
  ]
  const command = ['node bench/traces.ts', ...options].join(' ')
  const missing = [...sources.missing, ...absent]
  console.log(`traces · ${command}\n`)
  for (const line of missing) console.log(`${line}\n`)
  console.log(
    `feasible requests that were sent and are valid\n\n${overview(({ validShare }) => percent(validShare)).join('\n')}\n`,
  )
  console.log(`billed units ÷ full history with caching\n\n${overview(({ ofFull }) => ofFull.toFixed(2)).join('\n')}\n`)
  console.log(traceTables(rows).join('\n'))
  for (const line of broken) console.log(`must: ${line}`)
  console.log(broken.length === 0 ? 'every must is kept\n' : `${broken.length} musts are broken\n`)
  console.log(JSON.stringify({ bench: 'traces', command, missing, broken, rows }))
}

function overview(cell: (row: TraceRow) => string): readonly string[] {
  const columns = sources.sets.flatMap(({ name, limits }) => limits.map(limit => ({ name, limit })))
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
