// Recall between chats in a running engine: what crosses, how it is written and paid for, and above all what never crosses.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { presets } from '../../../src/context/presets.ts'
import { createEngine, type Engine, memoryLog, weigh } from '../../../src/index.ts'
import type { Log } from '../../../src/log/ports.ts'
import type { Fact } from '../../../src/model/event.ts'
import { fault } from '../../../src/model/fault.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import type { RecallFrom } from '../../../src/model/recall.ts'
import type { Receipt } from '../../../src/model/receipt.ts'
import { err } from '../../../src/model/result.ts'
import type { Session } from '../../../src/model/session.ts'
import { SYNTHESIS } from '../../../src/model/settings/council.ts'
import type { Policy } from '../../../src/model/settings/policy.ts'
import { says } from '../../../src/testing/scripted.ts'
import { broken, ended, finished, heard, must, session, sessionOf, started, text, turn } from '../../log/facts.ts'
import { openSqlite, temporaryFolder } from '../../log/files.ts'
import { type Stand, stand } from '../../support/council.ts'
import { ask, eventsOf } from '../../support/engine.ts'

const [HERE, THERE, ELSEWHERE] = [session('here'), session('there'), session('elsewhere')]
const POLICY: Policy = { ...presets.steady, name: 'small', budget: { tokens: 6000, reserve: 300 }, fold: null }
const QUESTION = 'What was the name of the ferry to Lisbon?'
const SECRET = 'The ferry to Lisbon was called Marlinspike.'
const CODE = 'Marlinspike'

let turns = 0
/** Somebody says something, and it is answered. */
function exchanged(seq: number, said: string, answer: string): readonly Fact[] {
  turns += 1
  const id = turn(`b${turns}`)
  return [heard(said), started(id, seq), finished(id, 1, text(answer)), ended(id)]
}

async function chat(log: Log, id: SessionId, given: Partial<Session>, facts: readonly Fact[] = []): Promise<void> {
  must(await log.open(sessionOf(id, { policy: 'small', ...given })))
  if (facts.length > 0) must(await log.append(id, facts))
}

type World = { readonly log: Log; readonly engine: Engine; readonly provider: Stand; switchTo: (from: RecallFrom) => void }

function worldOn(t: TestContext, log: Log, from: RecallFrom, policy: Policy = POLICY): World {
  const provider = stand(({ turn: number }) => says(`Answer ${number}.`))
  let now = from
  const engine = createEngine({
    ...{ log, policies: [policy], vectorsFile: null, limits: { historyMs: 20_000 }, provider },
    recallFrom: async () => now,
  })
  t.after(() => engine.close(0))
  return {
    ...{ log, engine, provider },
    switchTo: next => {
      now = next
    },
  }
}

const memory = (): Log => memoryLog({ clock: Date.now, weigh })
const bodyOf = ({ provider }: World): string => JSON.stringify(provider.requests.at(-1))
const receiptOf = async ({ engine }: World, id: SessionId): Promise<Receipt> => {
  const planned = (await eventsOf(engine, id)).findLast(event => event.type === 'context.planned')
  return planned?.type === 'context.planned' ? planned.receipt : assert.fail('nothing was asked')
}
async function verdictsOf({ engine }: World, id: SessionId, deep = false): Promise<readonly string[]> {
  const verdicts: string[] = []
  for await (const { verdict, detail, deep: chosen } of engine.verify(id, { deep }))
    verdicts.push(detail ?? verdict, ...(chosen === undefined ? [] : [chosen.detail ?? chosen.verdict]))
  return verdicts
}

/** A chat of the project that knows, and another that asks. */
async function twoChats(log: Log, given: Partial<Session> = {}, facts?: readonly Fact[]): Promise<void> {
  await chat(
    log,
    THERE,
    { project: 'sea', title: 'Trip: to the [south]', ...given },
    facts ?? exchanged(1, SECRET, 'A fine name.'),
  )
  await chat(log, HERE, { project: 'sea' })
}

