import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryLog, weigh } from '../../src/index.ts'
import type { Log } from '../../src/log/ports.ts'
import { fault } from '../../src/model/fault.ts'
import type { Delta } from '../../src/model/message/delta.ts'
import { SYNTHESIS } from '../../src/model/settings/council.ts'
import { says } from '../../src/testing/scripted.ts'
import { advisor, boardOf, councilOf, linesOf, round, settled, stand, withoutStamps } from '../support/council.ts'
import { engineWith, eventsOf, gate, isEvent, last, until } from '../support/engine.ts'

const must = <Value>(result: { ok: true; value: Value } | { ok: false; fault: { message: string } }): Value => {
  if (!result.ok) throw new Error(result.fault.message)
  return result.value
}

const three = councilOf([advisor('ada'), advisor('bo'), advisor('cy')])

test('all active advisors answer one message, and the round has a turn for each in the order of the council', async () => {
  const provider = stand()
  const board = await boardOf(councilOf([advisor('ada'), advisor('bo', { active: false }), advisor('cy')]), { provider })
  const said = must(await board.engine.say({ session: board.session, text: 'What now?', from: 'person' }))
  assert.equal(said.turns.length, 2)
  const events = await settled(board, all => all.length > 8)
  const started = events.filter(event => event.type === 'turn.started')
  assert.deepEqual(
    started.map(({ voice, cause, name, seq }) => ({ voice, cause, name, seq })),
    [
      { voice: 'ada', cause: 1, name: 'Ada', seq: 2 },
      { voice: 'cy', cause: 1, name: 'Cy', seq: 3 },
    ],
    'durable with their message, in one breath',
  )
  assert.deepEqual(provider.requests.map(({ voice }) => voice).sort(), ['ada', 'cy'])
})

test('an advisor sees its own answers, and of the others only the last round, as a reference', async () => {
  const provider = stand()
  const board = await boardOf(three, { provider })
  for (const text of ['one', 'two', 'three']) await round(board, text)
  const [request] = provider.requests.filter(({ voice }) => voice === 'bo').slice(-1)
  assert.ok(request)
  assert.deepEqual(linesOf(request).map(withoutStamps), [
    'user: one',
    'assistant: bo says 1.',
    'user: two',
    'assistant: bo says 2.',
    "user: [For reference, here's what the other perspectives said last turn:\n\nAda: ada says 2.\n\nCy: cy says 2.]",
    'user: three',
  ])
  assert.match(request.system, /^You are Bo\. You look at everything as bo would\./)
  for await (const { verdict, detail } of board.engine.verify(board.session)) assert.equal(verdict, 'identical', detail ?? '')
})

test('one that fails, one that is silent and one that thinks change nothing for the others', async () => {
  const silence = gate()
  const provider = stand(({ voice, turn }) => {
    if (voice === 'ada') return [{ type: 'fault', fault: fault('overloaded', 'too busy') }]
    if (voice === 'cy') return slowly(silence.passed, says(`cy says ${turn}.`))
    return [{ type: 'think', text: 'hm' }, ...says(`bo says ${turn}.`)]
  })
  const board = await boardOf(three, { provider })
  must(await board.engine.say({ session: board.session, text: 'one', from: 'person' }))
  const before = await until(board.engine, board.session, signal => isEvent(signal, 'turn.ended') && signal.event.voice === 'bo')
  assert.ok(!before.some(signal => isEvent(signal, 'turn.ended') && signal.event.voice === 'cy'), 'bo did not wait for cy')
  silence.open()
  const events = await settled(board, all => all.filter(({ type }) => type === 'turn.ended').length === 3)
  const ends = Object.fromEntries(events.flatMap(event => (event.type === 'turn.ended' ? [[event.voice, event.reason]] : [])))
  assert.deepEqual(ends, { ada: 'failed', bo: 'done', cy: 'done' })

  await round(board, 'two')
  const [ada] = provider.requests.filter(({ voice, turn }) => voice === 'ada' && turn === 2)
  assert.ok(ada)
  assert.deepEqual(
    linesOf(ada).map(withoutStamps),
    [
      'user: one',
      "user: [For reference, here's what the other perspectives said last turn:\n\nBo: bo says 1.\n\nCy: cy says 1.]",
      'user: two',
    ],
    'no thinking, nothing of what failed',
  )
})

