import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EndReason } from '../../../src/model/event.ts'
import type { Session } from '../../../src/model/session.ts'
import { lastWords, nextSentences } from '../../../web/src/store/announce.ts'
import { createCell } from '../../../web/src/store/cell.ts'
import { createReadAlong } from '../../../web/src/store/read-along.ts'
import { FIRST_STATE, type State } from '../../../web/src/store/state.ts'
import { type AutomaticTitles, createAutomaticTitles } from '../../../web/src/store/titles.ts'
import { reduce } from '../../../web/src/view/reduce.ts'
import type { PageSignal } from '../../../web/src/wire/signal.ts'
import { delta, ended, event, finished, planned, said, started, TURN } from '../signals.ts'
import { mapLocalStore, session, settled } from '../world.ts'

describe('sentences', () => {
  const next = (text: string, upTo = 0): ReturnType<typeof nextSentences> => nextSentences(text, { upTo })

  test('only whole ones are given, and each once', () => {
    assert.equal(next('It is'), null)
    assert.equal(next('It costs 3.'), null, 'more digits may follow')
    assert.deepEqual(next('It is late. And'), { said: 'It is late.', upTo: 11 })
    assert.deepEqual(next('It is late. And dark. But', 11), { said: 'And dark.', upTo: 21 })
    assert.equal(next('It is late. And', 11), null)
    assert.equal(next('“Go!” he said. So')?.said, '“Go!” he said.')
    assert.equal(next('これは本です。次')?.said, 'これは本です。')
  })

  test('lines end them too, and signs of markup are not read', () => {
    assert.equal(next('# Plan\n- **one**\n- two')?.said, 'Plan one')
    assert.equal(next('Look:\n```js\nlet a = 1.\n```\nSo it is. ')?.said, 'Look: Code. So it is.')
  })

  test('one breath is bounded, and the rest of it is passed over', () => {
    const long = `${'word '.repeat(200)}end. `
    const found = next(long)
    assert.ok(found !== null && found.said.length <= 402 && found.said.endsWith(' …'))
    assert.equal(found.upTo, long.trimEnd().length)
    assert.equal(lastWords('It is late. And dark', { upTo: 11 }), 'And dark')
  })
})

/** A page that hears signals and a clock that is set by hand. */
function listening(isWanted = true): {
  hear: (...signals: PageSignal[]) => void
  at: (ms: number) => void
  told: () => string
  get: () => State
} {
  const cell = createCell<State>({ ...FIRST_STATE, names: { assistant: 'Assistant' }, session: 'ses_1' })
  let now = 0
  const along = createReadAlong({ cell, isWanted: () => isWanted, now: () => now })
  return {
    hear: (...signals) => {
      for (const signal of signals) {
        cell.set({ view: reduce(cell.get().view, signal) })
        if (signal.type === 'delta') along.delta?.(signal.delta)
        if (signal.type === 'event' && signal.event.type === 'turn.ended') along.turnEnded?.('ses_1', signal.event, true)
      }
    },
    at: ms => {
      now = ms
    },
    told: () => cell.get().announcement,
    get: cell.get,
  }
}

describe('reading along', () => {
  const begin = [said(1, 'hi'), started(2), planned(3)]

  test('sentences are told while they come, with time between them, and the end at the end', () => {
    const { hear, at, told } = listening()
    hear(...begin, delta('One is here. Two', 0))
    assert.equal(told(), 'One is here.')
    at(1000)
    hear(delta(' is here. Three is here. ', 16))
    assert.equal(told(), 'One is here.', 'too soon')
    at(5000)
    hear(delta('Four', 41))
    assert.equal(told(), 'Two is here. Three is here.')
    hear(finished(4, [{ type: 'text', text: 'One is here. Two is here. Three is here. Four is here.' }]), ended(5))
    assert.equal(told(), 'Four is here. Assistant has finished.')
  })

  test('one that was stopped says so', () => {
    const { hear, told } = listening()
    hear(
      ...begin,
      delta('One is here. Two', 0),
      event(4, { type: 'turn.ended', turn: TURN, voice: 'assistant', reason: 'cancelled' }),
    )
    assert.match(told(), /^Two Stopped\.$/)
  })

  test('whoever does not want that, and a council, is told at the end alone', () => {
    const off = listening(false)
    off.hear(...begin, delta('One is here. Two', 0))
    assert.equal(off.told(), '')
    off.hear(finished(4, [{ type: 'text', text: 'One is here.' }]), ended(5))
    assert.equal(off.told(), 'Assistant replied: One is here.')

    const board = listening()
    board.hear(...begin, started(4, 'trn_2' as typeof TURN, 'other'), delta('One is here. Two', 0))
    assert.equal(board.told(), '')
  })
})

describe('a title', () => {
  type Told = {
    readonly more?: Partial<Session>
    readonly wanted?: boolean
    readonly later?: readonly PageSignal[]
    readonly reason?: EndReason
    readonly words?: string
  }

  /** How often it was asked for in two tabs of one browser, of which one says the first message, and in another browser. */
  async function asked({ more = {}, wanted = true, later = [], reason = 'done', words = 'hello' }: Told = {}): Promise<number> {
    let times = 0
    let state: State = { ...FIRST_STATE, session: 'ses_1', about: session('ses_1', more) }
    const client = {
      entitle: async () => {
        times += 1
        return { ok: true, value: null } as const
      },
    }
    const localStore = mapLocalStore()
    const tab = (own = localStore): AutomaticTitles =>
      createAutomaticTitles({ get: () => state, isWanted: async () => wanted, client, localStore: own })
    const [first, second, elsewhere] = [tab(), tab(), tab(mapLocalStore())]
    first.saying('ses_1')
    const end = event(5, { type: 'turn.ended', turn: TURN, voice: 'assistant', reason })
    for (const signal of [said(1, 'hi'), started(2), planned(3), finished(4, [{ type: 'text', text: words }]), end, ...later])
      state = { ...state, view: reduce(state.view, signal) }
    if (end.type === 'event' && end.event.type === 'turn.ended')
      for (const { turnEnded } of [elsewhere, second, first]) turnEnded?.('ses_1', end.event, true)
    await settled()
    return times
  }

  test('is asked for once, after the first exchange, by the browser that began', async () => assert.equal(await asked(), 1))
  test('is not looked for where somebody gave one', async () => assert.equal(await asked({ more: { title: 'Mine' } }), 0))
  test('nor for a fork', async () => assert.equal(await asked({ more: { parent: { session: session('ses_0').id, at: 3 } } }), 0))
  test('nor where nothing was said in words', async () => assert.equal(await asked({ words: ' ' }), 0))
  test('nor later on', async () => assert.equal(await asked({ later: [said(6, 'more')] }), 0))
  test('nor while somebody speaks', async () => assert.equal(await asked({ later: [started(6, 'trn_2' as typeof TURN)] }), 0))
  test('nor where it failed, or is not wanted', async () => {
    assert.equal(await asked({ reason: 'failed' }), 0)
    assert.equal(await asked({ wanted: false }), 0)
  })
})
