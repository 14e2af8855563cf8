/** How long a house takes from a SQLite file to PostgreSQL and back: copied and compared, without building its requests again. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { weigh } from '../src/context/text/tokens.ts'
import { compareHouses, copyHouse, type HouseAddress, openHouse, openTarget } from '../src/log/copy/open-houses.ts'
import { openStore } from '../src/log/open-store.ts'
import type { ImportedFact } from '../src/log/ports.ts'
import type { Fact } from '../src/model/event.ts'
import type { Fault } from '../src/model/fault.ts'
import type { SessionId, TurnId } from '../src/model/ids.ts'
import type { Result } from '../src/model/result.ts'
import type { Session } from '../src/model/session.ts'
import { startPostgres } from '../test/support/postgres.ts'

const SESSIONS = 200
const TURNS = 125
/** A message, the start of a turn, an answer, its end. */
const EVENTS = SESSIONS * TURNS * 4
const AT = '2026-01-01T12:00:00.000Z'
const WORDS = 'The harbour was quiet when we came in, and the boats lay still beside the wall. '.repeat(6)

function must<Value>(result: Result<Value, Fault>): Value {
  if (!result.ok) throw new Error(result.fault.message)
  return result.value
}

const sessionOf = (id: SessionId): Session => ({
  ...{
    id,
    family: id,
    title: null,
    preview: null,
    agent: 'assistant',
    council: null,
    project: null,
    policy: 'full',
    model: null,
  },
  ...{ archived: false, createdAt: AT, updatedAt: AT, messages: 0 },
})

function factsOf(session: number): readonly ImportedFact[] {
  const facts = Array.from({ length: TURNS }, (_, n): readonly Fact[] => {
    const turn = `trn_${session}x${n}` as TurnId
    return [
      { type: 'message.received', text: `${n}: ${WORDS}`, from: 'person' },
      { type: 'turn.started', turn, voice: 'assistant', cause: n * 4 + 1 },
      { type: 'reply.finished', turn, step: 1, parts: [{ type: 'text', text: WORDS }] },
      { type: 'turn.ended', turn, voice: 'assistant', reason: 'done' },
    ]
  })
  return facts.flat().map(fact => ({ fact, at: AT, ...weigh(fact) }))
}

async function build(file: string): Promise<void> {
  const log = must(await openStore(file, { clock: Date.now, weigh }))
  const bringing = must(await log.startImport())
  for (let n = 0; n < SESSIONS; n += 1)
    must(await bringing.add({ session: sessionOf(`ses_${n}` as SessionId), facts: factsOf(n), texts: [] }))
  must(await bringing.publish(() => []))
  await log.close()
}

async function measure(name: string, from: HouseAddress, to: HouseAddress): Promise<void> {
  const source = must(await openHouse(from))
  const target = must(await openTarget(source, to))
  const watch = { abort: new AbortController().signal, onProgress: () => {} }
  const begun = performance.now()
  must(await copyHouse(source, target, watch))
  const copied = performance.now()
  const { digest } = must(await compareHouses(source, target, watch))
  const compared = performance.now()
  must(await target.finish())
  await target.close()
  await source.close()
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
  const rate = Math.round(EVENTS / ((copied - begun) / 1000)).toLocaleString('en-US')
  const size = `${Math.round(process.memoryUsage().rss / (1 << 20))} MiB`
  console.log(
    `${name}: copied in ${seconds(copied - begun)} (${rate} events/s), compared in ${seconds(compared - copied)}, ${size}, ${digest.slice(0, 19)}`,
  )
}

const folder = mkdtempSync(join(tmpdir(), 'turnwise-bench-copy-'))
const server = await startPostgres({ fsync: true })
try {
  const file = join(folder, 'turnwise.db')
  const database: HouseAddress = { kind: 'postgres', url: server.url, title: 'PostgreSQL' }
  await build(file)
  console.log(`${EVENTS.toLocaleString('en-US')} events in ${SESSIONS} sessions`)
  await measure('SQLite to PostgreSQL', { kind: 'sqlite', file }, database)
  await measure('PostgreSQL to SQLite', database, { kind: 'sqlite', file: join(folder, 'back.db') })
} finally {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
