// What each policy costs to read and to assemble, on the same conversation with 100, 10,000 and 1,000,000 messages.
import { createEngine, type Engine, sqliteLog, weigh } from '../src/engine.ts'
import { fixture, type Sized } from './fixture.ts'
import { type Case, measure, report, scaleOf, sure } from './measure.ts'

const given = scaleOf(process.argv)
// Some of these read tens of thousands of tokens, so fewer goes than elsewhere.
const scale = { ...given, small: 100, large: given.quick ? 10_000 : given.large, rounds: Math.min(given.rounds, 5), goes: 10 }

const open = async (small: number, large: number): Promise<{ readonly engine: Engine; readonly sizes: readonly Sized[] }> => {
  const database = fixture(small, large)
  const log = sure(await sqliteLog({ file: database.file, clock: Date.now, weigh, readOnly: true }))
  // A large window, so that policies differ by what they keep and not by what fits; patience, so that nothing is degraded.
  const engine = createEngine({ log, model: 'openai/bench', limits: { historyMs: 10_000 } })
  return { engine, sizes: [database.small, database.large] }
}

const short = await open(100, 10_000)
const long = given.quick ? undefined : await open(given.small, given.large)
const sizes = [
  ...short.sizes.map(size => ({ ...size, engine: short.engine })),
  ...(long === undefined ? [] : long.sizes.slice(1).map(size => ({ ...size, engine: long.engine }))),
]

const contexts = ({ engine, session, messages }: (typeof sizes)[number], policy: string): Case => ({
  messages,
  ...(policy === 'full' ? { goes: Math.ceil(scale.goes / 10) } : {}),
  once: async () => {
    const { receipt } = sure(await engine.wouldSend(session, { text: 'And what about the boats?', policy }))
    if (receipt.degraded !== null) throw new Error(receipt.degraded.reason)
    return { [`${policy}: read`]: receipt.timings.readMs, [`${policy}: assembly`]: receipt.timings.assembleMs }
  },
})

const policies = short.engine.policies.map(({ name }) => name)
await report('policies', scale, () =>
  measure(
    policies.flatMap(policy => sizes.map(size => contexts(size, policy))),
    scale,
  ),
)
await short.engine.close()
await long?.engine.close()
