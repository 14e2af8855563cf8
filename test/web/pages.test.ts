// What the pages beside the conversations say and do, without their looks.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SPECTRUM } from '../../src/gateway/workspace/colors.ts'
import { whyNoName } from '../../src/gateway/workspace/policies.ts'
import type { WrittenAgent } from '../../src/model/voice.ts'
import { COLORS, colorName } from '../../web/src/form/colors.ts'
import { complaintsOf, elsewhere, whyAt } from '../../web/src/form/complaints.ts'
import { afterSaving, isEqualValue, type Saved, saveEdit } from '../../web/src/form/edit.ts'
import { agentFile, readAgentFile } from '../../web/src/pages/agents/agent-file.ts'
import { agentForm, agentFromForm, NEW_AGENT } from '../../web/src/pages/agents/agent-form.ts'
import { freeKey, keyFrom } from '../../web/src/pages/agents/agent-key.ts'
import type { ApiProblem, ApiResult } from '../../web/src/wire/problem.ts'
import { together } from '../../web/src/wire/together.ts'
import type { ModelRow } from '../../web/src/wire/workspace-api.ts'
import { isWanted, modelPriceWords, modelsByProvider, nameOfProvider, providerOf } from '../../web/src/words/model-words.ts'
import { roughTokens, roughWords } from '../../web/src/words/rough-tokens.ts'
import { skillPriceWords as skillPrice, sourceWords } from '../../web/src/words/skill-words.ts'

const problem = (status: number, detail: string): ApiProblem => ({ status, title: 'The request is not valid', detail })

test('what is wrong is found at its field, also where a reason has a semicolon of its own', () => {
  const refused = problem(
    400,
    'name: "" must not be empty; prompt: is missing; expected string; advisors.1.color: is not a color; write it as in "#0a7"; models."a/b".price: is wrong',
  )
  const complaints = complaintsOf(refused)
  assert.deepEqual(
    complaints.map(({ path }) => path),
    ['name', 'prompt', 'advisors.1.color', 'models."a/b".price'],
  )
  assert.equal(whyAt(complaints, 'name'), 'Must not be empty.')
  assert.equal(whyAt(complaints, 'prompt'), 'Is missing; expected string.')
  assert.match(whyAt(complaints, 'advisors.1') ?? '', /^Is not a color; write/)
  assert.equal(whyAt(complaints, 'advisors.10'), undefined)
  assert.deepEqual(
    elsewhere(complaints, ['name', 'prompt', 'advisors']).map(({ path }) => path),
    ['models."a/b".price'],
  )
  assert.deepEqual(complaintsOf(problem(503, 'name: no')), [], 'only a refused body has fields')
  assert.deepEqual(complaintsOf(null), [])
})

type Thing = { readonly name: string; readonly text: string }
const found = (value: Thing): ApiResult<Thing> => ({ ok: true, value })
const GONE: ApiResult<Thing> = { ok: false, problem: problem(404, 'there is none') }

async function saved(base: Thing | null, draft: Thing, there: ApiResult<Thing>): Promise<[Saved<Thing>, readonly Thing[]]> {
  const written: Thing[] = []
  const outcome = await saveEdit(
    { base, draft },
    {
      read: async () => there,
      write: async value => {
        written.push(value)
        return found(value)
      },
    },
  )
  return [outcome, written]
}

test('an edit is written only over what it began with', async () => {
  const [mine, base, theirs] = ['mine', 'base', 'theirs'].map(text => ({ name: 'a', text })) as [Thing, Thing, Thing]
  assert.deepEqual(await saved(base, mine, found(base)), [{ kind: 'saved', value: mine }, [mine]])
  assert.deepEqual(await saved(base, mine, found(theirs)), [{ kind: 'changed', theirs }, []])
  assert.deepEqual(await saved(base, mine, GONE), [{ kind: 'changed', theirs: null }, []])
  assert.deepEqual(await saved(null, mine, GONE), [{ kind: 'saved', value: mine }, [mine]])
  assert.deepEqual(await saved(null, mine, found(theirs)), [{ kind: 'changed', theirs }, []])
  assert.deepEqual(await saved(base, mine, found(mine)), [{ kind: 'saved', value: mine }, [mine]], 'they wrote the same')
  const down: ApiResult<Thing> = { ok: false, problem: problem(503, 'the store does not answer') }
  assert.deepEqual(await saved(base, mine, down), [{ kind: 'refused', problem: problem(503, 'the store does not answer') }, []])
})