test('a word to one is heard by that one alone, also while others speak', async () => {
  const slow = gate()
  const provider = stand(({ voice, turn }) =>
    voice === 'cy' && turn === 1 ? slowly(slow.passed, says('cy at last')) : says(`${voice} ${turn}`),
  )
  const board = await boardOf(three, { provider })
  must(await board.engine.say({ session: board.session, text: 'to all', from: 'person' }))
  await until(board.engine, board.session, signal => isEvent(signal, 'turn.ended') && signal.event.voice === 'bo')
  const word = must(await board.engine.say({ session: board.session, text: '@bo: just you', from: 'person' }))
  assert.equal(word.turns.length, 1, 'bo answers at once')
  await until(board.engine, board.session, signal => isEvent(signal, 'turn.ended') && signal.event.turn === word.turns[0])
  slow.open()
  await settled(board, all => all.filter(({ type }) => type === 'turn.ended').length === 4)
  await round(board, 'to all again')
  const seen = (who: string) => provider.requests.filter(({ voice }) => voice === who).at(-1)
  const heardBy = (who: string) => JSON.stringify(seen(who)?.messages)
  assert.match(heardBy('bo'), /just you/)
  for (const other of ['ada', 'cy']) {
    assert.doesNotMatch(heardBy(other), /just you/, other)
    assert.doesNotMatch(heardBy(other), /bo 2/, 'nor what was answered to it')
  }
  const event = (await eventsOf(board.engine, board.session)).find(
    each => each.type === 'message.received' && each.text.startsWith('@bo'),
  )
  assert.deepEqual(event?.type === 'message.received' ? event.to : undefined, ['bo'])
})

test('a word to one that waits for a busy advisor is answered apart: nobody else hears of it, and the round keeps its answer', async () => {
  for (const order of [
    ['in public', '@bo a secret'],
    ['@bo a secret', 'in public'],
  ]) {
    const hold = gate()
    const provider = stand(({ voice, turn, messages }) => {
      const heard = JSON.stringify(messages.at(-1))
      const reply = says(`${voice} ${turn}: ${/secret/.test(heard) ? 'hush' : /public/.test(heard) ? 'openly' : 'so'}`)
      return voice === 'bo' && turn === 1 ? slowly(hold.passed, reply) : reply
    })
    const board = await boardOf(councilOf([advisor('ada'), advisor('bo')]), { provider })
    must(await board.engine.say({ session: board.session, text: 'one', from: 'person' }))
    await until(board.engine, board.session, signal => isEvent(signal, 'turn.ended') && signal.event.voice === 'ada')
    for (const text of order) must(await board.engine.say({ session: board.session, text, from: 'person' }))
    hold.open()
    await settled(board, all => all.filter(event => event.type === 'turn.ended' && event.voice === 'bo').length === 3)
    await round(board, 'and now?')
    const ada = JSON.stringify(provider.requests.filter(({ voice }) => voice === 'ada').at(-1)?.messages)
    assert.doesNotMatch(ada, /secret|hush/, order.join(', '))
    assert.match(ada, /Bo: bo \d: openly/)
  }
})

test('names in `to` may be ids, names or groups; a stranger is refused with those there are', async () => {
  const board = await boardOf(
    councilOf([advisor('ada', { name: 'Ada Lind', group: 'money' }), advisor('bo', { group: 'money' }), advisor('cy')]),
    { provider: stand() },
  )
  const asked = async (to: readonly string[] | undefined, text = 'hello') => {
    const said = must(
      await board.engine.say({ session: board.session, text, from: 'person', ...(to === undefined ? {} : { to }) }),
    )
    const event = (await settled(board, () => true)).find(({ seq }) => seq === said.seq)
    return event?.type === 'message.received' ? { to: event.to, voices: event.voices } : undefined
  }
  assert.deepEqual(await asked(['ADA lind']), { to: ['ada'], voices: ['ada'] })
  assert.deepEqual(await asked(['money']), { to: ['ada', 'bo'], voices: ['ada', 'bo'] })
  assert.deepEqual(await asked(undefined, 'what does @Ada say, and @cy?'), { to: ['ada', 'cy'], voices: ['ada', 'cy'] })
  assert.deepEqual(await asked(undefined, 'write to me@cy.example'), { to: undefined, voices: ['ada', 'bo', 'cy'] })
  const strange = await board.engine.say({ session: board.session, text: 'x', from: 'person', to: ['dee'] })
  assert.deepEqual(strange, { ok: false, fault: fault('invalid', 'to: there is no advisor "dee"; known: ada, bo, cy') })
})

