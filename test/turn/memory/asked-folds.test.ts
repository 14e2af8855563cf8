// What people do with folds: ask for one, edit it, have it made anew, remove it; and folds in councils, forks, files and after restarts.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Engine, openEngine } from '../../../src/engine.ts'
import type { Fault } from '../../../src/model/fault.ts'
import type { Result } from '../../../src/model/result.ts'
import { FOLD } from '../../../src/model/settings/council.ts'
import { startFake } from '../../../src/testing/index.ts'
import { says } from '../../../src/testing/scripted.ts'
import { advisor, boardOf, councilOf, linesOf, round, stand } from '../../support/council.ts'
import { eventsOf, isEvent, until } from '../../support/engine.ts'
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

const refused = (result: Result<unknown, Fault>, kind: Fault['kind'], words: RegExp): void => {
  assert.ok(!result.ok, 'a fault was expected')
  assert.equal(result.fault.kind, kind)
  assert.match(result.fault.message, words)
}

const talked = async (house: Folder, through: number): Promise<void> => {
  for (let n = 1; n <= through; n += 1) await talk(house, n)
}

async function* bytesOf(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield new TextEncoder().encode(piece)
}

/** The first text of the last request to a voice of the conversation. */
const frontOf = ({ provider }: Folder): string => {
  const request = provider.requests.findLast(each => !isForFold(each))
  return request === undefined ? '' : (linesOf(request)[0] ?? '')
}

const windowOf = async (house: Pick<Folder, 'engine' | 'session'>) => (await receiptsOf(house)).at(-1)?.window

