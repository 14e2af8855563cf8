// What was sent with summaries and with pins of other chats is built again byte for byte, also when it is asked for as of then.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEngine, type Engine, memoryLog, presets, weigh } from '../../../src/index.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import type { Receipt } from '../../../src/model/receipt.ts'
import type { Policy } from '../../../src/model/settings/policy.ts'
import { says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { ask, eventsOf, openSession } from '../../support/engine.ts'

const TIGHT: Policy = {
  ...presets.steady,
  ...{ name: 'tight', recall: null, fold: { by: 'extract', tokens: 'auto' }, budget: { tokens: 1600, reserve: 100 } },
}
const LONG = 'The ferry from Terschelling leaves at half past seven and is back in the harbour long before the tide turns again. '

const engineOf = (): { readonly engine: Engine; readonly sent: () => readonly string[] } => {
  const provider = scriptedProvider(Array.from({ length: 60 }, (_, index) => says(`Answer ${index}: ${LONG}`)))
  const log = memoryLog({ clock: Date.now, weigh })
  const engine = createEngine({ log, provider, policies: [TIGHT], policy: 'tight', limits: { historyMs: 20_000 } })
  return { engine, sent: () => provider.requests.map(({ body }) => body) }
}

const receiptsOf = async (engine: Engine, id: SessionId): Promise<readonly Receipt[]> =>
  (await eventsOf(engine, id)).flatMap(event => (event.type === 'context.planned' ? [event.receipt] : []))

async function assertVerified(engine: Engine, id: SessionId): Promise<void> {
  let many = 0
  for await (const { verdict, detail } of engine.verify(id)) {
    assert.equal(verdict, 'identical', detail ?? '')
    many += 1
  }
  assert.ok(many > 0)
}

test('requests with summaries are verified, also after they were edited and removed, and a dry run as of then is the same', async () => {
  const { engine } = engineOf()
  const id = await openSession(engine)
  for (let turn = 0; turn < 8; turn += 1) await ask(engine, id, `Question ${turn}: ${LONG} The gate is K${turn}42.`)
  const made = await engine.fold(id, { by: 'extract' })
  assert.ok(made.ok, made.ok ? '' : made.fault.message)
  for (let turn = 8; turn < 12; turn += 1) await ask(engine, id, `Question ${turn}: ${LONG} The gate is K${turn}42.`)
  const folded = (await receiptsOf(engine, id)).filter(({ window }) => window.folds !== undefined)
  assert.ok(folded.length > 0, 'some request shows a summary')
  await assertVerified(engine, id)
  const seq = folded.at(-1)?.window.folds?.at(-1) ?? assert.fail()
  const edited = await engine.editFold(id, seq, 'The ferry leaves at 7:30.')
  assert.ok(edited.ok, edited.ok ? '' : edited.fault.message)
  await ask(engine, id, 'And now?')
  const removed = await engine.removeFold(id, edited.value.seq)
  assert.ok(removed.ok)
  await ask(engine, id, 'And then?')
  const [before, after] = (await receiptsOf(engine, id)).filter(({ voice }) => voice === 'assistant').slice(-2)
  assert.ok(before?.window.folds?.includes(edited.value.seq))
  assert.ok(after?.window.folds?.includes(edited.value.seq) !== true)
  await assertVerified(engine, id)
  for (const receipt of folded.slice(-3)) {
    const again = await engine.wouldSend(id, { at: receipt.inputs.cause })
    assert.ok(again.ok, again.ok ? '' : again.fault.message)
    assert.deepEqual(again.value.receipt.window.folds, receipt.window.folds)
    assert.equal(again.value.receipt.digest, receipt.digest)
  }
})

test('what was pinned in another chat stands first, is verified, and is not comparable once that chat is deleted', async () => {
  const { engine, sent } = engineOf()
  const source = await openSession(engine)
  await ask(engine, source, 'I am allergic to walnuts.')
  const pinned = await engine.mark(source, 1, 'pin', 'everywhere')
  assert.ok(pinned.ok, pinned.ok ? '' : pinned.fault.message)
  const id = await openSession(engine)
  await ask(engine, id, 'What shall I cook?')
  await ask(engine, id, 'And tomorrow?')
  const own = sent().slice(-2)
  for (const body of own) assert.match(body, /\[Pinned for this chat:\\n\\n\d{4}-\d\d-\d\d .*User: I am allergic to walnuts\.\]/)
  const receipts = await receiptsOf(engine, id)
  const [line] = receipts[0]?.in ?? []
  assert.deepEqual([line?.kind, line?.reason, line?.session, line?.from], ['message', 'pin.person', source, 1])
  await assertVerified(engine, id)
  const forgotten = await engine.mark(source, 1, null)
  assert.ok(forgotten.ok)
  await ask(engine, id, 'And the day after?')
  assert.doesNotMatch(sent().at(-1) ?? '', /walnuts/)
  await assertVerified(engine, id)
  assert.ok((await engine.remove(source)).ok)
  const verdicts: string[] = []
  for await (const { verdict, detail } of engine.verify(id)) verdicts.push(`${verdict} ${detail ?? ''}`.trim())
  assert.deepEqual(
    verdicts.map(each => each.replace(/:.*/, '')),
    verdicts.map((_, index) => (index < 2 ? verdicts[0]?.replace(/:.*/, '') : 'identical')),
  )
  assert.match(verdicts[0] ?? '', /^not-comparable.*a chat that it quotes was deleted/)
})