for (const store of ['memory', 'sqlite'] as const)
  test(`the first message of a new chat is answered with what another chat of its project knows, on ${store}`, async t => {
    const log = store === 'memory' ? memory() : await openSqlite(t, join(temporaryFolder(t), 'turnwise.db'))
    await twoChats(log)
    const world = worldOn(t, log, 'project')
    await ask(world.engine, HERE, QUESTION)
    const day = must(await log.read(THERE))[0]?.at.slice(0, 10)
    const line = `${day} Trip - to the (south) · User: ${SECRET}`
    assert.ok(bodyOf(world).includes(`[From earlier in this conversation:\\n\\n${line}`), bodyOf(world))
    const receipt = await receiptOf(world, HERE)
    assert.deepEqual(receipt.inputs.recall?.from, { from: 'project', chats: 1 })
    const [quote] = receipt.window.recalled ?? []
    assert.deepEqual(quote, { seqs: [1], author: 'User', chat: { session: THERE, title: 'Trip - to the (south)' } })
    const [written] = receipt.in.filter(({ kind }) => kind === 'recall')
    assert.deepEqual([written?.session, written?.from, written?.to, written?.reason], [THERE, 1, 1, 'recall.match'])
    assert.deepEqual(receipt.out, [], 'nothing of this chat is left out')
    assert.equal(receipt.recall?.balance, 0, 'a tenth of the budget is not paid from the balance')
    assert.deepEqual(await verdictsOf(world, HERE, true), ['identical', 'it looked into other chats, too'])
  })

test('a tool step keeps the quotes of other chats, and each request can be built again', async t => {
  const log = memory()
  await twoChats(log)
  const world = worldOn(t, log, 'everywhere')
  await ask(world.engine, HERE, QUESTION)
  await ask(world.engine, HERE, 'And what was the ferry to Lisbon called, once more?')
  assert.deepEqual(new Set(await verdictsOf(world, HERE)), new Set(['identical']))
  assert.ok((await receiptOf(world, HERE)).window.recalled?.some(({ chat: from }) => from?.session === THERE))
})

test('a request that quotes a chat which was deleted since is not comparable, and nothing else breaks', async t => {
  const log = memory()
  await twoChats(log)
  const world = worldOn(t, log, 'project')
  await ask(world.engine, HERE, QUESTION)
  must(await log.remove(THERE))
  assert.deepEqual(await verdictsOf(world, HERE, true), ['a chat that it quotes was deleted', 'it looked into other chats, too'])
  await ask(world.engine, HERE, `${QUESTION} Tell me again.`)
  assert.equal((await receiptOf(world, HERE)).window.recalled, undefined)
})

/** Whether the secret of another chat is in a request of this one. */
async function crosses(world: World): Promise<boolean> {
  await ask(world.engine, HERE, QUESTION)
  return bodyOf(world).includes(CODE)
}

const REACHES: readonly RecallFrom[] = ['session', 'project', 'everywhere']

test('nothing crosses where the switch is off, from another project, or from a chat without one', async t => {
  const table: Record<string, readonly boolean[]> = {}
  for (const [name, project] of [
    ['same', 'sea'],
    ['other', 'land'],
    ['none', null],
  ] as const) {
    const found: boolean[] = []
    for (const from of REACHES) {
      const log = memory()
      await twoChats(log, { project })
      found.push(await crosses(worldOn(t, log, from)))
    }
    table[name] = found
  }
  assert.deepEqual(table, { same: [false, true, true], other: [false, false, true], none: [false, false, true] })
})

test('chats without a project are no project', async t => {
  const log = memory()
  await chat(log, THERE, { project: null }, exchanged(1, SECRET, 'A fine name.'))
  await chat(log, HERE, { project: null })
  assert.equal(await crosses(worldOn(t, log, 'project')), false)
})

