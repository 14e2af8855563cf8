// A process dies at any event of a fold: never half a fold, never two for one stretch, and the answers are there.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Engine, memoryLog, weigh } from '../../src/index.ts'
import type { Log } from '../../src/log/ports.ts'
import type { Recorded } from '../../src/model/event.ts'
import { fault } from '../../src/model/fault.ts'
import type { SessionId } from '../../src/model/ids.ts'
import { err } from '../../src/model/result.ts'
import { FOLD, isInternalVoice } from '../../src/model/settings/council.ts'
import { type Stand, stand } from '../support/council.ts'
import { engineWith, eventsOf, gate, isEvent, until } from '../support/engine.ts'
import { answer, folding, isForFold, isWhole, must, numberIn, question, SUMMARY, verifies } from '../support/folding.ts'

const EXCHANGES = 11
const DEAD = err(fault('store', 'the process is dead'))

/** Where a process dies: before or after an append, by its number, or at a piece of the reply to a request for a fold. */
type Death = { readonly at: 'before' | 'after'; readonly append: number } | { readonly at: 'piece'; readonly piece: number }

/** The same log until the process dies; from then on nothing reaches it, and nothing comes back. */
function mortal(
  log: Log,
  death: Death | undefined,
): { readonly log: Log; readonly died: Promise<void>; readonly die: () => void; readonly appended: () => number } {
  const { passed, open } = gate()
  let isDead = false
  let appends = 0
  const die = (): void => {
    isDead = true
    open()
  }
  const append: Log['append'] = async (...given) => {
    if (isDead) return DEAD
    appends += 1
    const isLast = death !== undefined && 'append' in death && appends === death.append
    if (isLast && death.at === 'before') die()
    if (isDead) return DEAD
    const appended = await log.append(...given)
    if (isLast) die()
    return isDead ? DEAD : appended
  }
  const guarded = new Proxy({ ...log, append } as Log, {
    get: (target, name) => {
      const found = target[name as keyof Log] as unknown
      if (typeof found !== 'function' || name === 'close') return name === 'close' ? async () => {} : found
      return async (...given: unknown[]) => (isDead ? DEAD : await (found as (...all: unknown[]) => unknown)(...given))
    },
  })
  return { log: guarded, died: passed, die, appended: () => appends }
}

const provider = (onPiece: (piece: number) => Promise<void>): Stand =>
  stand(async function* (request) {
    if (!isForFold(request)) {
      yield { type: 'text', text: answer(numberIn(request)) }
      yield { type: 'done' }
      return
    }
    for (const [index, text] of SUMMARY.split(/(?<= )/).entries()) {
      await onPiece(index)
      yield { type: 'text', text }
    }
    yield { type: 'done' }
  })

const opened = (log: Log, by: 'model' | 'extract', speaks: Stand): Engine =>
  engineWith({
    log,
    provider: speaks,
    policies: [folding({ fold: { by, tokens: 'auto' } })],
    policy: 'folding',
    vectorsFile: null,
  })

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(resolve => setImmediate(resolve))
}

/** Says everything, each message under its key, and waits for each answer. */
async function talkOn(engine: Engine, session: SessionId): Promise<void> {
  for (let n = 1; n <= EXCHANGES; n += 1) {
    const { seq } = must(await engine.say({ session, text: question(n), from: 'person', key: `exchange ${n}` }))
    const answering = new Set<string>()
    await until(engine, session, signal => {
      if (isEvent(signal, 'turn.started') && signal.event.cause === seq && !isInternalVoice(signal.event.voice))
        answering.add(signal.event.turn)
      return isEvent(signal, 'turn.ended') && answering.has(signal.event.turn) && signal.event.reason === 'done'
    })
    await settle()
  }
}

type Lives = { readonly events: readonly Recorded[]; readonly appends: number; readonly folds: number }

