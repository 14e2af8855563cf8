// How long a look-up takes in sessions of a thousand to a million messages, beside plain full-text search of the same texts.
import { createReadStream } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import { weigh } from '../src/context/text/tokens.ts'
import { sqliteLog } from '../src/log/sqlite/sqlite-log.ts'
import type { SessionId } from '../src/model/ids.ts'
import { createRecall } from '../src/turn/recall/recall.ts'
import { markdown, percentile, sure } from './measure.ts'
import { chances, fullTextTable, recallFixture, VECTORS_FILE, vocabulary } from './recall-fixture.ts'

/** Words of a question by their rank in the vocabulary: those of everyday talk, those that are rare, some of each. */
const KINDS = { common: [150, 900], rare: [6000, 20_000], mixed: [150, 20_000] } as const
type Kind = keyof typeof KINDS
type Row = {
  readonly what: string
  readonly messages: number
  readonly kind: Kind
  readonly p50: number
  readonly p95: number
  readonly cpuP50: number
  readonly cpuP95: number
}

const quick = process.argv.includes('--quick')
const LENGTHS = quick ? [1000, 4000] : [1000, 100_000, 1_000_000]
const QUESTIONS = quick ? 10 : 100
const LEAST_FULL_TEXT = quick ? 1000 : 100_000
/** A look-up of the engine has time until its own limit; here none is cut short. */
const WITHIN_MS = 60_000
const WORDS = 5

const { indexed, fullText, sessions, indexing } = await recallFixture(LENGTHS)
// Both are in the page cache before anything is measured, as on a machine that is used.
for (const file of [indexed, fullText])
  await pipeline(createReadStream(file), async chunks => {
    for await (const _ of chunks);
  })
const log = sure(await sqliteLog({ file: indexed, clock: Date.now, weigh, readOnly: true }))
using plain = new DatabaseSync(fullText, { readOnly: true })
const before = process.memoryUsage.rss()
const recall = createRecall({
  ...{ log, vectorsFile: VECTORS_FILE },
  onTrouble: trouble => {
    throw new Error(trouble.message)
  },
})

const samples = new Map<string, { row: Pick<Row, 'what' | 'messages' | 'kind'>; wall: number[]; cpu: number[] }>()
let found = 0
for (let round = -2; round < QUESTIONS; round += 1)
  for (const { session, messages } of sessions)
    for (const kind of Object.keys(KINDS) as Kind[]) {
      const words = wordsOf(kind, round + messages)
      await sample({ what: 'recall', messages, kind }, round, () => look(session, words))
      if (messages >= LEAST_FULL_TEXT)
        await sample({ what: 'FTS5 bm25', messages, kind }, round, async () => fullTextSearch(messages, words))
    }
const after = process.memoryUsage.rss()
const rows = [...samples.values()].map(
  ({ row, wall, cpu }): Row => ({
    ...row,
    ...{ p50: percentile(wall, 50), p95: percentile(wall, 95), cpuP50: percentile(cpu, 50), cpuP95: percentile(cpu, 95) },
  }),
)
print()
await recall.close()
await log.close()

function wordsOf(kind: Kind, seed: number): readonly string[] {
  const chance = chances(seed * 31 + kind.length)
  const [from, to] = KINDS[kind]
  const any = (low: number, high: number): string => vocabulary[low + Math.floor(chance() * (high - low))] ?? ''
  return Array.from({ length: WORDS }, (_, index) => (kind === 'mixed' && index < 2 ? any(150, 900) : any(from, to)))
}

async function look(session: SessionId, words: readonly string[]): Promise<void> {
  const through = sure(await log.recall.state(session))?.indexedThrough ?? 0
  const query = {
    ...{ text: `What did we say about ${words.join(' ')}?`, at: '2026-01-01T00:00:00.000Z', through, voice: 'assistant' },
    ...{ view: 'all' as const, excluded: [], names: {} },
  }
  const { candidates } = sure(await recall.look(session, query, WITHIN_MS))
  found += candidates.length
}

function fullTextSearch(messages: number, words: readonly string[]): void {
  const table = fullTextTable(messages)
  const search = plain.prepare(`select rowid from ${table} where ${table} match ? order by bm25(${table}) limit 50`)
  found += search.all(words.map(word => `"${word}"`).join(' OR ')).length
}

/** The first two rounds are for caches and compilers. */
async function sample(row: Pick<Row, 'what' | 'messages' | 'kind'>, round: number, work: () => Promise<void>): Promise<void> {
  const [began, used] = [performance.now(), process.cpuUsage()]
  await work()
  const [ms, { user, system }] = [performance.now() - began, process.cpuUsage(used)]
  if (round < 0) return
  const key = `${row.what} ${row.messages} ${row.kind}`
  const own = samples.get(key) ?? { row, wall: [], cpu: [] }
  samples.set(key, own)
  own.wall.push(ms)
  own.cpu.push((user + system) / 1000)
}

function print(): void {
  const command = ['node bench/recall-latency.ts', ...(quick ? ['--quick'] : [])].join(' ')
  const ms = (value: number): string => value.toFixed(value < 10 ? 2 : 1)
  const head = ['', 'messages', 'p50 ms', 'p95 ms', 'CPU p50', 'CPU p95']
  const cells = rows.map(({ what, messages, kind, p50, p95, cpuP50, cpuP95 }) => [
    ...[`${what}, ${kind} words`, messages.toLocaleString('en')],
    ...[p50, p95, cpuP50, cpuP95].map(ms),
  ])
  console.log(`recall-latency · ${command} · ${found} candidates\n\n${markdown(head, cells).join('\n')}\n`)
  const mb = (bytes: number): string => (bytes / 1e6).toFixed(1)
  const made = indexing.map(each => [
    each.messages.toLocaleString('en'),
    (each.ms / 1000).toFixed(1),
    (each.cpuMs / 1000).toFixed(1),
    (each.cpuMs / each.messages).toFixed(2),
    mb(each.bytes),
    mb(each.fileBytes),
  ])
  const titles = ['messages', 'indexing, s', 'CPU s', 'CPU ms a message', 'index MB', 'file grew MB']
  console.log(`${markdown(titles, made).join('\n')}\n`)
  console.log(`memory of the process: ${mb(before)} MB before the index thread, ${mb(after)} MB after all look-ups\n`)
  console.log(JSON.stringify({ bench: 'recall-latency', command, rows, indexing, memory: { before, after } }))
}
