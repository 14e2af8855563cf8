// C3: the number in a note is what this voice could have heard and sees neither itself nor summarized, and the note changes only at a drop.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { presets } from '../../../src/context/presets.ts'
import type { Engine } from '../../../src/engine.ts'
import type { Log } from '../../../src/log/ports.ts'
import type { Recorded } from '../../../src/model/event.ts'
import { fault } from '../../../src/model/fault.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import type { Delta } from '../../../src/model/message/delta.ts'
import type { Policy } from '../../../src/model/settings/policy.ts'
import type { DemoRequest } from '../../../src/provider/demo/wire.ts'
import { says } from '../../../src/testing/scripted.ts'
import { openSqlite, temporaryFolder } from '../../log/files.ts'
import { advisor, type Board, boardOf, councilOf, linesOf, round, stand } from '../../support/council.ts'
import { ask, engineWith, eventsOf, openSession } from '../../support/engine.ts'

const ROUNDS = 30
const RESTARTS = [12, 13, 25]
const MODELS = { demo: { window: 2600 } }

const words = (subject: string, many: number): string => `${subject} ${'so it goes on '.repeat(many)}`.trim()

/** Counts how often part of the past was not read. */
function watched(log: Log): { readonly log: Log; readonly gaps: () => number } {
  let gaps = 0
  const past: Log['past'] = async (id, query) => {
    const read = await log.past(id, query)
    if (read.ok && read.value.gaps.length > 0) gaps += 1
    return read
  }
  return { log: { ...log, past }, gaps: () => gaps }
}

/** Every message before a seq that a voice could hear: what people said to it, and its own finished answers. */
function hearable(events: readonly Recorded[], voice: string, before: number): number {
  const own = new Set(events.flatMap(event => (event.type === 'turn.started' && event.voice === voice ? [event.turn] : [])))
  const past = events.filter(({ seq }) => seq < before)
  const excluded = new Map(past.flatMap(event => (event.type === 'message.marked' ? [[event.target, event.mark] as const] : [])))
  return past.filter(event => {
    if (excluded.get(event.seq) === 'exclude') return false
    if (event.type === 'message.received') return event.to === undefined || event.to.includes(voice)
    return event.type === 'reply.finished' && own.has(event.turn)
  }).length
}

const NOTE = /\[(?:Session context: )?(\d+) earlier messages? (?:is not shown|are not shown|omitted)\.?\]/

type Request = {
  readonly missing: number | null
  /** How many messages of the past are shown. */
  readonly shown: number
  /** How many more are under a summary that is shown. */
  readonly folded: number
  readonly begins: number | null
  readonly past: readonly string[]
}

/** What a request shows of the past, beside its receipt. */
function requestsOf(requests: readonly DemoRequest[], events: readonly Recorded[], voice: string): readonly Request[] {
  const starts = events.filter(event => event.type === 'turn.started' && event.voice === voice)
  const receipts = starts.flatMap(start =>
    events.flatMap(event =>
      event.type === 'context.planned' && start.type === 'turn.started' && event.turn === start.turn ? [event.receipt] : [],
    ),
  )
  const asked = requests.filter(request => request.voice === voice)
  assert.equal(receipts.length, asked.length)
  return asked.map((request, index) => {
    const lines = linesOf(request).filter(line => !line.includes('For reference'))
    const note = lines.map(line => NOTE.exec(line)?.[1]).find(number => number !== undefined)
    const said = lines.filter(line => /(question|answer) \d+/.test(line) && !line.includes('[Summary of earlier messages:'))
    return {
      missing: note === undefined ? null : Number(note),
      shown: said.length - 1,
      folded: receipts[index]?.seen?.folded ?? 0,
      begins: receipts[index]?.window?.begins ?? null,
      past: lines.slice(0, -1),
    }
  })
}