test('the first turns are early: its own phase text, and the turn number beside the new message', async () => {
  const provider = stand(({ voice, turn }) =>
    voice === 'bo' && turn === 2 ? [{ type: 'fault', fault: fault('rejected', 'no') }] : says(`${voice} ${turn}`),
  )
  const board = await boardOf(councilOf([advisor('ada'), advisor('bo')], { early: { turns: 2 } }), { provider })
  for (const text of ['one', 'two', 'three']) await round(board, text)
  const of = (who: string) => provider.requests.filter(({ voice }) => voice === who)
  const notes = (who: string) => of(who).map(request => linesOf(request).find(line => line.includes('[Turn ')) ?? '')
  assert.deepEqual(notes('ada'), ['user: [Turn 1 of 2]', 'user: [Turn 2 of 2]', ''])
  assert.deepEqual(
    notes('bo'),
    ['user: [Turn 1 of 2]', 'user: [Turn 2 of 2]', 'user: [Turn 2 of 2]'],
    'a turn that failed is no answer',
  )
  const [first, second, third] = of('ada').map(({ system }) => system)
  assert.equal(first, second, 'the system text changes only with the phase')
  assert.notEqual(second, third)
})

test('what failed is tried again alone, sees none of its siblings, and the round has its answer', async () => {
  let broken = true
  const provider = stand(({ voice, turn }) =>
    voice === 'bo' && broken ? [{ type: 'fault', fault: fault('overloaded', 'busy') }] : says(`${voice} ${turn}`),
  )
  const board = await boardOf(three, { provider })
  await round(board, 'one')
  broken = false
  assert.equal(provider.requests.length, 3)
  const turns = must(await board.engine.resume(board.session))
  assert.equal(turns.length, 1)
  const events = await settled(board, all => all.filter(({ type }) => type === 'turn.ended').length === 4)
  const retried = last(events, 'turn.started')
  assert.equal(retried.voice, 'bo')
  assert.equal(retried.cause, 1)
  assert.equal(typeof retried.resumes, 'string')
  assert.deepEqual(linesOf(provider.requests[3] ?? ({ messages: [] } as never)).map(withoutStamps), ['user: one'])
  assert.equal(events.filter(({ type }) => type === 'message.received').length, 1, 'no second copy of the message')
  const nothing = await board.engine.resume(board.session)
  assert.equal(nothing.ok ? 'ok' : nothing.fault.kind, 'conflict')

  await round(board, 'two')
  const ada = provider.requests.filter(({ voice }) => voice === 'ada').at(-1)
  assert.match(
    JSON.stringify(ada?.messages),
    /Bo: bo 2\\n\\nCy: cy 1|Cy: cy 1\\n\\nBo: bo 2/,
    'the second try is what the others hear of',
  )
})

test('advisors answer each other for as many rounds as were allowed, each caused by the council', async () => {
  const provider = stand(({ voice, turn }) => says(`${voice} ${turn}`))
  const board = await boardOf(three, { provider })
  await round(board, 'one')
  must(await board.engine.exchange(board.session, 2))
  const events = await settled(board, all => all.filter(({ type }) => type === 'turn.ended').length === 9)
  const messages = events.filter(event => event.type === 'message.received')
  assert.deepEqual(
    messages.map(({ from, exchange }) => ({ from, exchange })),
    [
      { from: 'person', exchange: undefined },
      { from: 'council', exchange: { round: 1, of: 2 } },
      { from: 'council', exchange: { round: 2, of: 2 } },
    ],
  )
  const bo = provider.requests.filter(({ voice }) => voice === 'bo')
  assert.match(JSON.stringify(bo[2]?.messages), /Ada: ada 2/)
  assert.doesNotMatch(JSON.stringify(bo[2]?.messages), /Ada: ada 1/)
})

test('a person who speaks or stops ends an exchange', async () => {
  const hold = gate()
  const provider = stand(({ voice, turn }, signal) =>
    turn === 2 ? slowly(hold.passed, says(`${voice} ${turn}`), signal) : says(`${voice} ${turn}`),
  )
  const board = await boardOf(councilOf([advisor('ada'), advisor('bo')]), { provider })
  await round(board, 'one')
  must(await board.engine.exchange(board.session, 5))
  await until(
    board.engine,
    board.session,
    signal => isEvent(signal, 'context.planned') && signal.event.receipt.inputs.ordinal === 2,
  )
  must(await board.engine.cancel(board.session))
  const events = await settled(board, all => all.filter(({ type }) => type === 'turn.ended').length === 4)
  hold.open()
  assert.equal(events.filter(event => event.type === 'message.received').length, 2, 'no further round')
})

