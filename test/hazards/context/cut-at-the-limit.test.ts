// A reply that reached its limit: it says so, it can be gone on with, and what comes of it is one text.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Engine, memoryLog, weigh } from '../../../src/index.ts'
import type { Recorded } from '../../../src/model/event.ts'
import type { SessionId, TurnId } from '../../../src/model/ids.ts'
import type { Delta } from '../../../src/model/message/delta.ts'
import { isReply } from '../../../src/model/message/spoken.ts'
import { spokenText } from '../../../src/model/turn-view/join-cuts.ts'
import type { DemoRequest } from '../../../src/provider/demo/wire.ts'
import { calls, says, scriptedProvider } from '../../../src/testing/scripted.ts'
import { toolbox } from '../../../src/tool/toolbox.ts'
import { advisor, boardOf, councilOf, linesOf, round, settled, stand } from '../../support/council.ts'
import { ask, engineWith, eventsOf, gate, isEvent, last, openSession, until } from '../../support/engine.ts'

const cut = (...pieces: readonly string[]): readonly Delta[] => [
  ...pieces.map(text => ({ type: 'text', text }) as const),
  { type: 'done', stop: 'length' },
]
const onlyThought: readonly Delta[] = [
  { type: 'think', text: 'Hm, hm, hm.' },
  { type: 'done', stop: 'length' },
]

/** Resumes what there is to resume, and waits until that is over. */
async function resume(engine: Engine, session: SessionId): Promise<readonly Recorded[]> {
  const resumed = await engine.resume(session)
  assert.ok(resumed.ok, resumed.ok ? '' : resumed.fault.message)
  const [turn] = resumed.value
  await until(engine, session, signal => isEvent(signal, 'turn.ended') && signal.event.turn === turn)
  return eventsOf(engine, session)
}

const requestsOf = ({ requests }: { readonly requests: readonly { readonly body: string }[] }): readonly DemoRequest[] =>
  requests.map(({ body }) => JSON.parse(body) as DemoRequest)

async function verified(engine: Engine, session: SessionId): Promise<void> {
  for await (const { verdict, detail } of engine.verify(session)) assert.equal(verdict, 'identical', detail ?? '')
}

