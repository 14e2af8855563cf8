// node bench/compare.ts before.json after.json: what a change did, from two runs of one benchmark on one machine.
import { readFileSync } from 'node:fs'
import { markdown, type Report } from './measure.ts'

const [before, after] = process.argv.slice(2).map(file => JSON.parse(readFileSync(file, 'utf8')) as Report)
if (before === undefined || after === undefined) refuse('give two files from bench/results')
if (before.machine.fingerprint !== after.machine.fingerprint) refuse('these are runs of two machines; run both on one')
if (before.machine.node !== after.machine.node)
  refuse(`one ran on Node ${before.machine.node}, the other on ${after.machine.node}`)
if (before.bench !== after.bench) refuse(`one is ${before.bench}, the other ${after.bench}`)
if (JSON.stringify(before.scale) !== JSON.stringify(after.scale)) refuse('they were not run at the same scale')

const rows = after.rows.flatMap(row => {
  const earlier = before.rows.find(({ what, messages }) => what === row.what && messages === row.messages)
  if (earlier === undefined) return []
  const pair = (was: number, is: number): readonly string[] => [was.toFixed(3), is.toFixed(3), (is / was).toFixed(2)]
  return [[row.what, row.messages.toLocaleString('en'), ...pair(earlier.p50, row.p50), ...pair(earlier.p99, row.p99)]]
})
console.log(`${after.bench}: ${before.commit} (${before.date}) → ${after.commit} (${after.date}), milliseconds\n`)
console.log(markdown(['', 'messages', 'p50 before', 'after', 'ratio', 'p99 before', 'after', 'ratio'], rows).join('\n'))

function refuse(why: string): never {
  console.error(`compare: ${why}`)
  process.exit(1)
}