test('a synthesis is made when everybody has answered, of this round, with a receipt, and nobody hears it', async () => {
  const provider = stand(({ voice, turn }) =>
    voice === SYNTHESIS ? says('They differ. [Ada: "ada 1"; Bo: "never said"]') : says(`${voice} ${turn}`),
  )
  const board = await boardOf(councilOf([advisor('ada'), advisor('bo')], { synthesis: 'brief' }), { provider })
  const events = await round(board, 'one')
  const turn = events.find(event => event.type === 'turn.started' && event.voice === SYNTHESIS)
  assert.ok(turn?.type === 'turn.started')
  assert.equal(turn.cause, 1)
  const ends = events.filter(event => event.type === 'turn.ended' && event.voice !== SYNTHESIS)
  assert.ok(
    ends.every(({ seq }) => seq < turn.seq),
    'after all of them',
  )
  const request = provider.requests.find(({ voice }) => voice === SYNTHESIS)
  assert.ok(request)
  assert.deepEqual(linesOf(request), ['user: [This is what the advisors answered:\n\nAda: ada 1\n\nBo: bo 1]', 'user: one'])
  const sources = must(await board.engine.attribution(board.session, turn.turn))
  assert.deepEqual(
    sources.sentences.map(({ text, from, trouble }) => ({
      text,
      from: from.map(({ voice, quote }) => [voice, quote?.isLiteral]),
      trouble,
    })),
    [
      {
        text: 'They differ.',
        from: [
          ['ada', true],
          ['bo', false],
        ],
        trouble: 'not-literal',
      },
    ],
  )
  const sent = must(await board.engine.asSent(board.session, turn.turn))
  assert.equal(sent.verified, true)

  await round(board, 'two')
  const ada = provider.requests.filter(({ voice }) => voice === 'ada').at(-1)
  assert.doesNotMatch(JSON.stringify(ada), /They differ/)
})

test('a synthesis on request is of the last round, in the mode that was asked for; without an answer there is none', async () => {
  let broken = true
  const provider = stand(({ voice, turn }) =>
    broken ? [{ type: 'fault', fault: fault('rejected', 'no') }] : says(`${voice} ${turn}`),
  )
  const board = await boardOf(councilOf([advisor('ada'), advisor('bo')]), { provider })
  await round(board, 'one')
  const none = await board.engine.synthesize(board.session, 'memo')
  assert.equal(none.ok ? 'ok' : none.fault.kind, 'conflict')
  broken = false
  await round(board, 'two')
  must(await board.engine.synthesize(board.session, 'memo'))
  const events = await settled(board, all => all.filter(({ type }) => type === 'turn.ended').length === 5)
  assert.equal(last(events, 'turn.started').mode, 'memo')
  assert.match(provider.requests.at(-1)?.system ?? '', /Recommendation/)
})

test('a round is not over while the start of one of its turns is still on its way', async () => {
  const hold = gate()
  const provider = stand(({ voice, turn }) =>
    voice === 'bo' && turn === 1 ? slowly(hold.passed, says('bo 1')) : says(`${voice} ${turn}`),
  )
  const log = memoryLog({ clock: Date.now, weigh })
  let second = 0
  // The start is in the log, and before its writer knows, another turn ends: whoever looks then must not take the round for over.
  const slowLog: Log = {
    ...log,
    append: async (id, facts, options) => {
      const appended = await log.append(id, facts, options)
      if (second > 0 && facts.some(fact => fact.type === 'turn.started' && fact.voice === 'bo' && fact.cause === second)) {
        const word = must(await board.engine.say({ session: id, text: '@ada a word', from: 'person' }))
        await until(board.engine, id, signal => isEvent(signal, 'turn.ended') && signal.event.turn === word.turns[0])
        for (let turns = 0; turns < 20; turns += 1) await new Promise(resolve => setImmediate(resolve))
      }
      return appended
    },
  }
  const board = await boardOf(councilOf([advisor('ada'), advisor('bo')]), { provider, log: slowLog })
  must(await board.engine.say({ session: board.session, text: 'one', from: 'person' }))
  await until(board.engine, board.session, signal => isEvent(signal, 'turn.ended') && signal.event.voice === 'ada')
  const said = must(await board.engine.say({ session: board.session, text: 'two', from: 'person', synthesis: 'brief' }))
  second = said.seq
  await until(board.engine, board.session, signal => isEvent(signal, 'turn.ended') && signal.event.turn === said.turns[0])
  hold.open()
  await settled(board, all => all.filter(({ type }) => type === 'turn.ended').length === 6)
  const request = provider.requests.find(({ voice }) => voice === SYNTHESIS)
  assert.match(JSON.stringify(request?.messages), /Ada: ada 2\\n\\nBo: bo 2/)
})

