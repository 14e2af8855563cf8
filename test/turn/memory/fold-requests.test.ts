// Requests for folds over real wires: they read the provider's cache, give way to answers, and stay within the money.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EngineOptions } from '../../../src/engine.ts'
import { FOLD } from '../../../src/model/settings/council.ts'
import { createSlots } from '../../../src/provider/transport/slots.ts'
import { type Fake, startFake } from '../../../src/testing/index.ts'
import { engineWith, eventsOf, isEvent, until } from '../../support/engine.ts'
import { countingFolds, folding, must, talk, talkUntilFolded, verifies } from '../../support/folding.ts'

const WORDS = 'The doors stay as they are, and the windows get new frames.'
const SERVICES = [
  { wire: 'anthropic', model: 'anthropic/claude-sonnet-4-5', provider: 'anthropic' },
  { wire: 'openai', model: 'openai/gpt-5.5', provider: 'openai' },
] as const

const setUp = async (fake: Fake, { model, provider }: (typeof SERVICES)[number], more: Partial<EngineOptions> = {}) => {
  const policy = folding({ fold: { by: 'auto', tokens: 'auto' } })
  const providers = { [provider]: { baseURL: fake.url, apiKey: 'a-key', concurrency: 1 } }
  const engine = engineWith({ providers, model, policies: [policy], policy: policy.name, ...more })
  return { engine, session: must(await engine.open({})).id }
}

const withoutMarks = (body: string): string => body.replaceAll(',"cache_control":{"type":"ephemeral"}', '')
const isForFold = ({ body }: { readonly body: string }): boolean => body.includes('This is a note of the program')

for (const service of SERVICES)
  test(`over the wire of ${service.wire}: the request for a fold begins with the last request, so that it reads the cache`, async () => {
    await using fake = await startFake({ wire: service.wire, script: { says: [{ type: 'text', text: WORDS }] } })
    const house = await setUp(fake, service)
    await talkUntilFolded(house)
    const [fold] = await countingFolds(house)
    assert.ok(fold)
    assert.deepEqual([fold.by, fold.text.split('\n')[0]], ['model', WORDS])
    const at = fake.requests.findIndex(isForFold)
    const [before, asked] = [fake.requests[at - 1], fake.requests[at]]
    assert.ok(before !== undefined && asked !== undefined)
    const [sent, again] = [withoutMarks(before.body), withoutMarks(asked.body)]
    const messages = JSON.stringify((JSON.parse(sent) as { messages: unknown }).messages)
    const end = sent.indexOf(messages) + messages.length - 1
    assert.ok(sent.includes(messages) && end > messages.length)
    assert.equal(again.slice(0, end), sent.slice(0, end), 'byte for byte up to its last message')
    const { messages: _, ...rest } = JSON.parse(sent) as Record<string, unknown>
    const { messages: all, ...same } = JSON.parse(again) as { readonly messages: readonly { readonly role: string }[] }
    assert.deepEqual(same, rest, 'with the same tools and parameters')
    assert.deepEqual(
      all.slice(-2).map(({ role }) => role),
      ['assistant', 'user'],
    )
    const events = await eventsOf(house.engine, house.session)
    const receipt = events.findLast(event => event.type === 'context.planned' && event.receipt.voice === FOLD)
    assert.ok(receipt?.type === 'context.planned' && receipt.receipt.inputs.after !== undefined)
    assert.equal(receipt.receipt.cache?.brokenBy, null)
    await verifies(house)
    await house.engine.close()
  })

test('with one place at the provider an answer never waits behind a fold', async () => {
  const [service] = SERVICES
  await using fake = await startFake({ wire: service.wire, script: { says: [{ type: 'text', text: WORDS }] } })
  const house = await setUp(fake, service)
  for (let n = 1; n < 4; n += 1) await talk(house, n)
  // The provider takes the request for the fold, and never answers it.
  fake.say({ faults: [{ type: 'stallAt', byte: 0 }] })
  const { turn } = must(await house.engine.fold(house.session, { by: 'model' }))
  while (!isForFold(await fake.nextRequest()));
  await talk(house, 4)
  const ends = (await eventsOf(house.engine, house.session)).flatMap(event =>
    event.type === 'turn.ended' ? [{ isFold: event.turn === turn, reason: event.reason, why: event.fault?.message }] : [],
  )
  assert.deepEqual(
    ends.filter(({ isFold }) => isFold),
    [{ isFold: true, reason: 'failed', why: 'it gave way to an answer' }],
  )
  assert.ok(ends.filter(({ isFold }) => !isFold).every(({ reason }) => reason === 'done'))
  assert.equal(ends.length, 5)
  await house.engine.close()
})

test('where the day has no money left, literal sentences do', async () => {
  const [service] = SERVICES
  await using fake = await startFake({ wire: service.wire, script: { says: [{ type: 'text', text: WORDS }] } })
  const house = await setUp(fake, service, { limits: { budgetUsdPerDay: 5 } })
  for (let n = 1; n < 4; n += 1) await talk(house, n)
  fake.say({ says: [{ type: 'text', text: WORDS }], usage: { input: 10_000_000 } })
  await talk(house, 4)
  const { fold, turn } = must(await house.engine.fold(house.session))
  assert.deepEqual([fold?.by, turn], ['extract', undefined])
  assert.ok(!fake.requests.some(isForFold))
  // A person may insist: then it fails as any request without money does, and the conversation is as before.
  const begun = must(await house.engine.redoFold(house.session, fold?.seq ?? 0, { by: 'model' }))
  await until(house.engine, house.session, signal => isEvent(signal, 'turn.ended') && signal.event.turn === begun.turn)
  const [counting] = await countingFolds(house)
  assert.equal(counting?.seq, fold?.seq)
  await house.engine.close()
})

test('an answer has the place of background work at once, and background work waits for room to spare', async () => {
  for (const most of [1, 2, 5]) {
    const slots = createSlots(most)
    const log: string[] = []
    const { signal } = new AbortController()
    let leave = (): void => {}
    const background = slots.enter(signal, 'ann', () => {
      log.push('asked')
      leave()
    })
    leave = (await background) ?? assert.fail()
    const answers = []
    for (let n = 0; n < most; n += 1) answers.push(await slots.enter(signal, 'ben'))
    assert.deepEqual(log, ['asked'])
    assert.ok(answers.every(answer => answer !== undefined))
    const waiting = slots
      .enter(signal, 'ann', () => log.push('asked again'))
      .then(leaving => {
        log.push('inside')
        return leaving
      })
    const gone = new AbortController()
    const other = slots.enter(gone.signal, 'cleo', () => assert.fail('it is gone'))
    gone.abort()
    assert.equal(await other, undefined)
    // One place stays free beside it, unless there is only one.
    const needed = most === 1 ? 1 : 2
    for (const answer of answers.slice(0, needed - 1)) answer?.()
    await new Promise(resolve => setImmediate(resolve))
    assert.deepEqual(log, ['asked'])
    answers[needed - 1]?.()
    const left = await waiting
    assert.deepEqual(log, ['asked', 'inside'])
    left?.()
  }
})
