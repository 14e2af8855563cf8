// A stretch of the past becomes a summary: ahead of the drop that needs it, once, from the original words, and never in the way.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fault } from '../../../src/model/fault.ts'
import { FOLD } from '../../../src/model/settings/council.ts'
import { calls, says } from '../../../src/testing/scripted.ts'
import { linesOf, openIn } from '../../support/council.ts'
import { eventsOf, gate, isEvent, last, until } from '../../support/engine.ts'
import {
  countingFolds,
  endOfFold,
  type Folder,
  folded,
  folder,
  folderWith,
  folding,
  foldsOf,
  isFoldUnderWay,
  isForFold,
  isWhole,
  must,
  question,
  receiptsOf,
  SUMMARY,
  talk,
  talkUntilFolded,
  verifies,
} from '../../support/folding.ts'

const lastReceipt = async (house: Folder) => {
  const receipt = (await receiptsOf(house)).at(-1)
  assert.ok(receipt)
  return receipt
}

/** Talks until the window drops, from exchange `n` on. */
async function talkUntilDropped(house: Folder, n: number): Promise<number> {
  const before = (await lastReceipt(house)).window.begins
  for (let next = n; next < n + 40; next += 1) {
    await talk(house, next)
    if ((await lastReceipt(house)).window.begins !== before) return next
  }
  throw new Error('the window never dropped')
}

const startsOfFolds = async (house: Folder): Promise<number> =>
  (await eventsOf(house.engine, house.session)).filter(event => event.type === 'turn.started' && event.voice === FOLD).length

/** Talks until a turn that folds has begun. */
async function talkUntilFolding(house: Folder, n = 1): Promise<number> {
  const before = await startsOfFolds(house)
  for (let next = n; next < n + 40; next += 1) {
    await talk(house, next)
    await isFoldUnderWay(house)
    if ((await startsOfFolds(house)) > before) return next
  }
  throw new Error('nothing was to be folded')
}