test('an answer that was cut at its limit is gone on with where it stopped, and later turns see one answer', async () => {
  const provider = scriptedProvider([cut('The quick bro'), says('wn fox.'), says('A fox.')])
  const engine = engineWith({ provider })
  const session = await openSession(engine)
  const events = await ask(engine, session, 'Who jumps?')
  assert.equal(last(events, 'reply.finished').stop, 'length')
  assert.equal(last(events, 'turn.ended').reason, 'done')

  const after = await resume(engine, session)
  const started = last(after, 'turn.started')
  assert.equal(started.continues, true)
  assert.equal(started.resumes, last(events, 'turn.started').turn)
  assert.equal(last(after, 'reply.finished').step, 2, 'steps are counted on')
  assert.equal(spokenText(after.filter(isReply)), 'The quick brown fox.')
  const continuing = requestsOf(provider)[1]
  assert.ok(continuing)
  assert.match(linesOf(continuing).join('\n'), /\$respond: The quick bro\|\[You were cut off at the very end/)

  await ask(engine, session, 'Who was it?')
  const later = requestsOf(provider)[2]
  assert.ok(later)
  assert.deepEqual(linesOf(later), ['user: Who jumps?', 'assistant: The quick brown fox.', 'user: Who was it?'])
  const known = await engine.session(session)
  assert.equal(known.ok && known.value.messages, 4, 'two questions, two answers')
  await verified(engine, session)
  const nothing = await engine.resume(session)
  assert.equal(nothing.ok ? 'ok' : nothing.fault.kind, 'conflict')
  await engine.close(0)
})

test('an answer may be cut again and again, also after calls, and stays one answer', async () => {
  const look = {
    spec: { name: 'look', description: 'Looks', parameters: { type: 'object' } },
    run: async () => ({ ok: true, outcome: 'found' }),
  }
  const provider = scriptedProvider([calls('look', {}), cut('One, '), cut('two, '), says('three.'), says('Three.')])
  const engine = engineWith({ provider, toolbox: toolbox([look]) })
  const session = await openSession(engine)
  await ask(engine, session, 'Count.')
  await resume(engine, session)
  const events = await resume(engine, session)
  assert.deepEqual(
    events.filter(isReply).map(({ step }) => step),
    [1, 2, 3, 4],
  )
  assert.equal(spokenText(events.filter(isReply)), 'One, two, three.')
  await ask(engine, session, 'How far?')
  const later = requestsOf(provider)[4]
  assert.ok(later)
  assert.deepEqual(
    linesOf(later).filter(line => line.startsWith('assistant')),
    ['assistant: ', 'assistant: One, two, three.'],
  )
  const known = await engine.session(session)
  assert.equal(known.ok && known.value.messages, 4)
  await verified(engine, session)
  await engine.close(0)
})

test('where going on fails, the answer is still there and can be gone on with again', async () => {
  const broken: readonly Delta[] = [{ type: 'fault', fault: { kind: 'unauthorized', message: 'no', retryable: false } }]
  const provider = scriptedProvider([cut('The quick bro'), broken, says('wn fox.')])
  const engine = engineWith({ provider })
  const session = await openSession(engine)
  await ask(engine, session, 'Who jumps?')
  assert.equal(last(await resume(engine, session), 'turn.ended').reason, 'failed')
  const events = await resume(engine, session)
  assert.equal(last(events, 'turn.started').continues, true)
  assert.equal(spokenText(events.filter(event => event.type === 'reply.finished')), 'The quick brown fox.')
  await verified(engine, session)
  await engine.close(0)
})

test('an answer without a word is asked for again', async () => {
  const provider = scriptedProvider([onlyThought, says('Here.')])
  const engine = engineWith({ provider })
  const session = await openSession(engine)
  await ask(engine, session, 'Are you there?')
  const events = await resume(engine, session)
  assert.equal(last(events, 'turn.started').continues, undefined)
  assert.equal(spokenText(events.filter(isReply)), 'Here.')
  await verified(engine, session)
  await engine.close(0)
})

test('a newer message is answered, whatever older answer was cut: asking it again in a fork continues nothing', async () => {
  const provider = scriptedProvider([cut('The quick bro'), says('Second.'), says('Second, again.')])
  const engine = engineWith({ provider })
  const session = await openSession(engine)
  await ask(engine, session, 'First?')
  const events = await ask(engine, session, 'Second?')
  const { seq } = last(events, 'message.received')
  const fork = await engine.fork(session, seq, seq)
  assert.ok(fork.ok)
  const after = await resume(engine, fork.value.id)
  const started = last(after, 'turn.started')
  assert.deepEqual([started.cause, started.resumes, started.continues], [seq, undefined, undefined])
  const request = requestsOf(provider)[2]
  assert.ok(request)
  assert.deepEqual(linesOf(request), ['user: First?', 'assistant: The quick bro', 'user: Second?'])
  await engine.close(0)
})

test('what is said while an answer is continued has a turn of its own', async () => {
  const hold = gate()
  const provider = scriptedProvider([
    cut('The quick bro'),
    async function* () {
      await hold.passed
      yield* says('wn fox.')
    },
    says('Second.'),
  ])
  const inner = memoryLog({ clock: Date.now, weigh })
  const reading = gate()
  let isHeld = false
  // The past of the continuing request is read only after the second message is in the log.
  const log: typeof inner = {
    ...inner,
    past: async (id, want) => {
      if (isHeld) await reading.passed
      return inner.past(id, want)
    },
  }
  const engine = engineWith({ provider, log, limits: { historyMs: 60_000 } })
  const session = await openSession(engine)
  await ask(engine, session, 'First?')
  isHeld = true
  const resumed = await engine.resume(session)
  assert.ok(resumed.ok)
  const said = await engine.say({ session, text: 'Second?', from: 'person' })
  assert.ok(said.ok)
  isHeld = false
  reading.open()
  hold.open()
  const { seq } = said.value
  await until(
    engine,
    session,
    signal => isEvent(signal, 'turn.ended') && signal.event.turn !== resumed.value[0] && signal.event.seq > seq,
  )
  const [, continuing, second] = requestsOf(provider)
  assert.ok(continuing && second)
  assert.doesNotMatch(linesOf(continuing).join(), /Second/)
  assert.deepEqual(linesOf(second), ['user: First?', 'assistant: The quick brown fox.', 'user: Second?'])
  await verified(engine, session)
  await engine.close(0)
})

test('an answer whose last step only thought until its limit goes on after its steps, also twice', async () => {
  const look = {
    spec: { name: 'look', description: 'Looks', parameters: { type: 'object' } },
    run: async () => ({ ok: true, outcome: 'found' }),
  }
  const looks: readonly Delta[] = [{ type: 'text', text: 'Let me look.' }, ...calls('look', {})]
  const provider = scriptedProvider([looks, onlyThought, cut('The quick bro'), onlyThought, says('wn fox.'), says('Yes.')])
  const engine = engineWith({ provider, toolbox: toolbox([look]) })
  const session = await openSession(engine)
  await ask(engine, session, 'Who jumps?')
  for (let times = 0; times < 3; times += 1) await resume(engine, session)
  const events = await eventsOf(engine, session)
  assert.deepEqual(
    events.filter(isReply).map(({ step }) => step),
    [1, 2, 3, 4, 5],
  )
  await ask(engine, session, 'Really?')
  const later = requestsOf(provider)[5]
  assert.ok(later)
  assert.deepEqual(
    linesOf(later).filter(line => line.startsWith('assistant')),
    ['assistant: Let me look.', 'assistant: The quick brown fox.'],
  )
  await verified(engine, session)
  await engine.close(0)
})

test('words that are said again are taken away, also after a try that failed', async () => {
  const broken: readonly Delta[] = [{ type: 'fault', fault: { kind: 'unauthorized', message: 'no', retryable: false } }]
  const provider = scriptedProvider([cut('The quick brown fox jumps ov'), broken, says('brown fox jumps over it.')])
  const engine = engineWith({ provider })
  const session = await openSession(engine)
  await ask(engine, session, 'Who jumps?')
  await resume(engine, session)
  const events = await resume(engine, session)
  assert.equal(spokenText(events.filter(event => event.type === 'reply.finished')), 'The quick brown fox jumps over it.')
  await engine.close(0)
})

test('a process that dies before it has asked goes on with the same text at its next start', async () => {
  const log = memoryLog({ clock: Date.now, weigh })
  const first = engineWith({ log, provider: scriptedProvider([cut('The quick bro')]) })
  const session = await openSession(first)
  const events = await ask(first, session, 'Who jumps?')
  // As a process leaves it that was killed right after the turn's start.
  const appended = await log.append(session, [
    {
      type: 'turn.started',
      turn: 'trn_next' as TurnId,
      voice: 'assistant',
      cause: 1,
      resumes: last(events, 'turn.started').turn,
      continues: true,
    },
  ])
  assert.ok(appended.ok)
  const engine = engineWith({ log, provider: scriptedProvider([says('wn fox.')]) })
  await engine.recover()
  await until(engine, session, signal => isEvent(signal, 'turn.ended') && signal.event.turn === 'trn_next')
  assert.equal(spokenText((await eventsOf(engine, session)).filter(isReply)), 'The quick brown fox.')
  await verified(engine, session)
  await engine.close(0)
})

test('a synthesis reads an advisor’s answer whole, also where it was gone on with', async () => {
  let asked = 0
  const provider = stand(({ voice }) => {
    if (voice !== 'ada') return says(`${voice} agrees.`)
    asked += 1
    return asked === 1 ? cut('Ada says, ') : says('at length.')
  })
  const board = await boardOf(councilOf([advisor('ada'), advisor('bo')]), { provider })
  await round(board, 'What now?')
  const resumed = await board.engine.resume(board.session)
  assert.ok(resumed.ok)
  assert.equal(resumed.value.length, 1, 'only the one that was cut')
  await settled(board, events => events.filter(({ type }) => type === 'turn.ended').length === 3)
  const synthesis = await board.engine.synthesize(board.session, 'brief')
  assert.ok(synthesis.ok)
  await settled(board, events => events.filter(({ type }) => type === 'turn.ended').length === 4)
  const request = provider.requests.at(-1)
  assert.ok(request)
  assert.match(linesOf(request).join('\n'), /Ada: Ada says, at length\.\]/)
  await verified(board.engine, board.session)
  await board.engine.close(0)
})
