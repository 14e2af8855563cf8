// Rulings, "Seed 1": the shape of agents.json, the whole system text it gives, and the exact line for what is refused.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { type AgentsFile, parseAgents } from '../../../src/gateway/workspace/agents-file.ts'
import { presets } from '../../../src/index.ts'

const POLICIES = ['steady', 'recent', 'head-tail', 'full', 'transcript', 'council', 'short']
const SETTING = { model: 'demo', policies: POLICIES, catalog: { models: {}, servers: [] }, isBudgeted: false }

function agents(given: object | string): AgentsFile {
  const parsed = parseAgents(typeof given === 'string' ? given : JSON.stringify(given), SETTING)
  assert.ok(parsed.ok, parsed.ok ? '' : parsed.fault.message)
  return parsed.value
}

function complaint(given: object | string): string {
  const parsed = parseAgents(typeof given === 'string' ? given : JSON.stringify(given), SETTING)
  assert.ok(!parsed.ok, 'it was taken')
  assert.equal(parsed.fault.kind, 'invalid')
  return parsed.fault.message
}

for (const folder of globSync(fileURLToPath(new URL('./agents/*/', import.meta.url))).sort()) {
  test(`golden agents: ${basename(folder)}`, t => {
    const file = agents(readFileSync(join(folder, 'agents.json'), 'utf8'))
    const pages = file.agents.map(({ prompt, ...rest }) => `${JSON.stringify(rest)}\n----\n${prompt}\n----\n`)
    const policies = file.policies.map(policy => `policy ${JSON.stringify(policy)}\n`)
    t.assert.fileSnapshot([...pages, ...policies].join('\n'), join(folder, 'system.txt'), { serializers: [String] })
  })
}

const ONE = { name: 'One', prompt: 'You are one.' }
const only = (more: object): object => ({ agents: { one: { ...ONE, ...more } } })

test('the window of the file is head-tail for every agent that has no policy of its own', () => {
  const context_window = { max_messages: 30, recent_messages: 20, system_messages: 6 }
  const file = agents({ agents: { one: ONE, two: { ...ONE, policy: 'short' } }, response_config: { context_window } })
  assert.deepEqual(
    file.agents.map(agent => agent.policy),
    ['head-tail', 'short'],
  )
  const window = { kind: 'head-tail', max: 30, head: 5, recent: 20, noteOver: 10 }
  assert.deepEqual(file.policies, [{ ...presets['head-tail'], window }])
  assert.deepEqual(agents(only({})).agents[0]?.policy, undefined)
})

test('the window that the seed writes is the preset itself', () => {
  for (const context_window of [{ max_messages: 20, recent_messages: 17, system_messages: 3 }, {}])
    assert.deepEqual(agents({ ...only({}), response_config: { context_window } }).policies, [presets['head-tail']])
})

test('what the file says for all stands on every agent', () => {
  const file = agents({
    agents: { one: ONE, two: { ...ONE, model: 'demo' } },
    model_config: { default: 'demo' },
    response_config: { max_tokens: 500, stream: false },
  })
  assert.deepEqual(file.agents, [
    { key: 'one', name: 'One', prompt: 'You are one.', model: 'demo', maxTokens: 500, stream: false },
    { key: 'two', name: 'One', prompt: 'You are one.', model: 'demo', maxTokens: 500, stream: false },
  ])
  assert.deepEqual(file.policies, [])
})

test('an agent calls tools in its text where it says so', () => {
  const protocols = ['text', 'native'].map(protocol => agents(only({ protocol })).agents[0]?.protocol)
  assert.deepEqual(protocols, ['text', undefined])
})

const NAME = 'a name has lowercase letters, digits, "-" and "_", begins with a letter or a digit, and is not longer than 64'
const WINDOW = 'make room, or ask for less'
const UNKNOWN =
  'is not a model; write "demo" or provider/model: anthropic/<model>, openai/<model>, openrouter/<model>, ollama/<model>'