test('two values are the same whatever the order of their keys', () => {
  assert.ok(isEqualValue({ a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2] }, a: 1, d: undefined }))
  for (const [one, other] of [
    [{ a: 1 }, { a: 2 }],
    [{ a: [] }, { a: {} }],
    [{ a: [1, 2] }, { a: [2, 1] }],
    [null, {}],
  ])
    assert.ok(!isEqualValue(one, other), JSON.stringify([one, other]))
})

const ADA: WrittenAgent = {
  key: 'ada',
  name: 'Ada',
  prompt: 'You are Ada.\n',
  description: 'Doubts.',
  personality: 'Dry.',
  example: { question: 'Why?', answer: ['Because.'] },
  suffix: 'Be brief.',
  no_implementation: true,
  model: 'demo',
  policy: 'recent',
  color: '#1a71b6',
  thinking: false,
  protocol: 'text',
}

test('an agent goes through its form unchanged', () => {
  assert.deepEqual(agentFromForm(agentForm(ADA)), ADA)
  const plain = { key: 'bo', name: 'Bo', prompt: 'You are Bo.' }
  assert.deepEqual(agentFromForm(agentForm(plain)), plain)
  const text = { ...plain, example: '{"not": "data here"}' }
  assert.deepEqual(agentFromForm(agentForm(text)), text, 'a text that looks like data stays a text')
  assert.equal(
    agentFromForm({ ...agentForm(ADA), example: '{ "question"' }).example,
    '{ "question"',
    'what cannot be read is not lost',
  )
  assert.deepEqual(agentFromForm(agentForm(NEW_AGENT)), { key: '', name: '', prompt: '' })
})

test('a key follows from the name and is one that the gateway takes', () => {
  for (const [name, key] of [
    ['Ada Lovelace', 'ada-lovelace'],
    ['Øystein Ümläut ß', 'ystein-umlaut-ss'],
    ['  The 2nd!  ', 'the-2nd'],
    ['42', 'agent-42'],
    ['日本', ''],
  ] as const) {
    assert.equal(keyFrom(name), key)
    if (key !== '') assert.equal(whyNoName(key), undefined)
  }
  assert.equal(whyNoName(keyFrom(`${'a'.repeat(63)} b`)), undefined)
  assert.equal(freeKey('ada', ['bo']), 'ada')
  assert.equal(freeKey('ada', ['ada', 'ada-2']), 'ada-3')
  assert.equal(freeKey('a'.repeat(64), ['a'.repeat(64)]).length, 64)
})

test('an agent that was exported can be imported, and other files say why not', () => {
  assert.deepEqual(readAgentFile(`\uFEFF${agentFile(ADA).text}`), { ok: true, agent: ADA })
  assert.equal(agentFile(ADA).name, 'ada.agent.json')
  const one = readAgentFile('{ "agents": { "bo": { "name": "Bo", "prompt": "You are Bo." } } }')
  assert.deepEqual(one, { ok: true, agent: { key: 'bo', name: 'Bo', prompt: 'You are Bo.' } })
  for (const [text, why] of [
    ['{', /not JSON/],
    ['[]', /not JSON/],
    ['{"name": "Bo"}', /no agent/],
    ['{"agents": {"a": {"name": "A"}, "b": {"name": "B"}}}', /2 agents/],
    ['{"agents": []}', /0 agents/],
    ['{"agents": {"a": {}}}', /no name/],
  ] as const) {
    const read = readAgentFile(text)
    assert.match(read.ok ? '' : read.why, why, text)
  }
})

