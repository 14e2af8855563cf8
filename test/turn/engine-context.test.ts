import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { presets } from '../../src/context/presets.ts'
import { createEngine, memoryLog, sqliteLog, weigh } from '../../src/index.ts'
import type { Log } from '../../src/log/ports.ts'
import type { Part, Recorded } from '../../src/model/event.ts'
import type { Delta } from '../../src/model/message/delta.ts'
import type { Policy } from '../../src/model/settings/policy.ts'
import type { DemoRequest } from '../../src/provider/demo/wire.ts'
import { says, scriptedProvider } from '../../src/testing/scripted.ts'
import { toolbox } from '../../src/tool/toolbox.ts'
import { ask, engineWith, eventsOf, last, openSession } from '../support/engine.ts'
import { messagePolicy } from '../support/policies.ts'
import { requestsOf, type Turn, talk } from '../support/talk.ts'
import { tries } from '../support/tries.ts'

const look = {
  spec: { name: 'look', description: 'Looks', parameters: { type: 'object' } },
  run: async () => ({ ok: true, outcome: 'found' }),
}

const deltasOf = (parts: readonly Part[]): readonly Delta[] => [
  ...parts.map((part): Delta => {
    if (part.type === 'call') return { type: 'call', call: part.call, tool: part.tool, text: JSON.stringify(part.args) }
    return { type: part.type, text: part.text }
  }),
  { type: 'done' },
]

/** Every request the engine sends when this is said, by the messages in it. */
async function sentBy(turns: readonly Turn[], policy: Policy, log: Log): Promise<readonly DemoRequest['messages'][]> {
  const replies = turns.flatMap(({ steps }, index) => [...steps.map(({ parts }) => deltasOf(parts)), says(`answer ${index}`)])
  const provider = scriptedProvider(replies)
  const engine = createEngine({
    log,
    provider,
    toolbox: toolbox([look]),
    // Summaries come a little sooner or later in the background.
    policies: [{ ...policy, name: 'tried', fold: null }],
    policy: 'tried',
  })
  const session = await openSession(engine)
  for (const [index, { text }] of turns.entries()) await ask(engine, session, `${index} ${text}`)
  for await (const { verdict, detail } of engine.verify(session)) assert.equal(verdict, 'identical', detail ?? '')
  return provider.requests.map(({ body }) => (JSON.parse(body) as DemoRequest).messages)
}

const plain = (turns: readonly Turn[]): readonly Turn[] =>
  turns.map(turn => ({
    ...turn,
    aside: '',
    steps: turn.steps.map(({ parts }) => ({ parts: parts.map(withoutSeal), steered: false })),
  }))

/** Seals come with real providers; the scripted one has none. */
const withoutSeal = (part: Part): Part => (part.type === 'think' ? { type: 'think', text: part.text } : part)

test('what the engine reads by index gives the same requests as everything would, under any policy, and each proves itself', async () => {
  await fc.assert(
    fc.asyncProperty(talk, messagePolicy, async (given, policy) => {
      const turns = plain(given)
      // Folds are made in the background, when there is time: which request is the first to have one is left open here.
      const unstamped = { ...policy, stamps: false, fold: null }
      const sent = await sentBy(turns, unstamped, memoryLog({ clock: Date.now, weigh }))
      const expected = requestsOf(turns, { ...unstamped, name: 'tried' }, { tools: [look.spec] }).map(({ plan }) => plan.messages)
      assert.deepEqual(sent, expected)
    }),
    { ...tries(50), endOnFailure: true },
  )
})

