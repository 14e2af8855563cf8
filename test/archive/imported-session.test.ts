// Who answers in a conversation that came from elsewhere.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FoundSession } from '../../src/archive/input/found.ts'
import { presets } from '../../src/context/presets.ts'
import type { Mint } from '../../src/model/ids.ts'
import type { Session } from '../../src/model/session.ts'
import { importedSession, restoredSession } from '../../src/turn/transfer/imported-session.ts'
import { advisor, councilOf } from '../support/council.ts'

const at = '2026-01-02T03:04:05.000Z'
const agent = (key: string, policy?: string) => ({ key, name: key, prompt: '', ...(policy === undefined ? {} : { policy }) })
const house = {
  agents: new Map([agent('muse'), agent('engineer', 'head-tail')].map(each => [each.key, each])),
  councils: new Map([councilOf([advisor('buber'), advisor('godin')])].map(each => [each.key, each])),
  policies: new Map(Object.values(presets).map(policy => [policy.name, policy])),
  mint: (kind => `${kind}_1`) as Mint,
  usualPolicy: 'steady',
}
const found = (more: Partial<FoundSession>): FoundSession => ({
  ...{ title: 'Boats', createdAt: at, updatedAt: at, origin: 'port42', ...more },
})

function arrival(more: Partial<FoundSession>): { readonly who: readonly unknown[]; readonly said: readonly string[] } {
  const said: string[] = []
  const { agent: one, council, policy } = importedSession(house, found(more), remark => said.push(remark))
  return { who: [one, council, policy], said }
}

test('an agent is found by its name in the file, with its own policy; else the first one answers, and that is said', () => {
  assert.deepEqual(arrival({ agent: '@ai-engineer' }), { who: ['engineer', null, 'head-tail'], said: [] })
  assert.deepEqual(arrival({}), { who: ['muse', null, 'steady'], said: [] })
  assert.deepEqual(arrival({ agent: 'growth' }), {
    who: ['muse', null, 'steady'],
    said: ['there is no agent "growth" here; "muse" answers from now on'],
  })
})

test('a council is found by its advisors; else it is said whom to add', () => {
  const [buber, pema] = [
    { id: 'buber', name: 'Buber' },
    { id: 'pema', name: 'Pema "P"' },
  ]
  assert.deepEqual(arrival({ advisors: [buber] }), { who: [null, 'board', 'council'], said: [] })
  const { who, said } = arrival({ advisors: [buber, pema] })
  assert.deepEqual(who, ['muse', null, 'steady'])
  assert.match(
    said.join(),
    /add a council with \{"id": "buber", "name": "Buber"\}, \{"id": "pema", "name": "Pema \\"P\\""\} to councils\.json$/,
  )
})

test('one of our own stays as it was, and what is missing for it is said', () => {
  const kept = { ...importedSession(house, found({}), () => {}), agent: 'gone', policy: 'short', importedThrough: 7 }
  const said: string[] = []
  const { importedThrough: _, ...rest } = kept
  assert.deepEqual(
    restoredSession(house, kept as Session, remark => said.push(remark)),
    rest,
  )
  assert.equal(said.length, 2)
  assert.match(said.join(), /the agent "gone" is not here.*the policy "short" is not here/)
})