test('the colours are those that the gateway gives out, each with a name of its own', () => {
  assert.deepEqual(
    COLORS.map(({ hex }) => hex),
    SPECTRUM,
  )
  assert.equal(new Set(COLORS.map(({ name }) => name)).size, SPECTRUM.length)
  assert.deepEqual(['#1A71B6', '', undefined, 'teal'].map(colorName), ['Blue', 'None', 'None', 'teal'])
})

const model = (name: string, more: Partial<ModelRow> = {}): ModelRow => ({
  ...{ name, window: 8192, output: null, price: null, images: false, files: false, thinking: false, tools: true },
  ...{ ready: true, needs: null, ...more },
})

test('a price that nobody knows is a dash, and only what costs nothing is free', () => {
  assert.equal(modelPriceWords(model('a/b')), '–')
  assert.equal(modelPriceWords(model('demo', { price: { input: 0, output: 0 } })), 'free')
  assert.equal(modelPriceWords(model('a/b', { price: { input: 0, output: 2 } })), '$0 in, $2 out')
  assert.equal(modelPriceWords(model('a/b', { price: { input: 0.075, output: 2.5 } })), '$0.075 in, $2.50 out')
})

test('providers with a usable model come first, and each model is with its own', () => {
  const models = [model('anthropic/one', { ready: false }), model('demo'), model('compatible/attic/two')]
  assert.deepEqual(
    modelsByProvider(models).map(([name, own]) => [name, own.map(row => row.name)]),
    [
      ['demo', ['demo']],
      ['attic', ['compatible/attic/two']],
      ['anthropic', ['anthropic/one']],
    ],
  )
  assert.equal(providerOf('openrouter/vendor/model'), 'openrouter')
  assert.equal(nameOfProvider(model('compatible/lan/x', { provider: 'lan' })), 'lan')
})

test('a filter looks for each of its words', () => {
  const seeing = model('anthropic/claude', { images: true, ready: false })
  for (const filter of ['', 'claude', 'ANTHROPIC images', '  tools claude ']) assert.ok(isWanted(seeing, filter), filter)
  for (const filter of ['ready', 'claude thinking']) assert.ok(!isWanted(seeing, filter), filter)
})

test('a skill has two prices, and the one that counts stands first', () => {
  const skill = { full: 1840, listed: 31 }
  assert.equal(skillPrice(skill, 'full'), 'in full +1,840 tokens every turn; on demand +31')
  assert.equal(skillPrice(skill, 'readOnDemand'), 'on demand +31; in full +1,840 tokens every turn')
  assert.match(sourceWords('clock_now', [{ name: 'clock', tools: ['clock_now'] }]), /skill “clock”/)
  assert.match(sourceWords('other', []), /another program/)
})

test('tokens are counted roughly, and said to be so', () => {
  assert.equal(roughTokens(''), 0)
  assert.equal(roughTokens('eight letters or so, in words'), 8)
  assert.deepEqual(
    [roughWords('  '), roughWords('a'), roughWords('a'.repeat(8000))],
    ['no tokens', 'about 1 token', 'about 2,000 tokens'],
  )
})

test('several answers are one, and one problem is the problem of all', async () => {
  const down = { ok: false, problem: problem(503, 'no') } as const
  assert.deepEqual(await together({ a: Promise.resolve({ ok: true, value: 1 }), b: Promise.resolve({ ok: true, value: 'x' }) }), {
    ok: true,
    value: { a: 1, b: 'x' },
  })
  assert.deepEqual(await together({ a: Promise.resolve({ ok: true, value: 1 }), b: Promise.resolve(down) }), down)
})

test('what is typed while an edit is being saved stays, and is not saved yet', () => {
  const saved = { name: 'Ada' }
  assert.deepEqual(afterSaving({ base: null, draft: { name: 'Ada ' } }, { name: 'Ada ' }, saved), { base: saved, draft: saved })
  const typed = { name: 'Ada L' }
  assert.deepEqual(afterSaving({ base: null, draft: typed }, { name: 'Ada ' }, saved), { base: saved, draft: typed })
})