for (const from of ['project', 'everywhere'] as const) {
  test(`nothing crosses from private chats and those of councils, with ${from}`, async t => {
    for (const given of [{ private: true }, { council: 'board' }]) {
      const log = memory()
      await twoChats(log, given)
      assert.equal(await crosses(worldOn(t, log, from)), false, JSON.stringify(given))
    }
  })

  test(`nothing crosses of excluded and removed messages, failed answers and those of the house, with ${from}`, async t => {
    const plain = exchanged(1, 'Which ferry goes to Lisbon?', 'A large one.')
    const failed = turn('failed')
    const house = turn('house')
    const worlds: Record<string, readonly Fact[]> = {
      excluded: [...exchanged(1, SECRET, 'Yes.'), { type: 'message.marked', target: 1, mark: 'exclude' }],
      removed: [...exchanged(1, SECRET, 'Yes.'), { type: 'message.marked', target: 1, mark: 'removed' }],
      'an excluded answer': [
        ...exchanged(1, 'The ferry to Lisbon?', SECRET),
        { type: 'message.marked', target: 3, mark: 'exclude' },
      ],
      failed: [...plain, started(failed, 1), broken(failed, 1, text(SECRET)), ended(failed, 'failed')],
      house: [
        ...plain,
        { type: 'turn.started', turn: house, voice: SYNTHESIS, cause: 1 },
        finished(house, 1, text(SECRET)),
        { type: 'turn.ended', turn: house, voice: SYNTHESIS, reason: 'done' },
      ],
      'of a council': [...plain, { type: 'message.received', text: SECRET, from: 'council' }],
    }
    for (const [name, facts] of Object.entries(worlds)) {
      const log = memory()
      await twoChats(log, {}, facts)
      assert.equal(await crosses(worldOn(t, log, from)), false, name)
    }
  })
}

test('the first words of a chat without a title never name it elsewhere, since they may be excluded', async t => {
  const log = memory()
  const facts = [...exchanged(1, SECRET, 'Yes.'), ...exchanged(5, 'The ferry to Lisbon leaves at nine.', 'Good.')]
  await twoChats(log, { title: null }, [...facts, { type: 'message.marked', target: 1, mark: 'exclude' }])
  const world = worldOn(t, log, 'project')
  assert.equal(await crosses(world), false)
  assert.match(bodyOf(world), /another chat · User: The ferry to Lisbon leaves at nine/)
  must(await world.engine.mark(THERE, 5, 'pin', 'everywhere'))
  assert.equal(await crosses(world), false)
  assert.match(bodyOf(world), /Pinned for this chat:.*another chat · User: The ferry to Lisbon leaves at nine/)
})

test('a reply of several steps that is pinned for other chats is in none once one of its steps is excluded', async t => {
  const log = memory()
  const id = turn('steps')
  const steps = [heard('Look.'), started(id, 1), finished(id, 1, text(SECRET)), finished(id, 2, text('Done looking.')), ended(id)]
  await twoChats(log, {}, steps)
  const world = worldOn(t, log, 'session')
  must(await world.engine.mark(THERE, 4, 'pin', 'everywhere'))
  assert.equal(await crosses(world), true)
  must(await world.engine.mark(THERE, 3, 'exclude'))
  assert.equal(await crosses(world), false)
  assert.doesNotMatch(bodyOf(world), /Done looking/)
  must(await world.engine.mark(THERE, 3, null))
  assert.equal(await crosses(world), true)
})

test('what is excluded, made private or deleted later no longer crosses with the next request', async t => {
  const changes: Record<string, (log: Log, engine: Engine) => Promise<unknown>> = {
    exclude: (_, engine) => engine.mark(THERE, 1, 'exclude'),
    private: log => log.append(THERE, [{ type: 'session.changed', changes: { private: true } }]),
    remove: log => log.remove(THERE),
  }
  for (const [name, change] of Object.entries(changes)) {
    const log = memory()
    await twoChats(log, {}, exchanged(1, SECRET, 'Indeed.'))
    const world = worldOn(t, log, 'project')
    assert.equal(await crosses(world), true, name)
    await change(log, world.engine)
    await ask(world.engine, HERE, QUESTION)
    assert.equal((await receiptOf(world, HERE)).window.recalled, undefined, name)
  }
})

