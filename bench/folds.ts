// What a fold under way costs an answer: the time to its first delta and to its end, with and without one in the background.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { presets } from '../src/context/presets.ts'
import { createEngine, sqliteLog, weigh } from '../src/index.ts'
import type { SessionId, TurnId } from '../src/model/ids.ts'
import type { Delta } from '../src/model/message/delta.ts'
import type { Provider } from '../src/model/provider.ts'
import { FOLD } from '../src/model/settings/council.ts'
import { demoWire } from '../src/provider/demo/wire.ts'
import { type Case, markdown, measure, type Ratio, type Report, type Row, ratioOf, report, scaleOf, sure } from './measure.ts'

const DELTAS = 20
/** Exchanges before the first one that is measured; the window never comes near its bound, so that all requests grow alike. */
const EXCHANGES = 150
const GOES = 15
/** A model says a word about every so many milliseconds; an answer's first word takes longer. A quick model of today. */
const WORD_MS = 5
const FIRST_MS = 150
const TEXT = 'Tell me something about small boats on a wide river, and about the bridge of 1987, please.'

const scale = scaleOf(process.argv)
const folder = mkdtempSync(join(tmpdir(), 'turnwise-folds-'))
const log = sure(await sqliteLog({ file: join(folder, 'bench.db'), clock: Date.now, weigh }))
const bug = (cause: unknown): never => {
  throw cause
}

/** The past of the sessions is made at once. */
let isPaced = false
/** Resolved when the model is asked for a fold. */
let foldAsked = Promise.withResolvers<void>()

/** Answers as a quick model does. A fold is never done: it says a word now and then, until it is stopped. */
const provider: Provider = {
  wire: demoWire,
  async *speak({ body }, signal): AsyncGenerator<Delta> {
    const isFold = body.includes('This is a note of the program') || body.includes(`"voice":"${FOLD}"`)
    if (isFold) foldAsked.resolve()
    while (isFold && !signal.aborted) {
      yield { type: 'text', text: ' word' }
      await pause(WORD_MS, undefined, { signal }).catch(() => undefined)
    }
    if (isPaced) await pause(FIRST_MS)
    for (let word = 0; word < DELTAS; word += 1) {
      if (isPaced && word > 0) await pause(WORD_MS)
      yield { type: 'text', text: ' word' }
    }
    yield { type: 'done' }
  },
}
const policy = { ...presets.steady, name: 'folding', recall: null, window: { kind: 'tokens', low: null, high: null } } as const
const engine = createEngine({
  ...{ log, provider, policies: [policy], policy: policy.name, vectorsFile: null },
  observe: seen => seen.type === 'bug' && bug(seen.cause),
})

type Talk = { readonly session: SessionId; readonly say: () => Promise<{ readonly firstMs: number; readonly endMs: number }> }

/** A session with a past, and one reader who follows it as a page does. */
async function talkWith(): Promise<Talk> {
  const session = sure(await engine.open({})).id
  const waiting = new Map<string, (times: { firstAt: number; endedAt: number }) => void>()
  const firsts = new Map<string, number>()
  const read = async (): Promise<void> => {
    for await (const signal of engine.follow(session, 0, new AbortController().signal)) {
      if (signal.type === 'delta' && !firsts.has(signal.delta.turn)) firsts.set(signal.delta.turn, performance.now())
      if (signal.type !== 'event' || signal.event.type !== 'turn.ended') continue
      const { turn } = signal.event
      waiting.get(turn)?.({ firstAt: firsts.get(turn) ?? 0, endedAt: performance.now() })
      waiting.delete(turn)
    }
  }
  read().catch(bug)
  const say = async (): Promise<{ firstMs: number; endMs: number }> => {
    const started = performance.now()
    const { turns } = sure(await engine.say({ session, text: TEXT, from: 'person' }))
    const { firstAt, endedAt } = await new Promise<{ firstAt: number; endedAt: number }>(resolve =>
      waiting.set(turns[0] ?? '', resolve),
    )
    return { firstMs: firstAt - started, endMs: endedAt - started }
  }
  for (let exchange = 0; exchange < EXCHANGES; exchange += 1) await say()
  return { session, say }
}

const ALONE = 'alone'
const BESIDE = ['beside a model that summarizes', 'beside literal sentences being chosen'] as const

const [plain, besideModel, besideSentences, folded] = [await talkWith(), await talkWith(), await talkWith(), await talkWith()]

isPaced = true

const caseOf = ({ say }: Talk, name: string, around: (work: () => Promise<void>) => Promise<void>): Case => ({
  messages: 0,
  goes: GOES,
  once: async () => {
    let times = { firstMs: 0, endMs: 0 }
    await around(async () => {
      times = await say()
    })
    return { [`first delta, ${name}`]: times.firstMs, [`end of the answer, ${name}`]: times.endMs }
  },
})

/** The model is asked for a fold of the same session, and is still at it when the answer is over. */
const whileModelFolds = async (work: () => Promise<void>): Promise<void> => {
  const turn = await beginFold(besideModel.session)
  await work()
  sure(await engine.cancel(besideModel.session, turn))
}

/** As many folds were begun and stopped in this session as in the other, so that both have as many events. */
const afterFold = async (work: () => Promise<void>): Promise<void> => {
  sure(await engine.cancel(plain.session, await beginFold(plain.session)))
  await pause(SETTLED_MS)
  await work()
}

/** What the start or the end of a fold leaves to do is done by then. */
const SETTLED_MS = 50

async function beginFold(session: SessionId): Promise<TurnId> {
  foldAsked = Promise.withResolvers<void>()
  const { turn } = sure(await engine.fold(session, { by: 'model' }))
  if (turn === undefined) throw new Error('no model was asked')
  await foldAsked.promise
  await pause(SETTLED_MS)
  return turn
}

/** Another session is folded by literal sentences, over and over, as long as the answer takes. */
const whileSentences = async (work: () => Promise<void>): Promise<void> => {
  let isOver = false
  const folding = (async () => {
    while (!isOver) sure(await engine.fold(folded.session, { by: 'extract', from: 1 }))
  })()
  await pause(2)
  await work()
  isOver = true
  await folding
}

const ratios = (rows: readonly Row[]): readonly Ratio[] =>
  ['first delta', 'end of the answer'].flatMap(what => {
    const alone = rows.find(row => row.what === `${what}, ${ALONE}`)
    return BESIDE.flatMap(name => {
      const row = rows.find(each => each.what === `${what}, ${name}`)
      return row === undefined || alone === undefined ? [] : [{ what: `${what}, ${name}`, ...ratioOf(row, alone) }]
    })
  })

const table = ({ rows, ratios: found }: Report): readonly string[] =>
  markdown(
    ['', 'p50 ms', 'p99 ms', '÷ alone, p50 / p99'],
    rows.map(({ what, p50, p99 }) => {
      const ratio = found.find(each => each.what === what)
      return [
        what,
        p50.toFixed(3),
        p99.toFixed(3),
        ratio === undefined ? '' : `${ratio.p50.toFixed(2)} / ${ratio.p99.toFixed(2)}`,
      ]
    }),
  )

await report(
  'folds',
  scale,
  () =>
    measure(
      [
        caseOf(plain, ALONE, afterFold),
        caseOf(besideModel, BESIDE[0], whileModelFolds),
        caseOf(besideSentences, BESIDE[1], whileSentences),
      ],
      { ...scale, rounds: Math.min(scale.rounds, 20) },
    ),
  { ratios, table },
)
await engine.close(0)
rmSync(folder, { recursive: true })
process.exit(0)
