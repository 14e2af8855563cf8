// Recall in a running engine: the same requests on every store and after a restart, and all of them can be built again.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { presets } from '../../../src/context/presets.ts'
import { createEngine, type Engine, type EngineOptions, memoryLog, weigh } from '../../../src/index.ts'
import type { Log } from '../../../src/log/ports.ts'
import type { Fact } from '../../../src/model/event.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import type { Receipt } from '../../../src/model/receipt.ts'
import type { Policy } from '../../../src/model/settings/policy.ts'
import { calls, says } from '../../../src/testing/scripted.ts'
import { toolbox } from '../../../src/tool/toolbox.ts'
import { ended, finished, heard, must, session, sessionOf, started, text, turn } from '../../log/facts.ts'
import { openSqlite, temporaryFolder } from '../../log/files.ts'
import { advisor, boardOf, councilOf, linesOf, round, type Stand, stand } from '../../support/council.ts'
import { ask, counting, eventsOf, gate, isEvent, last, until } from '../../support/engine.ts'

const CHAT = session('chat')
const START = Date.UTC(2026, 0, 1)
const QUESTION = 'Where was the spare key to the boathouse?'
const AUTO: Policy = { ...presets.steady, name: 'small', budget: { tokens: 1500, reserve: 300 } }
const NUMBER: Policy = { ...AUTO, recall: { tokens: 300, from: 'session' } }

const PAST: readonly Fact[] = Array.from({ length: 40 }, (_, index): readonly Fact[] => {
  const id = turn(`past${index}`)
  const said =
    index === 3
      ? 'The spare key to the boathouse hangs behind the copper kettle.'
      : `Remark ${index}: ${'the weather of the coast was mild again and nothing else came up. '.repeat(2)}`
  return [heard(said), started(id, index * 4 + 1), finished(id, 1, text(`Noted, number ${index}.`)), ended(id)]
}).flat()

/** A clock that counts the times it is asked, so that two runs have the same times. */
const counted = (): (() => number) => {
  let now = START
  return () => {
    now += 60_000
    return now
  }
}

const withPast = async (log: Log): Promise<Log> => {
  must(await log.open(sessionOf(CHAT, { policy: 'small' })))
  must(await log.append(CHAT, PAST))
  return log
}

const engineOn = (t: TestContext, log: Log, policy: Policy, given: Partial<EngineOptions> = {}): Engine => {
  const engine = createEngine({
    ...{ log, policies: [policy], vectorsFile: null, limits: { historyMs: 8000 }, clock: counted(), mint: counting() },
    ...given,
  })
  t.after(() => engine.close(0))
  return engine
}

async function verdictsOf(engine: Engine, id: SessionId, deep = false): Promise<readonly string[]> {
  const verdicts: string[] = []
  for await (const { verdict, detail, deep: chosen } of engine.verify(id, { deep }))
    verdicts.push(detail ?? verdict, ...(chosen === undefined ? [] : [chosen.detail ?? chosen.verdict]))
  return verdicts
}

const receiptsOf = async (engine: Engine, id: SessionId): Promise<readonly Receipt[]> =>
  (await eventsOf(engine, id)).flatMap(event => (event.type === 'context.planned' ? [event.receipt] : []))

const bodiesOf = ({ requests }: Stand): readonly string[] => requests.map(request => JSON.stringify(request))