test('the switch counts with the next request, both ways', async t => {
  const log = memory()
  await twoChats(log)
  const world = worldOn(t, log, 'session')
  const quoted = async (words: string): Promise<boolean> => {
    await ask(world.engine, HERE, words)
    return (await receiptOf(world, HERE)).in.some(({ session: from }) => from === THERE)
  }
  assert.equal(await quoted('What was the ferry called?'), false)
  world.switchTo('project')
  assert.equal(await quoted('What was the name of that ferry to Lisbon?'), true)
  world.switchTo('session')
  assert.equal(await quoted('Which ferry was called Marlinspike, the one to Lisbon?'), false)
})

test('a policy without recall stays without, and one that names a wider place needs no switch', async t => {
  const log = memory()
  await twoChats(log)
  assert.equal(await crosses(worldOn(t, log, 'everywhere', { ...POLICY, recall: null })), false)
  const other = memory()
  await twoChats(other)
  assert.equal(await crosses(worldOn(t, other, 'session', { ...POLICY, recall: { tokens: 'auto', from: 'project' } })), true)
})

test('what forks share is quoted once, and not at all where the chat that asks has it itself', async t => {
  const log = memory()
  await chat(log, THERE, { project: 'sea', title: 'First' }, exchanged(1, SECRET, 'A fine name.'))
  for (const [index, id] of [ELSEWHERE, session('third')].entries())
    must(
      await log.fork(
        THERE,
        4,
        sessionOf(id, {
          project: 'sea',
          title: `Fork ${index}`,
          policy: 'small',
          family: THERE,
          parent: { session: THERE, at: 4 },
        }),
        () => [],
      ),
    )
  await chat(log, HERE, { project: 'sea' })
  const world = worldOn(t, log, 'project')
  await ask(world.engine, HERE, QUESTION)
  const quotes = ((await receiptOf(world, HERE)).window.recalled ?? []).filter(({ seqs }) => seqs[0] === 1)
  assert.deepEqual(
    quotes.map(({ chat: from }) => from?.title),
    ['First'],
  )
  await ask(world.engine, ELSEWHERE, QUESTION)
  assert.equal((await receiptOf(world, ELSEWHERE)).window.recalled, undefined, 'it is in the window')
})

test('a voice that hears only itself is given what people and it said elsewhere, and never what another voice did', async t => {
  const log = memory()
  const [own, other] = [turn('own'), turn('other')]
  await twoChats(log, {}, [
    heard('What about the ferry to Lisbon?'),
    { type: 'turn.started', turn: own, voice: 'assistant', cause: 1 },
    finished(own, 1, text('The ferry to Lisbon is white.')),
    { type: 'turn.ended', turn: own, voice: 'assistant', reason: 'done' },
    { type: 'turn.started', turn: other, voice: 'rival', cause: 1 },
    finished(other, 1, text(SECRET)),
    { type: 'turn.ended', turn: other, voice: 'rival', reason: 'done' },
  ])
  const world = worldOn(t, log, 'project', { ...POLICY, view: 'own' })
  assert.equal(await crosses(world), false)
  assert.match(bodyOf(world), /The ferry to Lisbon is white/)
  const all = memory()
  await twoChats(
    all,
    {},
    must(await log.read(THERE)).map(({ session: _s, seq: _q, at: _a, tokens: _t, ...fact }) => fact as unknown as Fact),
  )
  assert.equal(await crosses(worldOn(t, all, 'project')), true)
})