test('the same in a file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'turnwise-context-'))
  let runs = 0
  try {
    await fc.assert(
      fc.asyncProperty(talk, messagePolicy, async (given, policy) => {
        runs += 1
        const turns = plain(given)
        // Folds are made in the background, when there is time: which request is the first to have one is left open here.
        const unstamped = { ...policy, stamps: false, fold: null }
        const log = await sqliteLog({ file: join(folder, `${runs}.db`), clock: Date.now, weigh })
        assert.ok(log.ok)
        const sent = await sentBy(turns, unstamped, log.value)
        await log.value.close()
        assert.deepEqual(
          sent,
          requestsOf(turns, { ...unstamped, name: 'tried' }, { tools: [look.spec] }).map(({ plan }) => plan.messages),
        )
      }),
      { ...tries(6), endOnFailure: true },
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a session far beyond its window is cut to low at the first look, and little more than that is read', async () => {
  const log = memoryLog({ clock: Date.now, weigh })
  const talker = engineWith({ log, policy: 'recent' })
  const session = await openSession(talker)
  for (let turn = 0; turn < 120; turn += 1) await ask(talker, session, `${turn} ${'many words '.repeat(100)}`)
  const read: number[] = []
  const reading: Log = {
    ...log,
    past: async (id, want) => {
      const past = await log.past(id, want)
      if (past.ok) read.push(past.value.events.reduce((sum, event) => sum + event.tokens, 0))
      return past
    },
  }
  const policies = [
    { ...presets.steady, name: 'grows', window: { kind: 'tokens', low: 1500, high: 3000 } },
    { ...presets.full, name: 'whole', budget: { tokens: 6000, reserve: 100 } },
  ] as const
  const engine = engineWith({ log: reading, policies })
  const [grows, whole] = [
    await engine.wouldSend(session, { text: 'now', policy: 'grows' }),
    await engine.wouldSend(session, { text: 'now', policy: 'whole' }),
  ]
  assert.ok(grows.ok && whole.ok)
  for (const { receipt } of [grows.value, whole.value]) {
    // The one has its own bounds, the other drops to six tenths of its room.
    const low = receipt.policy === 'grows@1' ? 1500 : 3600
    assert.ok(receipt.tokens.estimated <= low, `${receipt.policy}: ${receipt.tokens.estimated}`)
    assert.ok(receipt.tokens.estimated > low - 500, `${receipt.policy}: ${receipt.tokens.estimated}`)
    assert.equal(
      [...receipt.in, ...receipt.out].reduce((sum, line) => sum + (line.count ?? 0), 0),
      241,
      'everything is accounted for',
    )
  }
  assert.deepEqual(whole.value.receipt.ladder, ['history'])
  assert.ok(
    read.every(tokens => tokens <= 6000),
    `read ${read}`,
  )
})

const receiptsOf = (events: readonly Recorded[]): Extract<Recorded, { type: 'context.planned' }>['receipt'][] =>
  events.flatMap(event => (event.type === 'context.planned' ? [event.receipt] : []))

test('a factor is learned from what the provider reports, kept in the store, and old requests still verify', async () => {
  const log = memoryLog({ clock: Date.now, weigh })
  const long = 'many words '.repeat(300)
  const counted = (input: number): readonly Delta[] => [
    { type: 'text', text: 'ok' },
    { type: 'usage', usage: { input, output: 1, cacheRead: 0, cacheWrite: 0 } },
    { type: 'done' },
  ]
  const engine = engineWith({ log, provider: scriptedProvider([counted(900), counted(1900), counted(2900)]) })
  const session = await openSession(engine)
  await ask(engine, session, long)
  await ask(engine, session, long)
  const receipts = receiptsOf(await ask(engine, session, long))
  const factors = receipts.map(receipt => receipt.tokens.factor)
  assert.equal(factors[0], 1)
  assert.ok((factors[1] ?? 0) > 1.1 && (factors[2] ?? 0) > (factors[1] ?? 0), `learned ${factors}`)
  assert.deepEqual(await log.factors().then(kept => kept.ok && [...kept.value.keys()]), ['demo'])
  const restarted = engineWith({ log, provider: scriptedProvider([says('ok')]) })
  const again = receiptsOf(await ask(restarted, session, 'short')).at(-1)
  assert.ok((again?.tokens.factor ?? 0) >= (factors[2] ?? 0), 'a restart forgets nothing')
  for await (const { verdict, detail } of restarted.verify(session)) assert.equal(verdict, 'identical', detail ?? '')
})

test('a pinned message stays, an excluded one goes, and the dry run shows by how much', async () => {
  const engine = engineWith({ policy: 'recent' })
  const session = await openSession(engine)
  for (const text of ['the budget is 40', 'two', 'three', 'four', 'five']) await ask(engine, session, text)
  const without = await engine.wouldSend(session, { text: 'and now?' })
  const withPin = await engine.wouldSend(session, { text: 'and now?', marks: [{ seq: 1, mark: 'pin' }] })
  assert.ok(without.ok && withPin.ok)
  assert.doesNotMatch(JSON.stringify(without.value.request), /the budget is 40/)
  assert.match(JSON.stringify(withPin.value.request), /the budget is 40/)
  assert.ok(withPin.value.receipt.tokens.estimated > without.value.receipt.tokens.estimated)

  assert.deepEqual(await engine.mark(session, 1, 'pin'), { ok: true, value: null })
  const events = await ask(engine, session, 'and now?')
  const receipt = receiptsOf(events).at(-1)
  assert.deepEqual(
    receipt?.in.map(line => line.reason),
    ['note.omitted', 'pin.person', 'recent.window', 'current.message'],
  )
  const recent = receipt?.in.find(line => line.reason === 'recent.window')
  await engine.mark(session, recent?.to ?? 0, 'exclude')
  assert.ok(
    receiptsOf(await ask(engine, session, 'and then?'))
      .at(-1)
      ?.out.some(line => line.reason === 'out.excluded'),
  )
  const wrong = await engine.mark(session, 2, 'pin')
  assert.equal(!wrong.ok && wrong.fault.kind, 'invalid')
  for await (const { verdict, detail } of engine.verify(session)) assert.equal(verdict, 'identical', detail ?? '')
})

test('a receipt says how much of the last request this one begins with, also after a restart', async () => {
  const log = memoryLog({ clock: Date.now, weigh })
  let house = 'Be brief.'
  const parts = async (): Promise<readonly { source: string; reason: 'system.agents-md'; text: string }[]> => [
    { source: 'AGENTS.md', reason: 'system.agents-md', text: house },
  ]
  const engine = engineWith({ log, house: { parts } })
  const session = await openSession(engine)
  assert.equal(receiptsOf(await ask(engine, session, 'one')).at(-1)?.cache, null)
  const second = receiptsOf(await ask(engine, session, 'two')).at(-1)?.cache
  assert.equal(second?.brokenBy, null)
  assert.equal(second?.stableThrough, 1)
  const restarted = engineWith({ log, house: { parts } })
  assert.equal(receiptsOf(await ask(restarted, session, 'three')).at(-1)?.cache?.brokenBy, null)
  house = 'Be long.'
  const broken = receiptsOf(await ask(restarted, session, 'four')).at(-1)?.cache
  assert.deepEqual(broken?.brokenBy, { item: 'AGENTS.md', reason: 'system.agents-md' })
  assert.equal(broken?.stableShare, 0)
  for await (const { verdict, detail } of restarted.verify(session)) assert.equal(verdict, 'identical', detail ?? '')
})

test('what would be sent to another model is spelled in its own wire', async () => {
  const engine = engineWith({})
  const session = await openSession(engine)
  await ask(engine, session, 'hello')
  const sent = await engine.wouldSend(session, { text: 'and?', model: 'anthropic/claude-x' })
  assert.ok(sent.ok)
  const { url, body } = sent.value.request ?? { url: '', body: null }
  assert.equal(url, '/v1/messages')
  assert.match(JSON.stringify(body), /"model":"claude-x"/)
  const unknown = await engine.wouldSend(session, { text: 'and?', model: 'nobody/x' })
  assert.equal(!unknown.ok && unknown.fault.kind, 'invalid')
})

test('a long conversation under steady goes on for ever', async () => {
  const engine = engineWith({
    policies: [{ ...presets.steady, name: 'small', budget: { tokens: 2000, reserve: 500 } }],
    policy: 'small',
  })
  const session = await openSession(engine)
  let drops = 0
  let begins: number | null | undefined
  for (let turn = 1; turn <= 40; turn += 1) {
    const events = await ask(engine, session, `message ${turn} ${'with words '.repeat(20)}`)
    assert.equal(last(events, 'turn.ended').reason, 'done')
    const receipt = receiptsOf(events).at(-1)
    assert.ok((receipt?.tokens.estimated ?? 0) <= 1600, 'no past is above three quarters of the room')
    if (begins !== undefined && begins !== receipt?.window.begins) drops += 1
    begins = receipt?.window.begins
  }
  assert.ok(drops >= 2 && drops < 15, `dropped ${drops} times in 40 turns`)
  const kept = receiptsOf(await eventsOf(engine, session)).flatMap(({ cache }) => (cache === null ? [] : [cache.stableShare]))
  assert.ok(kept.reduce((sum, share) => sum + share, 0) / kept.length > 0.5, 'most of each request is the one before')
})
