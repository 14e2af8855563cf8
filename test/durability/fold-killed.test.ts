// A process is killed at every event of a fold, and while its model speaks: never half a fold, never two for one stretch.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Recorded } from '../../src/model/event.ts'
import { FOLD, isInternalVoice } from '../../src/model/settings/council.ts'
import { openSqlite, temporaryFolder } from '../log/files.ts'
import { eventsOf, isEvent, until } from '../support/engine.ts'
import { countingFolds, isWhole, must, question, receiptsOf, verifies } from '../support/folding.ts'
import { exchange, type FoldOrders, foldingEngine, PIECES, UNTIL_DUE } from './fold-life.ts'

const MAKER = fileURLToPath(new URL('./fold-maker.ts', import.meta.url))
const EXCHANGES = UNTIL_DUE + 3
const AT_ONCE = 2

type Death = NonNullable<FoldOrders['death']>

/** A life in a process of its own: how it ended, and what it said. */
async function live(orders: FoldOrders, folder: string): Promise<{ readonly end: unknown; readonly appends: readonly string[] }> {
  // One that ends by itself leaves its compiled code for the next.
  const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') }
  const child = spawn(process.execPath, [MAKER, JSON.stringify(orders)], { stdio: ['ignore', 'pipe', 'inherit'], env })
  const [said, [code, signal]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { end: signal ?? code, appends: said.trim().split('\n') }
}

/** A turn that folds and was done has left one fold, one that was not has left none. */
function noHalfFolds(events: readonly Recorded[], where: string): void {
  for (const started of events) {
    if (started.type !== 'turn.started' || started.voice !== FOLD) continue
    const own = events.filter(event => 'turn' in event && event.turn === started.turn)
    const isDone = own.some(event => event.type === 'turn.ended' && event.reason === 'done')
    const folds = own.filter(({ type }) => type === 'history.folded').length
    assert.equal(folds, isDone ? 1 : 0, `${where}: folds of a turn that was ${isDone ? '' : 'not '}done`)
  }
}

/** What the dead one left is whole; the next one answers what is said, and has the fold once. */
async function goesOn(t: TestContext, { file, by }: FoldOrders, where: string): Promise<void> {
  const log = await openSqlite(t, file)
  const session = must(await log.sessions({ limit: 2 })).items[0]?.id
  assert.ok(session !== undefined)
  noHalfFolds(must(await log.read(session)), where)
  const engine = foldingEngine(log, by)
  must(await engine.recover())
  // It is found again without a word: by the open turn, or by what was said last.
  await until(engine, session, signal => isEvent(signal, 'history.folded'))
  for (let n = 1; n <= EXCHANGES; n += 1) await exchange(engine, session, n)
  const shown = (await receiptsOf({ engine, session })).at(-1)?.window.folds ?? []
  await verifies({ engine, session })
  const counting = await countingFolds({ engine, session })
  const events = await eventsOf(engine, session)
  await engine.close()
  // The next fold may be under way by then.
  isWhole(events.filter(event => event.type !== 'turn.started' || event.voice !== FOLD))
  noHalfFolds(events, where)
  assert.ok(shown.length > 0, `${where}: the last request begins with a fold`)
  const messages = events.filter(event => event.type === 'message.received')
  assert.deepEqual(
    messages.map(event => event.text),
    Array.from({ length: EXCHANGES }, (_, index) => question(index + 1)),
    where,
  )
  for (const { seq } of messages) {
    const turns = events
      .filter(event => event.type === 'turn.started')
      .filter(event => event.cause === seq && !isInternalVoice(event.voice))
    assert.equal(turns.length, 1, `${where}: message ${seq} is answered once`)
  }
  assert.equal(counting.filter(({ from, to }) => from <= 1 && to >= 1).length, 1, `${where}: the first stretch is folded once`)
  for (const [index, { from, to }] of counting.entries())
    assert.ok(
      !counting.slice(index + 1).some(other => other.from <= to && from <= other.to),
      `${where}: one fold for each stretch`,
    )
}

for (const by of ['model', 'extract'] as const)
  test(`by ${by}: killed at every event of a fold, the next process has it once and answers`, { timeout: 60_000 }, async t => {
    const folder = temporaryFolder(t)
    const plain = await live({ file: join(folder, 'plain.db'), by }, folder)
    assert.equal(plain.end, 0)
    // An answer may come in between; all that counts is what is written of the first fold.
    const appends = plain.appends.slice(0, plain.appends.findIndex(append => append.includes('history.folded')) + 1)
    assert.deepEqual(
      appends,
      by === 'extract' ? ['history.folded'] : ['turn.started', 'context.planned', 'reply.finished + history.folded + turn.ended'],
    )
    const deaths: Death[] = [
      ...appends.flatMap((append): Death[] => [
        { at: 'before', append },
        { at: 'after', append },
      ]),
      ...(by === 'extract' ? [] : [0, 1, PIECES.length - 1].map((piece): Death => ({ at: 'piece', piece }))),
    ]
    const work = async (): Promise<void> => {
      for (let death = deaths.shift(); death !== undefined; death = deaths.shift()) {
        const where = JSON.stringify(death)
        const orders = { file: join(folder, `${where.replace(/\W+/g, '-')}.db`), by, death }
        assert.equal((await live(orders, folder)).end, 'SIGKILL', where)
        await goesOn(t, orders, where)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  })