const WRONG: readonly (readonly [file: object | string, line: string])[] = [
  ['', 'agents: is missing; expected record'],
  [{}, 'agents: is missing; expected record'],
  [{ agents: [] }, 'agents: [] expected record, received array'],
  ['[]', 'the file must hold one JSON object'],
  ['{\n "agents": {\n', 'line 3: CloseBraceExpected; the file is JSON with // comments'],
  [
    '{ "agents": { "a": { "name": "A", "prompt": "x" }, "a": { "name": "B", "prompt": "y" } } }',
    'agents.a: stands there twice; keep one',
  ],
  ['{ "agents": { "__proto__": { "name": "A", "prompt": "x" } } }', 'agents.__proto__: there is no such setting; take it out'],
  [
    '{ "agents": { "a": { "__proto__": { "prompt": "x" }, "name": "A" } } }',
    'agents.a.__proto__: there is no such setting; take it out',
  ],
  ['['.repeat(100_000), 'the file nests too deeply'],
  [{ agents: { constructor: ONE } }, 'agents.constructor: this name is reserved; choose another'],
  [{ agents: { prototype: ONE } }, 'agents.prototype: this name is reserved; choose another'],
  [{ agents: { 42: ONE } }, 'agents.42: digits alone would lose their place in the file; add a letter'],
  [`{"agents":${'{"a":'.repeat(70)}1${'}'.repeat(70)}}`, 'agents: nests deeper than 64'],
  [`{"agents":${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}}`, 'agents: nests deeper than 64'],
  [{ agents: { Engineer: ONE } }, `agents.Engineer: ${NAME}`],
  [{ agents: { '@ai-engineer': ONE } }, `agents.@ai-engineer: ${NAME}`],
  [{ agents: { 'a b': ONE } }, `agents.a b: ${NAME}`],
  [{ agents: { ['x'.repeat(65)]: ONE } }, `agents.${'x'.repeat(65)}: ${NAME}`],
  [{ agents: { one: { name: 'One' } } }, 'agents.one.prompt: is missing; expected string'],
  [{ agents: { one: { prompt: 'x' } } }, 'agents.one.name: is missing; expected string'],
  [{ agents: { one: 'You are one.' } }, 'agents.one: "You are one." expected object, received string'],
  [only({ prompt: ' \n ' }), 'agents.one.prompt: " \\n " must not be empty'],
  [only({ prompt: ['x'] }), 'agents.one.prompt: ["x"] expected string, received array'],
  [only({ Personality: 'x' }), 'agents.one.Personality: there is no such setting; did you mean "personality"?'],
  [
    only({ mood: 'good' }),
    'agents.one.mood: there is no such setting; known here: name, prompt, description, personality, example, suffix, no_implementation, model, policy, color, thinking, sampling, maxTokens, tools, skills, protocol, temperature_override',
  ],
  [only({ temperature_override: 'hot' }), 'agents.one.temperature_override: "hot" expected number, received string'],
  [only({ sampling: { temperature: 3 } }), 'agents.one.sampling.temperature: 3 expected number to be <=2'],
  [only({ sampling: { topp: 1 } }), 'agents.one.sampling.topp: there is no such setting; did you mean "topP"?'],
  [
    only({ model: 'anthropic/claude-sonnet-4-5', sampling: { seed: 7 } }),
    'agents.one.sampling.seed: "anthropic/claude-sonnet-4-5" takes none; take it out',
  ],
  [
    only({ model: 'openai/o3', sampling: { effort: 'high', temperature: 0.2 } }),
    'agents.one.sampling.temperature: "openai/o3" takes none; take it out',
  ],
  [
    only({ model: 'anthropic/claude-sonnet-4-5', sampling: { effort: 'high', temperature: 0.2 } }),
    'agents.one.sampling.temperature: "anthropic/claude-sonnet-4-5" takes none while it thinks; take it out',
  ],
  [
    only({ model: 'openai/gpt-4.1', sampling: { effort: 'high' } }),
    'agents.one.sampling.effort: "openai/gpt-4.1" cannot think; take it out',
  ],
  [
    only({ thinking: false, sampling: { effort: 'low' } }),
    'agents.one.sampling.effort: "low" and "thinking": false exclude each other; leave one of them out',
  ],
  [only({ maxTokens: 32_000 }), 'agents.one.maxTokens: 32000 leaves no room for a request: the window of "demo" is 32000'],
  [only({ no_implementation: 'yes' }), 'agents.one.no_implementation: "yes" expected boolean, received string'],
  [only({ example: 5 }), 'agents.one.example: 5 expected string or record'],
  [only({ model: 'opus-4' }), `agents.one.model: "opus-4" ${UNKNOWN}`],
  [only({ policy: 'stedy' }), `agents.one.policy: there is no "stedy"; known: ${POLICIES.join(', ')}`],
  [only({ policy: 'constructor' }), `agents.one.policy: there is no "constructor"; known: ${POLICIES.join(', ')}`],
  [
    only({ color: 'red; background: url(//evil)' }),
    'agents.one.color: "red; background: url(//evil)" is not a color; write it as in "#0a7" or "teal"',
  ],
  [only({ thinking: 1 }), 'agents.one.thinking: 1 expected boolean, received number'],
  [only({ protocol: 'xml' }), 'agents.one.protocol: "xml" expected one of "native"|"text"'],
  [{ ...only({}), base_guidance: 5 }, 'base_guidance: 5 expected string or object'],
  [
    { ...only({}), base_guidance: { artifacts: 'x' } },
    'base_guidance.artifacts: there is no such setting; known here: implementation, format_template, artifact_guidance',
  ],
  [{ ...only({}), base_guidance: { implementation: 5 } }, 'base_guidance.implementation: 5 expected string, received number'],
  [{ ...only({}), default_model: 'opus-4' }, `default_model: "opus-4" ${UNKNOWN}`],
  [{ ...only({}), models: { a: { id: 'mine' } }, default_model: 'a' }, `default_model: "mine" ${UNKNOWN}`],
  [{ ...only({}), models: { a: {} } }, 'models.a.id: is missing; expected string'],
  [{ ...only({}), model_config: { default: 'opus' } }, `model_config.default: "opus" ${UNKNOWN}`],
  [{ ...only({}), model_config: { temperature: -1 } }, 'model_config.temperature: -1 expected number to be >=0'],
  [{ ...only({}), response_config: { stream: 'no' } }, 'response_config.stream: "no" expected boolean, received string'],
  [{ ...only({}), response_config: { max_tokens: 0 } }, 'response_config.max_tokens: 0 expected number to be >=1'],
  [
    { ...only({}), response_config: { max_tokens: 32_000 } },
    'response_config.max_tokens: 32000 leaves no room for a request: the window of "demo" is 32000',
  ],
  [
    { ...only({}), response_config: { context_window: { recent_messages: 18 } } },
    `response_config.context_window: recent_messages 18 + system_messages 3 = 21 is more than max_messages 20; ${WINDOW}`,
  ],
  [
    { ...only({}), response_config: { context_window: { max_messages: 3 } } },
    `response_config.context_window: recent_messages 17 + system_messages 3 = 20 is more than max_messages 3; ${WINDOW}`,
  ],
  [
    { ...only({}), response_config: { context_window: { system_messages: 0 } } },
    'response_config.context_window.system_messages: 0 expected number to be >=1',
  ],
  [
    { ...only({}), response_config: { context_window: { max_message: 20 } } },
    'response_config.context_window.max_message: there is no such setting; did you mean "max_messages"?',
  ],
]