test('C3: in a council with a small window, over many rounds, private words, failures and restarts', async t => {
  const folder = temporaryFolder(t)
  const provider = stand(({ voice, turn }): readonly Delta[] =>
    voice === 'ben' && turn % 7 === 3
      ? [{ type: 'fault', fault: fault('overloaded', 'no luck') }]
      : says(words(`${voice} answer ${turn}`, 12)),
  )
  const council = councilOf([advisor('ada'), advisor('ben'), advisor('cleo')])
  let gaps = 0
  let board = await boardOn(await openSqlite(t, join(folder, 'council.db')))
  const { session } = board

  async function boardOn(log: Log, known?: SessionId): Promise<Board & { close: () => Promise<void> }> {
    const seen = watched(log)
    const options = { log: seen.log, provider, models: MODELS }
    const opened =
      known === undefined
        ? await boardOf(council, options)
        : { engine: engineWith({ ...options, councils: () => [council] }), session: known, seats: { council } }
    const close = async (): Promise<void> => {
      await opened.engine.close(0)
      gaps += seen.gaps()
    }
    return { ...opened, close }
  }

  for (let number = 1; number <= ROUNDS; number += 1) {
    await round(board, words(`question ${number}`, 8), number % 5 === 0 ? { to: ['ada'] } : {})
    if (number === 20) assert.ok((await board.engine.mark(session, 1, 'exclude')).ok)
    if (!RESTARTS.includes(number)) continue
    await board.close()
    board = await boardOn(await openSqlite(t, join(folder, 'council.db')), session)
  }
  const events = await eventsOf(board.engine, session)
  for await (const { verdict, detail } of board.engine.verify(session)) assert.equal(verdict, 'identical', detail ?? '')
  await board.close()
  assert.ok(gaps > 30, `${gaps} requests were built from a part of the log`)

  for (const voice of ['ada', 'ben', 'cleo']) {
    const requests = requestsOf(provider.requests, events, voice)
    const causes = events.flatMap(event => (event.type === 'turn.started' && event.voice === voice ? [event.cause] : []))
    let drops = 0
    for (const [index, { missing, shown, folded, begins, past }] of requests.entries()) {
      const label = `${voice}, request ${index + 1}`
      assert.equal(shown + (missing ?? 0) + folded, hearable(events, voice, causes[index] ?? 0), label)
      const before = requests[index - 1]
      if (before === undefined) continue
      // A mark on a message outside of the window counts as a drop.
      const isMarked = events.some(
        ({ type, seq }) => type === 'message.marked' && seq < (causes[index] ?? 0) && seq > (causes[index - 1] ?? 0),
      )
      if (begins !== before.begins || isMarked) drops += 1
      else assert.deepEqual(past.slice(0, before.past.length), before.past, `${label}: between drops only appends`)
    }
    assert.ok(drops >= 3, `${voice} dropped ${drops} times`)
    assert.ok(
      requests.some(({ folded }) => folded > 0),
      `${voice} had summaries`,
    )
  }
})

/** A long talk of one voice under a policy; gives back its requests, and checks every number. */
async function talk(t: TestContext, policy: Policy): Promise<readonly Request[]> {
  const folder = temporaryFolder(t)
  const provider = stand(({ turn }) => says(words(`answer ${turn}`, (turn * 7) % 23)))
  const log = await openSqlite(t, join(folder, 'talk.db'))
  const engine: Engine = engineWith({ log, provider, policies: [policy], policy: policy.name })
  t.after(() => engine.close(0))
  const session = await openSession(engine)
  for (let number = 1; number <= 40; number += 1) await ask(engine, session, words(`question ${number}`, (number * 5) % 17))
  const events = await eventsOf(engine, session)
  for await (const { verdict, detail } of engine.verify(session)) assert.equal(verdict, 'identical', detail ?? '')
  const requests = requestsOf(provider.requests, events, 'assistant')
  for (const [index, { missing, shown }] of requests.entries())
    if (missing !== null) assert.equal(shown + missing, 2 * index, `request ${index + 1}`)
  return requests
}

test('C3: `head-tail` with a small budget says how many are missing, also those that the budget took', async t => {
  const requests = await talk(t, { ...presets['head-tail'], name: 'narrow', budget: { tokens: 700, reserve: 100 } })
  for (const [index, { missing, shown }] of requests.entries()) {
    if (missing === null) assert.equal(shown, 2 * index, `request ${index + 1}: nothing is missing`)
    else assert.ok(shown < 18, `request ${index + 1}`)
  }
  assert.ok(requests.filter(({ missing }) => missing !== null).length > 25)
})

test('C3: `recent` has a note only where the budget took some of its five', async t => {
  const requests = await talk(t, { ...presets.recent, name: 'narrow', budget: { tokens: 230, reserve: 100 } })
  // Of the last five the first is an answer, which cannot come first.
  const expected = (index: number): number => Math.min(2 * index, 4)
  for (const [index, { missing, shown }] of requests.entries())
    assert.equal(missing !== null, shown < expected(index), `request ${index + 1}: ${shown} shown, ${missing}`)
  const noted = requests.filter(({ missing }) => missing !== null).length
  assert.ok(noted > 5 && noted < 35, `${noted} notes`)
})
