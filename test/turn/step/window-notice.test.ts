import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { weigh } from '../../../src/context/text/tokens.ts'
import { createEngine, type Engine } from '../../../src/engine.ts'
import { memoryLog } from '../../../src/log/memory/memory-log.ts'
import type { SessionId, TurnId } from '../../../src/model/ids.ts'
import type { Receipt, WindowState } from '../../../src/model/receipt.ts'
import { says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { noticesFor } from '../../../src/turn/step/notices.ts'
import { isEvent, listenTo, receiptsOf } from '../../durability/hearing.ts'
import { must } from '../../log/facts.ts'

const answering = (): ReturnType<typeof scriptedProvider> => scriptedProvider(Array.from({ length: 20 }, () => says('So be it.')))

/** Says these one after another and gives the messages of the window notices that came with the answers. */
async function windowNews(t: TestContext, engine: Engine, id: SessionId, texts: readonly string[]): Promise<readonly string[]> {
  const listener = listenTo(t, engine, id, must(await engine.read(id, { newest: true, limit: 1 })).at(-1)?.seq ?? 0)
  for (const text of texts) {
    const { seq } = must(await engine.say({ session: id, text, from: 'person' }))
    await listener.until(isEvent('turn.ended', seq))
  }
  return listener.signals.flatMap(signal =>
    signal.type === 'notice' && signal.notice.kind === 'window' ? [signal.notice.message] : [],
  )
}

test('people hear once that a session begins to lose messages, and not again after a restart', async t => {
  const log = memoryLog({ clock: Date.now, weigh })
  const first = createEngine({ log, provider: answering(), policy: 'recent' })
  const { id } = must(await first.open({}))
  assert.deepEqual(await windowNews(t, first, id, ['one', 'two', 'three']), [])
  assert.deepEqual(await windowNews(t, first, id, ['four', 'five']), ['2 of 7 messages are no longer sent to the model.'])
  await first.close()

  const again = createEngine({ log, provider: answering(), policy: 'recent' })
  assert.deepEqual(await windowNews(t, again, id, ['six', 'seven']), [])
  assert.equal((await receiptsOf(again, id)).length, 7)

  must(await again.change(id, { policy: 'full' }))
  assert.deepEqual(await windowNews(t, again, id, ['eight']), [])
  must(await again.change(id, { policy: 'recent' }))
  const [news, ...more] = await windowNews(t, again, id, ['nine', 'ten'])
  assert.match(news ?? '', /^1[0-2] of 17 messages are no longer sent to the model\.$/)
  assert.deepEqual(more, [])
  await again.close()
})

test('a log that does not say what was sent before costs a notice, never the turn', async t => {
  const log = memoryLog({ clock: Date.now, weigh })
  const first = createEngine({ log, provider: answering(), policy: 'recent' })
  const { id } = must(await first.open({}))
  await windowNews(t, first, id, ['one', 'two', 'three', 'four'])
  await first.close()
  const bugs: unknown[] = []
  const broken = { ...log, planned: () => Promise.reject(new Error('no requests today')) }
  const again = createEngine({
    log: broken,
    provider: answering(),
    policy: 'recent',
    observe: seen => void (seen.type === 'bug' && bugs.push(seen.cause)),
  })
  assert.deepEqual(await windowNews(t, again, id, ['five']), [])
  assert.ok(bugs.length > 0)
  const ends = must(await again.read(id)).filter(({ type }) => type === 'turn.ended')
  assert.ok(ends.every(event => event.type === 'turn.ended' && event.reason === 'done'))
  await again.close()
})

test('what is sent in part, pins that do not fit and a cut turn are each said in a sentence', () => {
  const receipt = (window: Partial<WindowState>, voice = 'assistant'): Receipt =>
    ({
      window: { begins: 1, ...window },
      seen: { messages: 20, of: 20 },
      in: [],
      out: [],
      degraded: null,
      voice,
    }) as unknown as Receipt
  const turn = 'trn_1' as TurnId
  const full = {
    excerpts: [{ seq: 3, tokens: 500 }],
    unpinned: [5, 9],
    hidden: [{ from: 8, through: 30, steps: 1200 }],
    results: [
      { seq: 31, tokens: 200 },
      { seq: 33, tokens: 200 },
    ],
  }
  const before = receipt({})
  assert.deepEqual(noticesFor({ receipt: receipt(full), turn, before, limited: undefined }), [
    {
      kind: 'window',
      turn,
      message:
        '1 long message is sent in part. 2 pinned messages do not fit and are not sent. ' +
        '1,200 earlier steps of this turn are no longer sent. 2 tool results are sent in part.',
    },
  ])
  assert.deepEqual(noticesFor({ receipt: receipt(full), turn, before: receipt(full), limited: undefined }), [])
  assert.deepEqual(noticesFor({ receipt: receipt(full), turn, before: undefined, limited: undefined }), [])
  assert.deepEqual(noticesFor({ receipt: receipt(full, 'house:synthesis'), turn, before, limited: undefined }), [])
})