test('whatever cannot work or would have no effect is refused by its path', () => {
  for (const [given, line] of WRONG) assert.equal(complaint(given), line)
})

test('everything that is wrong is said at once', () => {
  const wrong = { agents: { A: { ...ONE, policy: 'x', model: 'y' } }, model_config: { default: 'z' } }
  assert.deepEqual(complaint(wrong).split('\n'), [
    `agents.A: ${NAME}`,
    `agents.A.model: "y" ${UNKNOWN}`,
    `agents.A.policy: there is no "x"; known: ${POLICIES.join(', ')}`,
    `model_config.default: "z" ${UNKNOWN}`,
  ])
})

test('the keys of Port 42 are understood, or named on one line and passed over', () => {
  const whole = agents(readFileSync(new URL('./agents/port42-whole/agents.json', import.meta.url), 'utf8'))
  assert.deepEqual(
    whole.agents.map(({ key, model, sampling, maxTokens }) => ({ key, model, sampling, maxTokens })),
    [
      { key: 'muse', model: 'anthropic/claude-opus-4-20250514', sampling: { temperature: 0.9 }, maxTokens: 4096 },
      { key: 'engineer', model: 'anthropic/claude-sonnet-4-20250514', sampling: { temperature: 0.7 }, maxTokens: 4096 },
      { key: 'critic', model: 'anthropic/claude-opus-5', sampling: undefined, maxTokens: 4096 },
    ],
  )
  assert.equal(
    whole.remark,
    'passed over, because it means nothing here: models.*.name, models.*.rate_limit, base_guidance.artifact_guidance, agents.critic: the temperature 0.6',
  )
  // What an agent says itself is written in our own words when it is edited.
  assert.deepEqual(
    whole.written.map(({ model, sampling }) => [model, sampling]),
    [
      ['anthropic/claude-opus-4-20250514', { temperature: 0.9 }],
      [undefined, undefined],
      ['anthropic/claude-opus-5', undefined],
    ],
  )
  const model_config = {
    default: 'claude-3-5-sonnet-20241022',
    opus: 'claude-3-opus-20240229',
    temperature: 0.4,
    rate_limits: {},
  }
  const older = agents({ ...only({}), model_config })
  assert.deepEqual(older.agents[0]?.model, 'anthropic/claude-3-5-sonnet-20241022')
  assert.deepEqual(older.agents[0]?.sampling, { temperature: 0.4 })
  assert.equal(older.remark, 'passed over, because it means nothing here: model_config.opus, model_config.rate_limits')
  assert.equal(agents(only({ sampling: { temperature: 0.1 }, temperature_override: 0.9 })).agents[0]?.sampling?.temperature, 0.1)
  assert.equal(agents(only({})).remark, undefined)
})