test('an answer that a person excluded is in no synthesis', async () => {
  const provider = stand(({ voice, turn }) => says(`${voice} ${turn}`))
  const board = await boardOf(councilOf([advisor('ada'), advisor('bo')]), { provider })
  const events = await round(board, 'one')
  const bo = events.find(event => event.type === 'turn.started' && event.voice === 'bo')
  const answer = events.find(event => event.type === 'reply.finished' && bo?.type === 'turn.started' && event.turn === bo.turn)
  must(await board.engine.mark(board.session, answer?.seq ?? 0, 'exclude'))
  must(await board.engine.synthesize(board.session, 'brief'))
  await settled(board, all => all.filter(({ type }) => type === 'turn.ended').length === 3)
  const request = provider.requests.at(-1)
  assert.ok(request)
  assert.deepEqual(linesOf(request), ['user: [This is what the advisors answered:\n\nAda: ada 1]', 'user: one'])
})

test('a quote says what a round will take; a limit in dollars shortens its replies, or stops it before the first call', async () => {
  const provider = stand()
  const models = { demo: { price: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 } } }
  const board = await boardOf(councilOf([advisor('ada'), advisor('bo', { active: false }), advisor('cy')]), {
    provider,
    models,
    limits: { budgetUsdPerRound: 0.1 },
  })
  const quote = must(await board.engine.quote(board.session, 'What now?'))
  assert.deepEqual(
    quote.voices.map(({ voice, output, cached }) => ({ voice, output, cached })),
    [
      { voice: 'ada', output: quote.replyLimit, cached: 0 },
      { voice: 'cy', output: quote.replyLimit, cached: 0 },
    ],
  )
  assert.ok((quote.replyLimit ?? 0) > 4096 && (quote.replyLimit ?? 0) < 8000, 'two replies of 8,000 tokens would cost more')
  assert.ok((quote.total.mostUsd ?? 0) > 0.0999 && (quote.total.mostUsd ?? 1) <= 0.1)
  assert.equal(quote.refused, null)
  await round(board, 'What now?')
  assert.deepEqual(
    provider.requests.map(({ max_tokens }) => max_tokens),
    [quote.replyLimit, quote.replyLimit],
  )
  const later = must(await board.engine.quote(board.session, 'And then?'))
  assert.ok(later.total.cached > 0, 'the system text should be cached by now')
  assert.equal(provider.requests.length, 2)
  const dear = await board.engine.say({ session: board.session, text: 'And then?', from: 'person', to: ['ada', 'bo', 'cy'] })
  assert.equal(dear.ok ? 'ok' : dear.fault.kind, 'budget')
  assert.match(dear.ok ? '' : dear.fault.message, /could cost \$0\.1\d, and limits\.budgetUsdPerRound is \$0\.10/)
  assert.equal(provider.requests.length, 2, 'nothing was sent')
  assert.equal(
    (await eventsOf(board.engine, board.session)).filter(({ type }) => type === 'message.received').length,
    1,
    'nothing was kept',
  )
})

test('advisors are suggested by the model, in a session that is put away; an answer that is no good is refused politely', async () => {
  const good = JSON.stringify({
    advisors: [{ name: 'The Baker', description: 'You have sold bread for thirty years and know who comes back.' }],
  })
  let answer = good
  const provider = stand(() => says(answer))
  const { engine } = await boardOf(three, { provider })
  const suggestion = must(await engine.suggest('board', 'Should I open a second shop?'))
  assert.deepEqual(
    suggestion.advisors.map(({ name }) => name),
    ['The Baker'],
  )
  const session = must(await engine.session(suggestion.session))
  assert.equal(session.archived, true)
  assert.match(provider.requests[0]?.system ?? '', /"Ada"/, 'who is there already')
  answer = 'I would rather not.'
  const refused = await engine.suggest('board', 'Should I open a second shop?')
  assert.equal(refused.ok ? 'ok' : refused.fault.kind, 'garbled')
  assert.equal(provider.requests.length, 2)
})

