// A reply that runs elsewhere is read once per node, however many people follow it there.
import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { type Engine, type Log, weigh } from '../../../src/index.ts'
import { postgresLog } from '../../../src/log/postgres/postgres-log.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import type { ScriptedReply } from '../../../src/testing/scripted.ts'
import { gate, openSession } from '../../support/engine.ts'
import { postgresUrl, whyNoPostgres } from '../../support/postgres.ts'
import { countedLooks } from './counted-looks.ts'
import { node, say } from './engines.ts'

/** So much is kept as a checkpoint at once. */
const PIECE = 2100
const PIECES = 6
/** A node may look at everything this often besides, while it does not hear pokes yet. */
const POLL_MS = 250
const READERS = 25

const skip = (await whyNoPostgres()) ?? false

/** A reply that says one more piece for each gate that opens. */
function inPieces(count: number): { readonly reply: ScriptedReply; readonly sayMore: () => void } {
  const gates = Array.from({ length: count }, gate)
  let said = 0
  return {
    reply: async function* () {
      for (const { passed } of gates) {
        await passed
        yield { type: 'text', text: 'x'.repeat(PIECE) }
      }
      yield { type: 'done' }
    },
    sayMore: () => {
      gates[said]?.open()
      said += 1
    },
  }
}

/** Follows a session; resolves each time with what was heard once it has that length. */
function follower(t: TestContext, engine: Engine, session: SessionId): (length: number) => Promise<void> {
  const reading = new AbortController()
  const waiting = new Set<() => void>()
  let length = 0
  const read = async (): Promise<void> => {
    for await (const signal of engine.follow(session, 0, reading.signal)) {
      if (signal.type === 'delta') length = signal.delta.offset + signal.delta.text.length
      for (const look of waiting) look()
    }
  }
  const over = read()
  t.after(async () => {
    reading.abort()
    await over
  })
  return wanted =>
    new Promise(resolve => {
      const look = (): void => {
        if (length < wanted) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })
}

suite('readers of a reply that runs elsewhere', { skip }, () => {
  test('twenty-five of them cost a node no more questions than one does', async t => {
    const url = await postgresUrl(t)
    const open = async (): Promise<Log> => {
      const log = await postgresLog({ url, clock: Date.now, weigh, connections: 4 })
      assert.ok(log.ok, log.ok ? '' : log.fault.message)
      return log.value
    }
    const kept = await open()
    let checkpoints = 0
    const counting: Log = {
      ...kept,
      checkpoint: (...given) => {
        checkpoints += 1
        return kept.checkpoint(...given)
      },
    }
    const { reply, sayMore } = inPieces(1 + 2 * PIECES)
    const { log, asked } = countedLooks(await open())
    const owner = node(t, counting, [reply])
    const other = node(t, log, [])
    const session = await openSession(owner)
    await say(owner, session, 'a')
    sayMore()
    let said = 1
    const readers = [follower(t, other, session)]
    const allHear = async (): Promise<void> => {
      await Promise.all(readers.map(hears => hears(said * PIECE)))
    }
    /** What the pieces that follow cost: for each one question may be asked, and one for each reader that has just come. */
    const cost = async (newcomers: number): Promise<readonly [number, number]> => {
      await allHear()
      const [questions, written, began] = [asked.length, checkpoints, performance.now()]
      for (let piece = 0; piece < PIECES; piece += 1) {
        sayMore()
        said += 1
        await allHear()
      }
      // A poke that was under way before, and what is asked by the clock.
      const besides = 2 + Math.floor((performance.now() - began) / POLL_MS)
      return [asked.length - questions, checkpoints - written + newcomers + besides]
    }
    // The first piece may have been seen by a question that was under way.
    const fewest = PIECES - 1
    const [one, mostOfOne] = await cost(1)
    assert.ok(one >= fewest && one <= mostOfOne, `${one} questions, at most ${mostOfOne}`)
    while (readers.length < READERS) readers.push(follower(t, other, session))
    const [many, mostOfMany] = await cost(READERS - 1)
    assert.ok(many >= fewest && many <= mostOfMany, `${many} questions, at most ${mostOfMany}`)
  })
})