for (const [name, policy] of Object.entries({ auto: AUTO, 'a number': NUMBER }))
  test(`with ${name}: the same requests in memory, in a file and after restarts, and each can be built again`, async t => {
    const asked = [QUESTION, 'Fine, thanks.', 'And what about the copper kettle?']
    const tell = async (log: Log, restarts: boolean): Promise<{ bodies: readonly string[]; engine: Engine }> => {
      const provider = stand(({ turn: number }) => says(`Answer ${number}.`))
      const shared = { provider, clock: counted(), mint: counting() }
      let engine = engineOn(t, log, policy, shared)
      for (const words of asked) {
        if (restarts) engine = engineOn(t, log, policy, shared)
        await ask(engine, CHAT, words)
      }
      return { bodies: bodiesOf(provider), engine }
    }
    const memory = await withPast(memoryLog({ clock: counted(), weigh }))
    const { bodies, engine } = await tell(memory, false)
    assert.match(bodies[0] ?? '', /\[From earlier in this conversation:.*copper kettle/)
    const file = await withPast(await openSqlite(t, join(temporaryFolder(t), 'turnwise.db'), { clock: counted() }))
    const filed = await tell(file, false)
    assert.deepEqual(filed.bodies, bodies)
    if (policy === AUTO)
      assert.deepEqual((await tell(await withPast(memoryLog({ clock: counted(), weigh })), true)).bodies, bodies)
    for (const each of [engine, filed.engine]) {
      const verdicts = await verdictsOf(each, CHAT, true)
      assert.ok(verdicts.length > asked.length, 'what was chosen is checked too')
      assert.deepEqual(new Set(verdicts), new Set(['identical']))
    }
    // Another text of the house, and another policy of the same name.
    const changed: Policy = { ...policy, budget: { tokens: 4000, reserve: 100 }, recall: null }
    const house = { parts: async () => [{ source: 'AGENTS.md', reason: 'system.agent', text: 'Be brief.' } as const] }
    assert.deepEqual(new Set(await verdictsOf(engineOn(t, memory, changed, { house }), CHAT)), new Set(['identical']))
  })

const LOOK = toolbox([
  {
    spec: { name: 'look', description: 'Looks', parameters: { type: 'object', properties: {} } },
    ...{ approval: 'auto', idempotent: true, run: async () => ({ ok: true, outcome: 'found', content: 'a door' }) },
  },
])

test('the later steps of a turn have the quotes of its first, also in another process, and can be built again', async t => {
  const log = await withPast(memoryLog({ clock: counted(), weigh }))
  const isAsked = gate()
  // The first process asks for the second step, and dies before it hears anything.
  const first = stand(({ messages }, signal) => {
    if (!JSON.stringify(messages).includes('a door')) return calls('look', {})
    isAsked.open()
    return (async function* () {
      await once(signal, 'abort')
      yield* says('')
    })()
  })
  const clock = (): number => START
  const dying = createEngine({
    log,
    policies: [AUTO],
    vectorsFile: null,
    toolbox: LOOK,
    provider: first,
    clock,
    limits: { historyMs: 8000 },
  })
  t.after(() => dying.close(0))
  const { seq } = must(await dying.say({ session: CHAT, text: QUESTION, from: 'person' }))
  await isAsked.passed
  const second = stand(() => says('Behind the copper kettle.'))
  const living = engineOn(t, log, AUTO, { toolbox: LOOK, provider: second, clock, mint: undefined as never })
  must(await living.recover())
  await until(living, CHAT, signal => isEvent(signal, 'turn.ended') && signal.event.seq > seq)
  const blockOf = (body: string | undefined): string =>
    /\[From earlier in this conversation:.*?\]/.exec(body ?? '')?.[0] ?? 'none'
  const bodies = [...bodiesOf(first), ...bodiesOf(second)]
  assert.equal(bodies.length, 3)
  assert.match(blockOf(bodies[0]), /copper kettle/)
  assert.deepEqual(
    bodies.map(blockOf),
    bodies.map(() => blockOf(bodies[0])),
  )
  const receipts = await receiptsOf(living, CHAT)
  for (const receipt of receipts) assert.deepEqual(receipt.window.recalled, receipts[0]?.window.recalled)
  assert.deepEqual(new Set(await verdictsOf(living, CHAT, true)), new Set(['identical']))
})

test('an advisor is quoted what it said and heard itself, never another advisor or a word to another', async t => {
  const council: Policy = {
    ...presets.council,
    name: 'council',
    budget: { tokens: 700, reserve: 200 },
    recall: { tokens: 250, from: 'session' },
  }
  const provider = stand(({ voice, turn: number }) =>
    says(`${voice} on kettle ${number}: ${'a long thought about copper kettles and boats. '.repeat(3)}`),
  )
  const board = await boardOf(councilOf([advisor('ada'), advisor('bo')]), {
    ...{ provider, policies: [council], vectorsFile: null, limits: { historyMs: 8000 } },
  })
  t.after(() => board.engine.close(0))
  for (let index = 0; index < 5; index += 1) {
    await round(board, `Kettle question ${index}: what of the copper kettle?`)
    if (index < 2) await round(board, `Secret kettle of ada ${index}`, { to: ['ada'] })
  }
  const blocks = provider.requests.map(request => {
    const block = linesOf(request).find(line => line.startsWith('user: [From earlier in this conversation:')) ?? ''
    return { voice: request.voice, block }
  })
  const quoted = (voice: string): string => blocks.flatMap(each => (each.voice.endsWith(voice) ? [each.block] : [])).join('\n')
  const [ada, bo] = [quoted('ada'), quoted('bo')]
  assert.match(ada, /Ada: .*ada on kettle/)
  assert.match(bo, /Bo: .*bo on kettle/)
  assert.doesNotMatch(ada, /bo on kettle/)
  assert.doesNotMatch(bo, /ada on kettle|Secret/)
  assert.match(ada, /Secret kettle of ada/)
  assert.deepEqual(new Set(await verdictsOf(board.engine, board.session, true)), new Set(['identical']))
})

test('an excluded message is not recalled, and one that is pinned is not quoted beside itself', async t => {
  const log = await withPast(memoryLog({ clock: counted(), weigh }))
  const provider = stand(({ turn: number }) => says(`Answer ${number}.`))
  const engine = engineOn(t, log, NUMBER, { provider })
  const seqs = async (): Promise<readonly number[]> =>
    (last(await ask(engine, CHAT, QUESTION), 'context.planned').receipt.window.recalled ?? []).flatMap(quote => [...quote.seqs])
  const fact = 3 * 4 + 1
  assert.ok((await seqs()).includes(fact))
  must(await engine.mark(CHAT, fact, 'exclude'))
  assert.ok(!(await seqs()).includes(fact))
  must(await engine.mark(CHAT, fact, 'pin'))
  assert.ok(!(await seqs()).includes(fact))
  assert.match(bodiesOf(provider).at(-1) ?? '', /behind the copper kettle/)
  assert.deepEqual(new Set(await verdictsOf(engine, CHAT, true)), new Set(['identical']))
})

test('a fork is quoted what its parent was, from its own index', async t => {
  const log = await withPast(memoryLog({ clock: counted(), weigh }))
  const provider = stand(({ turn: number }) => says(`Answer ${number}.`))
  const engine = engineOn(t, log, NUMBER, { provider })
  const fork = must(await engine.fork(CHAT, PAST.length))
  await ask(engine, CHAT, QUESTION)
  await ask(engine, fork.id, QUESTION)
  const [one, other] = provider.requests.map(({ messages }) => JSON.stringify(messages))
  assert.match(one ?? '', /copper kettle/)
  assert.equal(other, one)
})