test('a council that is changed while it is used keeps what was said: names change, ids stay, who is gone is still quoted once', async () => {
  const provider = stand()
  const board = await boardOf(three, { provider })
  await round(board, 'one')
  board.seats.council = councilOf([advisor('ada', { name: 'Ada Renamed' }), advisor('cy'), advisor('dee')])
  await round(board, 'two')
  const of = (who: string) => provider.requests.filter(({ voice }) => voice === who).at(-1)
  const cy = of('cy')
  assert.ok(cy)
  assert.match(JSON.stringify(linesOf(cy)), /Ada Renamed: ada says 1\.\\n\\nBo: bo says 1\./)
  const dee = of('dee')
  assert.ok(dee)
  assert.deepEqual(
    linesOf(dee).map(withoutStamps),
    ['user: one', 'user: two'],
    'who joins late hears the person, and nobody else',
  )
  await round(board, 'three')
  assert.doesNotMatch(JSON.stringify(of('cy')?.messages), /Bo: /, 'one round later nothing is left of who went')
})

test('after a crash those who had answered are not asked again, those who had not go on, and what waits is answered', async () => {
  const log = memoryLog({ clock: Date.now, weigh })
  const never = gate()
  const first = await boardOf(three, {
    log,
    provider: stand(({ voice, turn }) => (voice === 'bo' ? slowly(never.passed, says('late')) : says(`${voice} ${turn}`))),
  })
  must(await first.engine.say({ session: first.session, text: 'one', from: 'person' }))
  for (const voice of ['ada', 'cy'])
    await until(first.engine, first.session, signal => isEvent(signal, 'turn.ended') && signal.event.voice === voice)
  must(await first.engine.say({ session: first.session, text: 'two', from: 'person', to: ['bo'] }))
  // As after a crash: the same log, another engine.
  const provider = stand(({ voice, turn }) => says(`${voice} again ${turn}`))
  const engine = engineWith({ log, provider, councils: () => [three] })
  must(await engine.recover())
  const events = await settled(
    { engine, session: first.session },
    all => all.filter(event => event.type === 'turn.ended' && event.voice === 'bo').length === 2,
  )
  never.open()
  assert.deepEqual(
    provider.requests.map(({ voice, messages }) => [voice, JSON.stringify(messages).includes('two')]),
    [
      ['bo', false],
      ['bo', true],
    ],
  )
  const ends = events.flatMap(event => (event.type === 'turn.ended' ? [`${event.voice} ${event.reason}`] : []))
  assert.deepEqual(ends.sort(), ['ada done', 'bo done', 'bo done', 'cy done'])
})

test('a session may be given to a council and back, but not while something is being answered', async () => {
  const hold = gate()
  const provider = stand(({ voice, turn }) => (turn === 2 ? slowly(hold.passed, says('late')) : says(`${voice} ${turn}`)))
  const board = await boardOf(three, { provider, agents: () => [{ key: 'guide', name: 'Guide', prompt: 'Guide.' }] })
  const { engine, session } = board
  await round(board, 'one')
  const agent = must(await engine.change(session, { agent: 'guide' }))
  assert.deepEqual([agent.agent, agent.council, agent.policy], ['guide', null, 'steady'])
  const back = must(await engine.change(session, { council: 'board', policy: 'recent' }))
  assert.deepEqual([back.agent, back.council, back.policy], [null, 'board', 'recent'])
  must(await engine.say({ session, text: 'two', from: 'person' }))
  const busy = await engine.change(session, { agent: 'guide' })
  assert.equal(busy.ok ? 'ok' : busy.fault.kind, 'conflict')
  const both = await engine.change(session, { agent: 'guide', council: 'board' })
  assert.equal(both.ok ? 'ok' : both.fault.kind, 'invalid')
  must(await engine.change(session, { title: 'Still mine to name' }))
  hold.open()
  await settled(board, all => all.filter(({ type }) => type === 'turn.ended').length === 6)
})

async function* slowly(passed: Promise<void>, deltas: readonly Delta[], signal?: AbortSignal): AsyncGenerator<Delta> {
  await Promise.race([passed, new Promise<void>(resolve => signal?.addEventListener('abort', () => resolve()))])
  yield* deltas
}
