import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Council } from '../../../src/model/settings/council.ts'
import { addressedIn, namingAt } from '../../../web/src/composer/choice/addressing.ts'
import { suggestedAt } from '../../../web/src/composer/choice/suggest.ts'
import { NO_CHOICES, orderIn, PAGE_COMMANDS, whyNot } from '../../../web/src/store/commands.ts'
import { FIRST_STATE, type State } from '../../../web/src/store/state.ts'
import { started } from '../signals.ts'
import { chat, DOWN, session, settled, world } from '../world.ts'

const advisor = (id: string, name: string, active = true): Council['advisors'][number] => ({
  id,
  name,
  description: '',
  color: '#123456',
  active,
})

const BOARD: Council = {
  key: 'board',
  name: 'Board',
  advisors: [advisor('ada', 'Ada'), advisor('seth', 'Seth'), advisor('sceptic', 'The Sceptic', false)],
  references: 'none',
  early: { turns: 0 },
}

describe('orders', () => {
  test('a known word after a slash is one, anything else is a message', () => {
    assert.equal(orderIn('/resume')?.command.name, 'resume')
    assert.equal(orderIn('  /stop ')?.command.name, 'stop')
    assert.equal(orderIn('/rename  A trip ')?.argument, 'A trip')
    for (const text of ['/etc/hosts', '/resume the story', 'please /stop', '/unknown', '/', '/rename a\nb', '//stop'])
      assert.equal(orderIn(text), null, text)
  })

  test('what needs a word says which', () => {
    const order = orderIn('/policy')
    assert.ok(order !== null)
    assert.equal(whyNot(order), 'Write /policy and then the name of a policy.')
    const whole = orderIn('/policy full')
    assert.ok(whole !== null)
    assert.equal(whyNot(whole), null)
  })

  test('every one does what it says', async () => {
    const { store, calls, answers, addresses, followed } = world()
    answers.set('change', () => ({ ok: true, value: session('ses_1') }))
    const give = async (text: string): Promise<void> => {
      store.write(text)
      await store.send()
      assert.equal(store.get().draft, '', `${text} is gone from the field`)
    }
    store.visit(chat('ses_1'))
    await give('/policy full')
    await give('/model demo')
    await give('/agent assistant')
    assert.deepEqual(
      calls.filter(([name]) => name === 'change').map(([, , changes]) => changes),
      [{ policy: 'full' }, { model: 'demo' }, { agent: 'assistant' }],
    )
    await give('/resume')
    assert.ok(calls.some(([name]) => name === 'resume'))
    followed[0]?.onSignals([started(1)])
    await settled()
    await give('/stop')
    assert.ok(calls.some(([name]) => name === 'cancel'))
    await give('/new')
    assert.deepEqual(addresses, [null])
    assert.equal(calls.filter(([name]) => name === 'say').length, 0)
    store.write('/help')
    await store.send()
    assert.equal(store.get().draft, '/')
  })

  test('where one has nothing to do it says so, and one that is not whole stays', async () => {
    const { store } = world()
    store.visit(chat(null))
    store.write('/stop')
    await store.send()
    assert.equal(store.get().problem?.title, '/stop has nothing to do here')
    store.write('/model')
    await store.send()
    assert.equal(store.get().draft, '/model')
    assert.equal(store.get().problem?.title, 'Write /model and then the name of a model.')
  })

  test('before there is a session they are kept for it; another who loses the wished policy', async () => {
    const { store, calls } = world()
    store.visit(chat(null))
    await store.arrange({ model: 'demo' })
    await store.arrange({ policy: 'full' })
    await store.arrange({ thinking: false })
    assert.deepEqual(store.get().wish, { model: 'demo', policy: 'full', thinking: false })
    await store.arrange({ council: 'board' })
    assert.deepEqual(store.get().wish, { model: 'demo', thinking: false })
    await store.arrange({ model: null })
    await store.arrange({ thinking: null })
    store.write('hello')
    await store.send()
    assert.deepEqual(
      calls.find(([name]) => name === 'create'),
      ['create', { council: 'board' }, null, {}],
    )
  })

  test('a change that is refused is told, one that holds is shown', async () => {
    const { store, answers } = world()
    answers.set('show', () => ({ ok: true, value: session('ses_1') }))
    answers.set('change', () => ({ ok: true, value: session('ses_1', { policy: 'full', model: 'x' }) }))
    store.visit(chat('ses_1'))
    await store.arrange({ policy: 'full' })
    assert.equal(store.get().about?.policy, 'full')
    assert.equal(store.get().about?.model, 'x')
    answers.set('change', () => ({ ok: false, problem: DOWN }))
    await store.arrange({ policy: 'no such' })
    assert.equal(store.get().problem, DOWN)
  })

  test('no two share a name', () => {
    assert.equal(new Set(PAGE_COMMANDS.map(({ name }) => name)).size, PAGE_COMMANDS.length)
  })
})

describe('suggestions', () => {
  const state: State = { ...FIRST_STATE, session: 'ses_1' }
  const choices = {
    ...NO_CHOICES,
    policy: [
      { value: 'full', words: 'full' },
      { value: 'recent', words: 'recent' },
    ],
  }
  const at = (text: string, caret = text.length, council: Council | null = BOARD): readonly string[] =>
    suggestedAt(text, caret, { state, council: council ?? undefined, choices })?.items.map(({ text: meant }) => meant) ?? []

  test('after an @ come the advisors of the council, and everybody', () => {
    assert.deepEqual(at('@'), ['@Ada ', '@Seth ', '@sceptic ', '@all '])
    assert.deepEqual(at('and @s'), ['@Seth ', '@sceptic '])
    assert.deepEqual(at('@al'), ['@all '])
    assert.deepEqual(at('@nobody'), [])
    assert.deepEqual(at('me@a'), [], 'an address names nobody')
    assert.deepEqual(at('@ada now'), [])
    assert.deepEqual(at('@ada now', 3), ['@Ada '], 'the caret decides')
    assert.deepEqual(at('@', 1, null), [])
  })

  test('after a slash at the start come commands, then what they take', () => {
    assert.ok(at('/').includes('/new'))
    assert.ok(!at('/').includes('/stop'), 'nothing runs')
    assert.deepEqual(at('/pol'), ['/policy '])
    assert.deepEqual(at('/policy '), ['/policy full', '/policy recent'])
    assert.deepEqual(at('/policy re'), ['/policy recent'])
    assert.deepEqual(at('/policy recent'), [], 'nothing is left to suggest')
    assert.deepEqual(at('/new'), [])
    assert.deepEqual(at('see /'), [])
    assert.deepEqual(at('/rename x'), [])
  })

  test('whom a text is for is read as the gateway reads it', () => {
    assert.deepEqual(addressedIn(BOARD, '@seth and @Ada, what now?'), ['Ada', 'Seth'])
    assert.deepEqual(addressedIn(BOARD, '@all of you'), [])
    assert.deepEqual(addressedIn(BOARD, 'mail me@ada'), [])
    assert.deepEqual(addressedIn(undefined, '@ada'), [])
    assert.equal(namingAt('a @', 3)?.from, 2)
  })
})