test('a fold is made ahead, when the window is nearly full, and used at the next drop', async () => {
  const house = await folderWith(folder())
  const n = await talkUntilFolded(house)
  const [fold] = await countingFolds(house)
  assert.ok(fold)
  assert.deepEqual([fold.by, fold.from, fold.asked], ['model', 1, undefined])
  assert.ok(fold.text.startsWith(SUMMARY), fold.text)
  assert.ok((fold.messages ?? 0) > 2 && (fold.folded ?? 0) > fold.tokens)
  const events = await eventsOf(house.engine, house.session)
  const next = events.find(event => event.type === 'message.received' && event.seq > fold.to)
  assert.equal(fold.to, (next?.seq ?? 0) - 1, 'it ends where the next turn begins')
  const before = await lastReceipt(house)
  assert.deepEqual([before.window.folds, before.window.begins], [undefined, 1], 'nothing waited for it')

  const m = await talkUntilDropped(house, n + 1)
  const receipt = await lastReceipt(house)
  assert.deepEqual(receipt.window.folds, [fold.seq])
  assert.ok((receipt.window.begins ?? 0) > fold.to, 'it begins behind the fold')
  assert.ok(receipt.out.some(({ reason, from, to }) => reason === 'out.folded' && from === 1 && to === fold.to))
  const request = house.provider.requests.findLast(each => !isForFold(each))
  assert.ok(request)
  assert.match(linesOf(request)[0] ?? '', /^user: \[Summary of earlier messages:\n\nThe person had tickets noted/)
  assert.ok(!JSON.stringify(request.messages).includes(question(1)), 'the words themselves are gone')
  assert.ok(JSON.stringify(request.messages).includes(question(m)))
  await verifies(house)
  await house.engine.close()
})

test('the reply, the fold and the end of the turn are one append, and none of it is a message', async () => {
  const house = await folderWith(folder())
  const n = await talkUntilFolded(house)
  const events = await eventsOf(house.engine, house.session)
  const own = events.filter(event => 'turn' in event && event.turn === last(events, 'history.folded').turn)
  assert.deepEqual(
    own.map(({ type }) => type),
    ['turn.started', 'context.planned', 'reply.finished', 'history.folded', 'turn.ended'],
  )
  const [reply, fold, end] = own.slice(-3).map(({ seq }) => seq)
  assert.deepEqual([fold, end], [(reply ?? 0) + 1, (reply ?? 0) + 2])
  assert.equal(must(await house.engine.session(house.session)).messages, 2 * n)
  const later = house.provider.requests.filter(request => !isForFold(request))
  assert.ok(later.every(request => linesOf(request).every(line => !line.startsWith('assistant: The person had tickets'))))
  const found = must(await house.engine.sessions({ query: 'tickets noted for the rooms', limit: 5 }))
  assert.equal(found.items.length, 0, 'what the house says to itself is not searched')
  await house.engine.close()
})

test('an answer that comes while a fold runs is not delayed by it, and does without it', async () => {
  const held = gate()
  const house = await folderWith(
    folder(async function* () {
      await held.passed
      yield* says(SUMMARY)
    }),
  )
  const n = await talkUntilFolding(house)
  // The fold never ends before all of these are answered, and the window has dropped without it.
  const m = await talkUntilDropped(house, n + 1)
  const receipt = await lastReceipt(house)
  assert.equal(receipt.window.folds, undefined)
  assert.ok(
    receipt.in.some(({ reason }) => reason === 'note.omitted'),
    'the note counts what is not shown',
  )
  assert.equal(await startsOfFolds(house), 1, 'one at a time')
  held.open()
  await folded(house)
  await talk(house, m + 1)
  assert.equal((await lastReceipt(house)).window.folds, undefined, 'between drops nothing changes')
  await verifies(house)
  await house.engine.close()
})

test('a fold that fails costs nothing and is said once', async () => {
  const failing = await folderWith(folder(() => [{ type: 'fault', fault: fault('rejected', 'no summaries today') }]))
  const notices: string[] = []
  const watch = new AbortController()
  const watching = (async () => {
    for await (const signal of failing.engine.follow(failing.session, 0, watch.signal))
      if (signal.type === 'notice' && signal.notice.message.includes('summarized')) notices.push(signal.notice.message)
  })()
  const n = await talkUntilFolding(failing)
  await endOfFold(failing)
  await talkUntilDropped(failing, n + 1)
  for (const event of await eventsOf(failing.engine, failing.session))
    if (event.type === 'turn.ended') assert.equal(event.reason, event.voice === FOLD ? 'failed' : 'done')
  const tries = (await eventsOf(failing.engine, failing.session)).filter(
    event => event.type === 'turn.started' && event.fold?.from === 1,
  )
  assert.equal(tries.length, 2, 'after two tries no model is asked for the same stretch')
  assert.deepEqual(await foldsOf(failing), [])
  assert.deepEqual(notices, ['Earlier messages could not be summarized: no summaries today.'])
  watch.abort()
  await watching
  await verifies(failing)
  await failing.engine.close()
})

test('a summary that invents numbers is left out and listed; of nothing but inventions there is no fold', async () => {
  const invented = 'The person paid 987,654 dollars to Zacharias Quibblesworth.'
  const house = await folderWith(folder(() => says(`${SUMMARY}\n\n${invented}`)))
  await talkUntilFolded(house)
  const [fold] = await countingFolds(house)
  assert.ok(fold)
  assert.ok(fold.text.startsWith(SUMMARY) && !fold.text.includes('Quibblesworth'), fold.text)
  assert.deepEqual(fold.left, [invented])
  await house.engine.close()

  const liar = await folderWith(folder(() => says(invented)))
  await talkUntilFolding(liar)
  await endOfFold(liar)
  assert.deepEqual(await foldsOf(liar), [])
  assert.equal(last(await eventsOf(liar.engine, liar.session), 'turn.ended').reason, 'failed')
  await liar.engine.close()
})

test('calls in the answer are ignored', async () => {
  const house = await folderWith(folder(() => [...says(SUMMARY).slice(0, -1), ...calls('file_delete', { file: 'x' })]))
  await talkUntilFolded(house)
  const events = await eventsOf(house.engine, house.session)
  const reply = events.findLast(event => event.type === 'reply.finished' && event.internal === true)
  assert.ok(reply?.type === 'reply.finished' && reply.parts.every(({ type }) => type === 'text'))
  assert.ok(!events.some(({ type }) => type === 'tool.started'))
  await house.engine.close()
})

test('literal sentences need no model, and the demo model is not asked', async () => {
  const provider = folder(() => assert.fail('no model is asked'))
  const house = await folderWith(provider, folding({ fold: { by: 'auto', tokens: 'auto' } }))
  const n = await talkUntilFolded(house)
  const [fold] = await countingFolds(house)
  assert.ok(fold)
  assert.deepEqual([fold.by, fold.turn], ['extract', undefined])
  assert.ok(/T-100\d/.test(fold.text), fold.text)
  await talkUntilDropped(house, n + 1)
  assert.deepEqual((await lastReceipt(house)).window.folds, [fold.seq])
  await verifies(house)
  await house.engine.close()
})

test('a coarser fold is made from the original words, never from summaries', async () => {
  let many = 0
  const provider = folder(() => {
    many += 1
    return says(`${SUMMARY} ${'The windows get new frames in spring. '.repeat(8)}`)
  })
  const house = await folderWith(provider, folding({ fold: { by: 'model', tokens: 130 } }))
  let n = 0
  const isCoarse = async (): Promise<boolean> => (await foldsOf(house)).some(({ replaces }) => replaces !== undefined)
  while (!(await isCoarse()) && n < 120) n = await talkUntilFolded(house, n + 1)
  const folds = await foldsOf(house)
  const coarse = folds.find(({ replaces }) => replaces !== undefined)
  assert.ok(coarse, `no coarser one in ${many} folds`)
  assert.equal(coarse.from, 1)
  const under = folds.filter(fold => fold !== coarse && fold.from >= coarse.from && fold.to <= coarse.to && fold.seq < coarse.seq)
  assert.ok(under.length >= 2)
  assert.ok(under.every(({ counts }) => !counts))
  const request = provider.requests.findLast(each => each.voice === FOLD)
  assert.ok(request, 'an older stretch is asked for apart')
  const words = JSON.stringify(request.messages)
  assert.ok(words.includes('Question 1:') && words.includes('Ticket T-1001 is noted'))
  assert.ok(!words.includes('The person had tickets noted'), 'no summary of a summary')
  await verifies(house)
  await house.engine.close()
})

test('a person stops a fold, changes who answers while one runs, and removes the session', async () => {
  const house = await folderWith(
    folder(async function* (_, signal) {
      if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
      yield* []
    }),
    folding(),
    {
      agents: () => [
        { key: 'ann', name: 'Ann', prompt: '' },
        { key: 'ben', name: 'Ben', prompt: '' },
      ],
    },
  )
  await talkUntilFolding(house)
  must(await house.engine.change(house.session, { agent: 'ben' }))
  const stopped = must(await house.engine.cancel(house.session))
  assert.equal(stopped.length, 1)
  const events = await eventsOf(house.engine, house.session)
  assert.deepEqual(openIn(events), [])
  assert.equal(last(events, 'turn.ended').reason, 'cancelled')
  const resumed = await house.engine.resume(house.session)
  assert.ok(!resumed.ok && resumed.fault.kind === 'conflict', 'there is nothing to resume')

  const other = must(await house.engine.open({})).id
  await talkUntilFolding({ ...house, session: other })
  must(await house.engine.remove(other))
  assert.equal((await house.engine.session(other)).ok, false)
  await house.engine.close()
})

test('what a person excludes is not told by a summary, and the summary is made anew', async () => {
  const house = await folderWith(folder())
  const n = await talkUntilFolded(house)
  const m = await talkUntilDropped(house, n + 1)
  const [fold] = await countingFolds(house)
  assert.ok(fold)
  must(await house.engine.mark(house.session, 1, 'exclude'))
  await talk(house, m + 1)
  const receipt = await lastReceipt(house)
  assert.equal(receipt.window.folds?.includes(fold.seq) ?? false, false)
  await until(house.engine, house.session, signal => isEvent(signal, 'history.folded') && signal.event.replaces === fold.seq)
  const anew = (await foldsOf(house)).findLast(({ replaces }) => replaces === fold.seq)
  assert.ok(anew)
  assert.deepEqual([anew.from, anew.to], [fold.from, fold.to])
  const request = house.provider.requests.findLast(isForFold)
  assert.ok(request && !JSON.stringify(request.messages).includes('Question 1:'), 'its words are not shown to the model')
  assert.ok(!anew.text.includes('Question 1:'))
  await talk(house, m + 2)
  isWhole((await eventsOf(house.engine, house.session)).filter(event => !('voice' in event) || event.voice !== FOLD))
  await verifies(house)
  await house.engine.close()
})

test('a message to a session ends its own stream, not that of a fold', async () => {
  const held = gate()
  const house = await folderWith(
    folder(async function* () {
      await held.passed
      yield* says(SUMMARY)
    }),
  )
  const n = await talkUntilFolding(house)
  const { seq, turns } = must(await house.engine.say({ session: house.session, text: question(n + 1), from: 'person' }))
  await until(house.engine, house.session, signal => isEvent(signal, 'turn.ended') && turns.includes(signal.event.turn))
  assert.ok(seq > 0)
  held.open()
  await folded(house)
  await house.engine.close()
})