test('an agent says how it is sampled and how long its replies may be, before the rest of the file', () => {
  const sampling = { temperature: 0.2, topP: 0.9, seed: 7, stop: ['END'], effort: 'high' }
  const file = agents({ ...only({ sampling, maxTokens: 700 }), response_config: { max_tokens: 500 } })
  assert.deepEqual(file.agents, [{ key: 'one', ...ONE, sampling, maxTokens: 700 }])
})

test('comments, a trailing comma and a byte order mark are fine', () => {
  const file = '\uFEFF// mine\n{ "agents": { "one": { "name": "One", "prompt": "You are one.", }, }, }'
  assert.deepEqual(agents(file).agents, [{ key: 'one', ...ONE }])
})

test('an agent may be asked with any model that the settings know, and under a budget only with one that has a price', () => {
  const catalog = { models: { 'ollama/small': { window: 2000 } }, servers: ['lan'] }
  const parse = (more: object, isBudgeted = false, rest: object = {}): string | undefined => {
    const parsed = parseAgents(JSON.stringify({ ...only(more), ...rest }), { ...SETTING, catalog, isBudgeted })
    return parsed.ok ? undefined : parsed.fault.message
  }
  for (const model of ['anthropic/claude-sonnet-5', 'openrouter/a/b', 'ollama/small', 'compatible/lan/x'])
    assert.equal(parse({ model }), undefined)
  assert.match(
    parse({ model: 'compatible/wan/x' }) ?? '',
    /^agents\.one\.model: "compatible\/wan\/x" needs a server: there is only lan; /,
  )
  assert.equal(
    parse({ model: 'ollama/small' }, false, { response_config: { max_tokens: 2000 } }),
    'response_config.max_tokens: 2000 leaves no room for a request: the window of "ollama/small" is 2000',
  )
  assert.equal(parse({ model: 'anthropic/claude-sonnet-5' }, true), undefined)
  assert.equal(
    parse({ model: 'ollama/small' }, true),
    'agents.one.model: "ollama/small" has no price, so it cannot run under a budget; set models."ollama/small".price, or take limits.budgetUsdPerDay out',
  )
})