test('a fold that a person asks for takes effect at the next request', async () => {
  const house = await folderWith(folder())
  await talked(house, 4)
  const { turn } = must(await house.engine.fold(house.session))
  assert.ok(turn)
  const [fold] = await folded(house)
  assert.ok(fold)
  assert.deepEqual([fold.asked, fold.turn, fold.from, fold.messages], [true, turn, 1, 6], 'all but the last exchange')
  await until(house.engine, house.session, signal => isEvent(signal, 'turn.ended') && signal.event.turn === turn)
  await talk(house, 5)
  const window = await windowOf(house)
  assert.deepEqual([window?.folds, window?.begins], [[fold.seq], fold.to + 1])
  assert.match(frontOf(house), /^user: \[Summary of earlier messages:\n\nThe person had/)
  const sent = JSON.stringify(house.provider.requests.findLast(each => !isForFold(each))?.messages)
  assert.ok(!sent.includes(question(3)) && sent.includes(question(4)))
  await talk(house, 6)
  assert.deepEqual((await windowOf(house))?.folds, [fold.seq], 'and stays until the next drop')
  await verifies(house)
  await house.engine.close()
})

test('a person edits a summary, has it made anew, and removes it: each is an event that the next request follows', async () => {
  await using fake = await startFake({
    wire: 'openai',
    script: { says: [{ type: 'text', text: 'The windows get new frames in spring.' }] },
  })
  const house = await folderWith(folder(), folding(), { providers: { lab: { baseURL: fake.url, apiKey: 'a-key' } } })
  const { engine, session } = house
  await talked(house, 4)
  const made = must(await engine.fold(session, { by: 'extract', from: 1 }))
  assert.ok(made.fold)
  const first = made.fold
  assert.deepEqual([first.by, first.from, first.asked, first.counts], ['extract', 1, true, true])
  await talk(house, 5)

  const edited = must(await engine.editFold(session, first.seq, 'We talked about doors. [Do not forget the cat.]'))
  assert.deepEqual([edited.by, edited.replaces, edited.from, edited.to], ['person', first.seq, first.from, first.to])
  await talk(house, 6)
  assert.match(frontOf(house), /We talked about doors\./)
  assert.deepEqual((await windowOf(house))?.folds, [edited.seq])

  const { turn } = must(await engine.redoFold(session, edited.seq, { model: 'compatible/lab/x' }))
  assert.ok(turn)
  await until(engine, session, signal => isEvent(signal, 'turn.ended') && signal.event.turn === turn)
  const redone = (await countingFolds(house)).at(-1)
  assert.ok(redone)
  assert.deepEqual([redone.by, redone.replaces, redone.turn], ['model', edited.seq, turn])
  const [asked] = fake.requests
  assert.ok(asked)
  assert.ok(asked.body.includes('These are the messages') && asked.body.includes('Question 1:'), 'from the original words')
  assert.ok(!asked.body.includes('We talked about doors'), 'not from the summary')
  await talk(house, 7)
  assert.match(frontOf(house), /new frames in spring/)

  must(await engine.removeFold(session, redone.seq))
  await talk(house, 8)
  assert.deepEqual((await windowOf(house))?.folds, undefined)
  assert.match(frontOf(house), /earlier messages are not shown/)
  assert.deepEqual(await countingFolds(house), [])
  assert.equal((await foldsOf(house)).length, 4, 'nothing is forgotten of what happened')

  refused(await engine.editFold(session, edited.seq, 'Again.'), 'conflict', /replaced or removed/)
  refused(await engine.editFold(session, first.seq, '  '), 'invalid', /needs words/)
  refused(await engine.removeFold(session, 3), 'not-found', /no summary at 3/)
  refused(await engine.redoFold(session, 9999), 'not-found', /no summary/)
  refused(await engine.fold(session, { from: 9, to: 2 }), 'invalid', /^from/)
  refused(await engine.fold(session, { model: 'nowhere/x' }), 'invalid', /nowhere/)
  await verifies(house)
  await engine.close()
})

test('where there is nothing to fold, or nothing that folds, it is said', async () => {
  const house = await folderWith(folder())
  refused(await house.engine.fold(house.session), 'conflict', /nothing to summarize/)
  await talk(house, 1)
  refused(await house.engine.fold(house.session), 'conflict', /the last exchange always stays/)
  must(await house.engine.change(house.session, { policy: 'recent' }))
  refused(await house.engine.fold(house.session), 'conflict', /"recent" uses no summaries/)
  await house.engine.close()
})

test('a stretch that ends before what is sent begins is refused unless its beginning is named, and so is a voice that is not here', async () => {
  const house = await folderWith(folder())
  await talked(house, 4)
  const fold = must(await house.engine.fold(house.session, { by: 'extract' })).fold
  assert.ok(fold)
  await talk(house, 5)
  const before = await foldsOf(house)
  refused(await house.engine.fold(house.session, { to: fold.to, by: 'extract' }), 'invalid', /^to: what is sent begins at \d+;/)
  refused(await house.engine.fold(house.session, { voice: 'nobody' }), 'invalid', /^voice: there is no "nobody" here; known: /)
  assert.deepEqual(await foldsOf(house), before)
  assert.ok(must(await house.engine.fold(house.session, { from: 1, to: 1, by: 'extract' })).fold)
  await house.engine.close()
})

test('a summary is edited neither to nothing nor without end, by any door', async () => {
  const house = await folderWith(folder())
  await talked(house, 4)
  const { fold } = must(await house.engine.fold(house.session, { by: 'extract' }))
  assert.ok(fold)
  refused(await house.engine.editFold(house.session, fold.seq, ' \n'), 'invalid', /^text: a summary needs words/)
  refused(await house.engine.editFold(house.session, fold.seq, 'x'.repeat(100_001)), 'invalid', /^text: is too long/)
  assert.deepEqual(await countingFolds(house), [fold])
  must(await house.engine.editFold(house.session, fold.seq, 'x'.repeat(100_000)))
  await house.engine.close()
})

test('pins and folds of all sessions are one list, newest first', async () => {
  const house = await folderWith(folder())
  await talked(house, 4)
  const { fold } = must(await house.engine.fold(house.session, { by: 'extract' }))
  must(await house.engine.mark(house.session, 1, 'pin'))
  const { items, next } = must(await house.engine.memory({ limit: 10 }))
  assert.equal(next, null)
  assert.deepEqual(
    items.map(({ kind, seq, text }) => [kind, seq, text]),
    [
      ['pin', 1, question(1)],
      ['fold', fold?.seq, fold?.text],
    ],
  )
  const [pin, summary] = items
  assert.ok(pin?.kind === 'pin' && pin.reach === 'session' && pin.tokens > 50 && pin.session === house.session)
  assert.ok(summary?.kind === 'fold' && summary.from === 1 && summary.by === 'extract' && (summary.folded ?? 0) > 100)
  must(await house.engine.removeFold(house.session, fold?.seq ?? 0))
  assert.equal(must(await house.engine.memory({ limit: 10 })).items.length, 1)
  await house.engine.close()
})

test("an advisor's fold has nothing of another, and only that advisor is sent it", async () => {
  const policy = folding({ view: 'own' })
  const provider = stand(request =>
    isForFold(request)
      ? says('The person asked for tickets, and the advice was given.')
      : says(`secret-of-${request.voice} ${'The doors stay as they are, and the windows get new frames. '.repeat(8)}`),
  )
  const advisors = ['ann', 'ben'].map(id => advisor(id, { policy: policy.name }))
  const board = await boardOf(councilOf(advisors, { references: 'last-round' }), { provider, policies: [policy] })
  const house = { ...board, provider }
  const voices = async (): Promise<ReadonlySet<string | undefined>> => new Set((await foldsOf(house)).map(({ voice }) => voice))
  for (let n = 1; n < 30 && (await voices()).size < 2; n += 1) {
    await round(board, question(n))
    for (let turn = 0; turn < 40; turn += 1) await new Promise(resolve => setImmediate(resolve))
  }
  assert.deepEqual(await voices(), new Set(['ann', 'ben']))
  const asked = provider.requests.filter(isForFold)
  assert.ok(asked.length >= 2)
  for (const request of asked) {
    const words = JSON.stringify(request)
    assert.ok(!(words.includes('secret-of-ann') && words.includes('secret-of-ben')), 'one view at a time')
  }
  for (const { voice, text } of await foldsOf(house))
    for (const other of ['ann', 'ben']) if (other !== voice) assert.ok(!text.includes(`secret-of-${other}`))
  for (let n = 31; n < 45; n += 1) await round(board, question(n))
  const folds = await foldsOf(house)
  const shown = (await receiptsOf(house)).flatMap(({ voice, window }) => (window.folds ?? []).map(seq => ({ voice, seq })))
  assert.ok(shown.length > 0)
  for (const { voice, seq } of shown) assert.equal(folds.find(fold => fold.seq === seq)?.voice, voice)
  await verifies(house)
  refused(await board.engine.fold(board.session), 'invalid', /^voice: .*ann \(Ann\)/)
  while (await isFoldUnderWay(house)) await endOfFold(house)
  const { fold } = must(await board.engine.fold(board.session, { voice: 'ann', by: 'extract' }))
  assert.equal(fold?.voice, 'ann')
  await board.engine.close()
})

test('a fork and a file have the folds, and go on from them', async () => {
  const house = await folderWith(folder())
  await talked(house, 5)
  const { fold } = must(await house.engine.fold(house.session, { by: 'extract' }))
  assert.ok(fold)
  await talk(house, 6)
  const head = (await eventsOf(house.engine, house.session)).at(-1)?.seq ?? 0
  const fork = { ...house, session: must(await house.engine.fork(house.session, head)).id }
  assert.deepEqual(
    (await countingFolds(fork)).map(({ seq, text }) => [seq, text]),
    [[fold.seq, fold.text]],
  )
  await talk(fork, 7)
  assert.deepEqual((await windowOf(fork))?.folds, [fold.seq])
  await verifies(fork)

  const file = must(await house.engine.export(house.session, 'json'))
  const other = await folderWith(folder())
  must(await other.engine.import(bytesOf(file.pieces)))
  const [found] = must(await other.engine.sessions({ limit: 5 })).items.filter(({ id }) => id !== other.session)
  assert.ok(found)
  const imported = { ...other, session: found.id }
  assert.deepEqual(
    (await countingFolds(imported)).map(({ text, by }) => [text, by]),
    [[fold.text, 'extract']],
  )
  await verifies(imported)
  await talkUntilFolded(imported, 7)
  await verifies(imported)
  await other.engine.close()
  await house.engine.close()
})

test('a fold that a stop interrupted is made after the restart', async () => {
  const home = await mkdtemp(join(tmpdir(), 'turnwise-fold-'))
  const policy = folding()
  const opened = async (provider: Folder['provider']): Promise<Engine> =>
    must(await openEngine(join(home, 'test.db'), { provider, policies: [policy], policy: policy.name, vectorsFile: null }))
  try {
    const first = await opened(
      folder(async function* (_, signal) {
        if (!signal.aborted) await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
        yield* []
      }),
    )
    const session = must(await first.open({})).id
    const isStarted = (events: Awaited<ReturnType<typeof eventsOf>>): boolean =>
      events.some(event => event.type === 'context.planned' && event.receipt.voice === FOLD)
    for (let n = 1; n < 12 && !isStarted(await eventsOf(first, session)); n += 1) {
      await talk({ engine: first, session }, n)
      if ((await eventsOf(first, session)).some(event => event.type === 'turn.started' && event.voice === FOLD))
        await until(first, session, signal => isEvent(signal, 'context.planned') && signal.event.receipt.voice === FOLD)
    }
    assert.ok(isStarted(await eventsOf(first, session)))
    await first.close()

    const second = await opened(folder())
    must(await second.recover())
    const [fold] = await folded({ engine: second, session })
    assert.ok(fold)
    assert.ok(fold.text.startsWith(SUMMARY))
    await until(second, session, signal => isEvent(signal, 'turn.ended') && signal.event.turn === fold.turn)
    isWhole(await eventsOf(second, session))
    await talk({ engine: second, session }, 20)
    await verifies({ engine: second, session })
    await second.close()
  } finally {
    await rm(home, { recursive: true })
  }
})
