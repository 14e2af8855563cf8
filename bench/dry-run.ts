// What the inspector asks about an imported session, whose turns have no receipts: dry runs, presence, timeline, neighbors.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { weigh } from '../src/context/text/tokens.ts'
import { createEngine, type Engine, sqliteLog } from '../src/index.ts'
import type { Log } from '../src/log/ports.ts'
import type { Fact } from '../src/model/event.ts'
import type { SessionId, TurnId } from '../src/model/ids.ts'
import { demoProvider } from '../src/provider/demo/demo.ts'
import { newSession } from './fixture.ts'
import {
  type Case,
  markdown,
  measure,
  percentile,
  type Ratio,
  type Row,
  ratioOf,
  report,
  scaleOf,
  sure,
  timed,
  type View,
} from './measure.ts'

const SHORT = 200
const TURNS_IN_PIECE = 250
const PAGE = 50

const given = scaleOf(process.argv)
const lengths = given.quick ? [SHORT, 2000] : [SHORT, 20_000, 200_000]
const scale = { ...given, small: SHORT, large: lengths.at(-1) ?? SHORT, rounds: given.quick ? 1 : 10, goes: 10 }

const folder = mkdtempSync(join(tmpdir(), 'turnwise-bench-dry-run-'))
const log = sure(await sqliteLog({ file: join(folder, 'turnwise.db'), clock: Date.now, weigh }))
const engine = createEngine({
  log,
  provider: demoProvider({ delayMs: 0 }),
  policy: 'steady',
  // Half of the shortest session fills it: what differs between two lengths is only how much lies before the window.
  models: { demo: { window: 8192 } },
  limits: { historyMs: 10_000 },
})

const QUESTION = 'how do boats float, and why does a stone of the same weight sink, whatever its shape, in the sea as in a lake?'
const ANSWER =
  'A boat pushes aside as much water as it weighs, and the water pushes back. A stone cannot, since it is denser than water, and so it sinks to the ground; hollow, and large enough, it would float like any other boat.'

/** A turn as another program's file has it: what was said, but no request. */
function factsOf(ordinal: number): readonly Fact[] {
  const turn = `trn_${String(ordinal).padStart(26, '0')}` as TurnId
  const cause = (ordinal - 1) * 4 + 1
  return [
    { type: 'message.received', text: `${ordinal}: ${QUESTION}`, from: 'person' },
    { type: 'turn.started', turn, voice: 'assistant', cause },
    {
      type: 'reply.finished',
      turn,
      step: 1,
      parts: [{ type: 'text', text: `${ordinal}: ${ANSWER}` }],
    },
    { type: 'turn.ended', turn, voice: 'assistant', reason: 'done' },
  ]
}

async function imported(into: Log, name: string, messages: number): Promise<SessionId> {
  const session = { ...newSession(`ses_${name.padEnd(26, 'x')}` as SessionId), policy: 'steady' }
  const at = session.createdAt
  const taking = sure(await into.startImport())
  for (let from = 1; from <= messages / 2; from += TURNS_IN_PIECE) {
    const many = Math.min(TURNS_IN_PIECE, messages / 2 - from + 1)
    const facts = Array.from({ length: many }, (_, index) => factsOf(from + index)).flat()
    sure(await taking.add({ session, texts: [], facts: facts.map(fact => ({ fact, at, ...weigh(fact) })) }))
  }
  sure(await taking.publish(() => []))
  return session.id
}

async function answered(by: Engine, session: SessionId): Promise<TurnId> {
  const { seq, turns } = sure(await by.say({ session, text: 'And what about stones?', from: 'person' }))
  const abort = new AbortController()
  for await (const signal of by.follow(session, seq, abort.signal))
    if (signal.type === 'event' && signal.event.type === 'turn.ended') break
  abort.abort()
  const [turn] = turns
  if (turn === undefined) throw new Error('nobody answered')
  return turn
}

/** What a person waits for, and what the receipt says of it. */
async function dryRun(session: SessionId, at?: number): Promise<{ readonly waited: number; readonly onReceipt: number }> {
  const began = performance.now()
  const { receipt } = sure(await engine.wouldSend(session, { text: 'And then?', ...(at === undefined ? {} : { at }) }))
  const waited = performance.now() - began
  if (receipt.degraded !== null) throw new Error(receipt.degraded.reason)
  return { waited, onReceipt: receipt.timings.readMs + receipt.timings.assembleMs }
}

async function caseOf(messages: number): Promise<Case> {
  const untouched = await imported(log, `untouched${messages}`, messages)
  const asked = await imported(log, `asked${messages}`, messages)
  const turn = await answered(engine, asked)
  // There are two events for each message.
  const middle = messages
  return {
    messages,
    once: async () => {
      const fresh = await dryRun(untouched)
      return {
        'dry run, nothing asked yet': fresh.waited,
        'the same, on its receipt': fresh.onReceipt,
        'dry run, as of the middle': (await dryRun(untouched, middle)).waited,
        'dry run, after a turn': (await dryRun(asked)).waited,
        'presence, first page': await timed(async () => sure(await engine.presence(asked, 1, { limit: PAGE }))),
        'timeline, first page': await timed(async () => sure(await engine.timeline(asked, { limit: PAGE }))),
        'neighbors of a request': await timed(async () => sure(await engine.asSent(asked, turn, 1, { items: true }))),
      }
    },
  }
}

const shortOf = (rows: readonly Row[], { what }: Row): Row | undefined =>
  rows.find(row => row.what === what && row.messages === SHORT)

/** Each length over the shortest. */
const BESIDE_SHORT: View = {
  ratios: rows =>
    rows.flatMap((row): Ratio[] => {
      const short = shortOf(rows, row)
      return row.messages !== scale.large || short === undefined ? [] : [{ what: row.what, ...ratioOf(row, short) }]
    }),
  table: ({ rows }) =>
    markdown(
      ['', 'messages', 'p50 ms', 'p95 ms', `÷ ${SHORT}, p50`, 'p95'],
      rows.map(row => {
        const short = shortOf(rows, row) ?? row
        const p95 = percentile(row.rounds.flat(), 95)
        return [
          row.what,
          row.messages.toLocaleString('en'),
          row.p50.toFixed(3),
          p95.toFixed(3),
          (row.p50 / short.p50).toFixed(2),
          (p95 / percentile(short.rounds.flat(), 95)).toFixed(2),
        ]
      }),
    ),
}

const cases: Case[] = []
for (const messages of lengths) cases.push(await caseOf(messages))
await report('dry-run', scale, () => measure(cases, scale), BESIDE_SHORT)
await engine.close()
rmSync(folder, { recursive: true, force: true })