/** One life that ends as it is told, and a second one that goes on. */
async function lives(by: 'model' | 'extract', death?: Death): Promise<Lives> {
  const log = memoryLog({ clock: Date.now, weigh })
  const first = mortal(log, death)
  const engine = opened(
    first.log,
    by,
    provider(async piece => {
      if (death?.at === 'piece' && death.piece === piece) first.die()
    }),
  )
  const session = must(await engine.open({})).id
  await Promise.race([talkOn(engine, session).catch(() => undefined), first.died])
  const appends = first.appended()
  first.die()
  await engine.close(0)

  const second = opened(
    log,
    by,
    provider(async () => {}),
  )
  must(await second.recover())
  await talkOn(second, session)
  await settle()
  const events = await eventsOf(second, session)
  const open = events.filter(event => event.type === 'turn.started' && event.voice === FOLD)
  for (const start of open)
    if (start.type === 'turn.started')
      await until(second, session, signal => isEvent(signal, 'turn.ended') && signal.event.turn === start.turn)
  await verifies({ engine: second, session })
  const all = await eventsOf(second, session)
  await second.close()
  return { events: all, appends, folds: all.filter(({ type }) => type === 'history.folded').length }
}

function check(events: readonly Recorded[], where: string): void {
  isWhole(events)
  const messages = events.filter(event => event.type === 'message.received')
  assert.deepEqual(
    messages.map(event => (event.type === 'message.received' ? event.text : '')),
    Array.from({ length: EXCHANGES }, (_, index) => question(index + 1)),
    where,
  )
  // Every question is answered once; a turn that was cut may have gone on.
  for (const { seq } of messages) {
    const turns = events.flatMap(event =>
      event.type === 'turn.started' && event.cause === seq && !isInternalVoice(event.voice) ? [event.turn] : [],
    )
    const done = events.filter(event => event.type === 'turn.ended' && turns.includes(event.turn) && event.reason === 'done')
    assert.equal(done.length, 1, `${where}: message ${seq} is answered once`)
  }
  const folds = events.filter((event): event is Extract<Recorded, { type: 'history.folded' }> => event.type === 'history.folded')
  for (const [index, fold] of folds.entries()) {
    const others = folds.slice(index + 1).filter(other => other.replaces === undefined)
    assert.ok(!others.some(other => other.from <= fold.to && fold.from <= other.to), `${where}: one fold for each stretch`)
    if (fold.turn === undefined) continue
    const own = events.filter(event => 'turn' in event && event.turn === fold.turn).map(({ type }) => type)
    assert.deepEqual(own.slice(-3), ['reply.finished', 'history.folded', 'turn.ended'], `${where}: a whole fold`)
  }
  // A turn that folds and was not done has left no fold.
  for (const event of events)
    if (event.type === 'turn.ended' && event.voice === FOLD)
      assert.equal(
        event.reason === 'done',
        folds.some(({ turn }) => turn === event.turn),
        where,
      )
}

for (const by of ['model', 'extract'] as const)
  test(`by ${by}: whatever event of a fold a process dies at, the next one has whole folds and all answers`, async () => {
    const whole = await lives(by)
    check(whole.events, 'without a death')
    assert.ok(whole.folds > 0)
    // The first fold is made in the second half.
    const numbers = Array.from({ length: whole.appends }, (_, index) => index + 1).slice(Math.floor(whole.appends * 0.6))
    const deaths: readonly Death[] = [
      // Literal sentences are one append: half of the places are enough.
      ...numbers.flatMap((append): Death[] =>
        by === 'extract' && append % 2 === 1
          ? []
          : [
              { at: 'before', append },
              { at: 'after', append },
            ],
      ),
      ...(by === 'extract' ? [] : [0, 1, 5].map((piece): Death => ({ at: 'piece', piece }))),
    ]
    let folded = 0
    for (const death of deaths) {
      const { events, folds } = await lives(by, death)
      check(events, JSON.stringify(death))
      if (folds > 0) folded += 1
    }
    // Only a death after the last answer can leave nothing that brings the next look.
    assert.ok(folded >= deaths.length - 6, `${folded} of ${deaths.length}`)
  })
