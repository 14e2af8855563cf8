// What the connect dialog offers and sends, without its looks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConnectedProvider, ProviderList } from '../../src/model/connectable-providers.ts'
import { connectStep, refusalOf } from '../../web/src/connect/change.ts'
import { type ConnectTarget, connectTargets, OTHER_SERVER, targetOf } from '../../web/src/connect/targets.ts'
import {
  environmentKeyWords,
  foundWords,
  keySourceWords,
  providerMessageWords,
  providerStateWords,
} from '../../web/src/words/provider-words.ts'

const provider = (name: string, more: Partial<ConnectedProvider> = {}): ConnectedProvider => ({
  ...{ name, kind: 'anthropic', title: name, baseURL: 'https://vendor.example', hasKey: false, last4: null, keyFrom: null },
  ...{ keyVariable: null, addressFrom: 'vendor', state: 'no-key', message: null, models: [], checkedAt: null },
  ...{ needsKey: true, isRemovable: false, ...more },
})
const LISTED: ProviderList = {
  items: [
    provider('anthropic', { title: 'Anthropic' }),
    provider('ollama', { title: 'Ollama', needsKey: false, state: 'ready', models: ['ollama/a', 'ollama/b', 'ollama/c'] }),
    provider('lan', { kind: 'compatible', title: 'lan', needsKey: false, baseURL: 'http://10.0.0.2/v1' }),
  ],
  templates: [
    {
      ...{ name: 'gemini', title: 'Gemini', baseURL: 'https://gemini.example/openai', needsKey: true },
      ...{ keyPage: 'https://keys.example', isLocal: false },
    },
    { name: 'vllm', title: 'vLLM', baseURL: 'http://127.0.0.1:8000/v1', needsKey: false, keyPage: null, isLocal: true },
  ],
}
const titles = (targets: readonly ConnectTarget[]): readonly string[] => targets.map(({ title }) => title)

test('everything on offer is there before the gateway has answered', () => {
  const { hosted, local } = connectTargets(null)
  assert.deepEqual(titles(hosted), ['Anthropic', 'OpenAI', 'OpenRouter', 'Gemini'])
  assert.deepEqual(titles(local), ['Ollama', 'LM Studio', 'vLLM', 'llama.cpp', 'Other server'])
})

test('a server that was connected under a name of its own is offered, too', () => {
  assert.deepEqual(titles(connectTargets(LISTED).local), ['Ollama', 'LM Studio', 'vLLM', 'llama.cpp', 'lan', 'Other server'])
  assert.equal(foundWords(LISTED.items[1] as ConnectedProvider), 'Running here: 3 models')
})

test('a connected service keeps its place and what it needs, also if it is no longer listed as a template', () => {
  const listed = { items: [...LISTED.items, provider('gemini', { title: 'Gemini', state: 'bad-key' })], templates: [] }
  const { hosted, local } = connectTargets(listed)
  assert.deepEqual(titles(hosted), ['Anthropic', 'OpenAI', 'OpenRouter', 'Gemini'])
  assert.deepEqual(titles(local), ['Ollama', 'LM Studio', 'vLLM', 'llama.cpp', 'lan', 'Other server'])
  const { needsKey, hasOwnAddress, keyPage } = targetOf(listed, 'gemini')
  assert.deepEqual([needsKey, hasOwnAddress, keyPage], [true, false, 'https://aistudio.google.com/apikey'])
})

const fields = (more: Partial<{ name: string; address: string; key: string }> = {}) => ({
  name: '',
  address: '',
  key: '',
  ...more,
})

test('a pasted key is sent without the spaces around it, and nothing is sent without one', () => {
  const target = targetOf(LISTED, 'anthropic')
  assert.deepEqual(connectStep(target, fields({ key: ' sk-1\n' })), {
    ...{ kind: 'connect', name: 'anthropic', change: { apiKey: 'sk-1' } },
  })
  assert.equal(connectStep(target, fields({ key: '  ' })).kind, 'wrong')
})

test('a key that was saved for one address does not go to another', () => {
  const target = { ...targetOf(LISTED, 'anthropic'), provider: provider('anthropic', { hasKey: true, last4: 'abcd' }) }
  assert.deepEqual(connectStep(target, fields()), { kind: 'check', name: 'anthropic' })
  const moved = connectStep(target, fields({ address: 'https://proxy.example' }))
  assert.match(moved.kind === 'wrong' ? moved.why : '', /Enter the key again/)
  assert.deepEqual(connectStep(target, fields({ address: 'https://proxy.example', key: 'k' })), {
    ...{ kind: 'connect', name: 'anthropic', change: { apiKey: 'k', baseURL: 'https://proxy.example' } },
  })
})