test('quotes of other chats take at most a tenth of the budget unless the message looks back', async t => {
  const log = memory()
  const many = Array.from({ length: 120 }, (_, index) =>
    exchanged(
      4 * index + 1,
      `The ferry to Lisbon, number ${index}, carried ${'crates of oranges and rope '.repeat(6)}.`,
      'Noted.',
    ),
  ).flat()
  await twoChats(log, {}, many)
  await chat(
    log,
    ELSEWHERE,
    { project: 'sea' },
    Array.from({ length: 200 }, (_, index) => exchanged(4 * index + 1, `Clouds and hills, part ${index}.`, 'I see.')).flat(),
  )
  const world = worldOn(t, log, 'project')
  let quoted = 0
  for (const [index, words] of [
    'I like the ferry to Lisbon with its crates of oranges and rope.',
    QUESTION,
    'The ferry to Lisbon, number 17, carried oranges.',
  ].entries()) {
    const id = session(`asking${index}`)
    await chat(log, id, { project: 'sea', private: true })
    await ask(world.engine, id, words)
    const { recall, tokens } = await receiptOf(world, id)
    quoted += recall?.messages ?? 0
    assert.ok((recall?.tokens ?? 0) <= 0.1 * tokens.limit, `${recall?.tokens} of ${tokens.limit}`)
    assert.equal(recall?.balance, 0)
  }
  assert.ok(quoted > 6, `${quoted}`)
})

test('with a number, messages of other chats are among what it may take', async t => {
  const log = memory()
  await twoChats(log)
  const world = worldOn(t, log, 'project', { ...POLICY, recall: { tokens: 200, from: 'session' } })
  assert.equal(await crosses(world), true)
  assert.ok(((await receiptOf(world, HERE)).recall?.tokens ?? 0) <= 200)
  assert.deepEqual(await verdictsOf(world, HERE), ['identical'])
})

test('a chat that hides much of its own past counts only that as left out, whatever it quotes of others', async t => {
  const log = memory()
  await chat(log, THERE, { project: 'sea', title: 'Trip' }, exchanged(1, SECRET, 'A fine name.'))
  const past = Array.from({ length: 60 }, (_, index) =>
    exchanged(4 * index + 1, `Remark ${index}: ${'the weather of the coast was mild again. '.repeat(4)}`, 'Noted.'),
  ).flat()
  await chat(log, HERE, { project: 'sea' }, past)
  const world = worldOn(t, log, 'project', { ...POLICY, budget: { tokens: 2000, reserve: 300 } })
  await ask(world.engine, HERE, QUESTION)
  const { window, seen, out } = await receiptOf(world, HERE)
  const quotes = window.recalled ?? []
  assert.ok(quotes.some(({ chat: from }) => from?.session === THERE))
  const own = quotes.filter(({ chat: from }) => from === undefined).length
  const left = out.find(({ reason }) => reason === 'out.window')?.count ?? 0
  assert.ok(left > 50)
  assert.equal((seen?.messages ?? 0) + own + left, seen?.of)
  assert.deepEqual(await verdictsOf(world, HERE), ['identical'])
})

test('trouble with other chats costs a request its quotes and nothing else', async t => {
  const log = memory()
  await twoChats(log)
  const engineOf = (store: Log, recallFrom: () => Promise<RecallFrom>): World => {
    const provider = stand(() => says('Here I am.'))
    const options = { policies: [POLICY], vectorsFile: null, limits: { historyMs: 20_000 }, provider, recallFrom }
    const engine = createEngine({ log: store, ...options })
    t.after(() => engine.close(0))
    return { log: store, engine, provider, switchTo: () => {} }
  }
  const unread = engineOf(log, () => Promise.reject(new Error('no such file')))
  assert.equal(await crosses(unread), false)
  const trouble = err(fault('store', 'the list of chats is on fire'))
  const failing = engineOf({ ...log, memory: { ...log.memory, sources: async () => trouble } }, async () => 'project')
  assert.equal(await crosses(failing), false)
  assert.equal((await receiptOf(failing, HERE)).recall?.failed, 'the list of chats is on fire')
  const lost = engineOf({ ...log, recall: { ...log.recall, states: async () => trouble } }, async () => 'project')
  assert.equal(await crosses(lost), false)
  assert.equal((await receiptOf(lost, HERE)).recall?.failed, 'the list of chats is on fire')
  assert.deepEqual(new Set(await verdictsOf(lost, HERE)), new Set(['identical']))
})