test('a known server is connected at its own address, any other needs a name and an address', () => {
  assert.deepEqual(connectStep(targetOf(LISTED, 'gemini'), fields({ key: 'g' })), {
    ...{ kind: 'connect', name: 'gemini', change: { apiKey: 'g', baseURL: 'https://gemini.example/openai' } },
  })
  assert.deepEqual(connectStep(targetOf(LISTED, 'vllm'), fields({ address: 'http://127.0.0.1:8000/v1' })), {
    ...{ kind: 'connect', name: 'vllm', change: { baseURL: 'http://127.0.0.1:8000/v1' } },
  })
  const other = targetOf(LISTED, OTHER_SERVER)
  const wrongAt = (name: string, address: string): string => {
    const step = connectStep(other, fields({ name, address }))
    return step.kind === 'wrong' ? step.field : step.kind
  }
  assert.equal(wrongAt('My Server', 'http://x/v1'), 'name')
  assert.equal(wrongAt('lan', ''), 'address')
  assert.equal(wrongAt('lan', 'ftp://x'), 'address')
  assert.deepEqual(connectStep(other, fields({ name: 'lan', address: 'http://x/v1' })), {
    ...{ kind: 'connect', name: 'lan', change: { baseURL: 'http://x/v1' } },
  })
})

test('an Ollama where it always was is only looked for again', () => {
  const target = {
    ...targetOf(LISTED, 'ollama'),
    provider: provider('ollama', { needsKey: false, baseURL: 'http://127.0.0.1:1' }),
  }
  assert.deepEqual(connectStep(target, fields({ address: 'http://127.0.0.1:1' })), { kind: 'check', name: 'ollama' })
  assert.deepEqual(connectStep(target, fields({ address: 'http://127.0.0.1:2' })), {
    ...{ kind: 'connect', name: 'ollama', change: { baseURL: 'http://127.0.0.1:2' } },
  })
})

test('a refusal is said at its field, without the name that the field has on the wire', () => {
  const refused = (detail: string, status = 422) => refusalOf({ status, title: 'Unprocessable', detail }, true)
  assert.deepEqual(refused('apiKey: a header cannot carry it; a key has no spaces'), {
    ...{ field: 'key', words: 'A header cannot carry it; a key has no spaces.' },
  })
  assert.deepEqual(refused('baseURL: has a query or a fragment'), {
    ...{ field: 'address', words: 'The address has a query or a fragment.' },
  })
  assert.deepEqual(refused('name: this name is reserved; choose another').field, 'name')
  assert.deepEqual(refused('the key goes only to its own address', 409), {
    ...{ field: 'address', words: 'the key goes only to its own address' },
  })
  assert.deepEqual(refused('', 503), { field: 'key', words: 'Unprocessable' })
})

test('what a check said begins with the title of the provider, as people know it', () => {
  const said = (name: string, title: string, message: string | null) => providerMessageWords(provider(name, { title, message }))
  assert.equal(said('lmstudio', 'LM Studio', 'lmstudio refused the key (401)'), 'LM Studio refused the key (401)')
  assert.equal(said('openai', 'OpenAI', 'openai.example did not answer'), 'openai.example did not answer')
  assert.equal(said('openai', 'OpenAI', null), null)
})

test('a state and the source of a key are said in words', () => {
  assert.deepEqual((['ready', 'no-key', 'bad-key', 'unreachable', 'unchecked'] as const).map(providerStateWords), [
    ...['Ready', 'No key', 'Wrong key', 'Not reachable', 'Not checked'],
  ])
  const named = provider('anthropic', { hasKey: true, last4: 'abcd', keyFrom: 'environment', keyVariable: 'ANTHROPIC_API_KEY' })
  assert.match(environmentKeyWords(named), /^ANTHROPIC_API_KEY is set in the environment and is used/)
  assert.equal(keySourceWords(named), 'Key ending in abcd, from ANTHROPIC_API_KEY in the environment')
  assert.equal(keySourceWords(provider('a', { hasKey: true, keyFrom: 'secrets' })), 'Key, saved in secrets.json')
  assert.equal(keySourceWords(provider('a')), null)
})
