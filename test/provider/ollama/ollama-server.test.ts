// What a running Ollama says of its models, over a real socket.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { ProviderSetting } from '../../../src/model/provider.ts'
import { createModels, type ModelCatalog, type ReachableProviders } from '../../../src/provider/catalog/models.ts'
import { demoProvider } from '../../../src/provider/demo/demo.ts'
import { createOllamaServer } from '../../../src/provider/ollama/server.ts'

type Shown = {
  readonly capabilities?: readonly string[]
  readonly parameters?: string
  readonly model_info?: Readonly<Record<string, unknown>> | null
}

type Server = {
  readonly baseURL: string
  readonly asked: { readonly path: string; readonly headers: IncomingHttpHeaders }[]
  /** The most that were answered at one time. */
  readonly mostAtOnce: () => number
  readonly stop: () => Promise<void>
}

type Behaviour = {
  readonly models: Readonly<Record<string, Shown>>
  /** Answers instead, for a path. */
  readonly instead?: Readonly<Record<string, (response: ServerResponse) => void>>
  readonly delayMs?: number
}

async function ollama(t: TestContext, { models, instead = {}, delayMs = 0 }: Behaviour): Promise<Server> {
  const asked: Server['asked'] = []
  let atOnce = 0
  let mostAtOnce = 0
  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    asked.push({ path, headers: request.headers })
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const other = instead[path]
    if (other !== undefined) return other(response)
    atOnce += 1
    mostAtOnce = Math.max(mostAtOnce, atOnce)
    await pause(delayMs)
    atOnce -= 1
    response.setHeader('content-type', 'application/json')
    if (path === '/api/tags')
      return response.end(JSON.stringify({ models: Object.keys(models).map(name => ({ name, model: name })) }))
    const shown = models[(JSON.parse(body) as { model: string }).model]
    if (shown === undefined) return response.writeHead(404).end('{"error":"model not found"}')
    response.end(JSON.stringify({ license: '', details: {}, model_info: { 'x.context_length': 131_072 }, ...shown }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async (): Promise<void> => {
    server.closeAllConnections()
    if (server.listening) await new Promise(resolve => server.close(resolve))
  }
  t.after(stop)
  return { baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, mostAtOnce: () => mostAtOnce, stop }
}

const STOPS = 'stop                           "<|eot_id|>"\n'
const TALKERS: Readonly<Record<string, Shown>> = {
  'llava:latest': { capabilities: ['completion', 'vision'], parameters: `num_ctx                        32768\n${STOPS}` },
  'qwen3:8b': { capabilities: ['completion', 'tools', 'thinking'], parameters: STOPS },
  'old:latest': {},
}

const modelsOf = (baseURL: string, given: Partial<ReachableProviders> = {}): ModelCatalog =>
  createModels({
    demo: demoProvider({ delayMs: 0 }),
    now: () => ({ providers: { ollama: { baseURL } }, models: {}, ...given }),
  })

const factsOf = async (models: ModelCatalog, name: string): Promise<unknown> => {
  const found = (await models.list()).find(each => each.name === name)
  assert.ok(found, name)
  const { window, images, tools, thinking, ready } = found
  return { window, images, tools, thinking, ready }
}

test('what a server says of its models is what they are listed and asked with', async t => {
  const { baseURL } = await ollama(t, { models: TALKERS })
  const models = modelsOf(baseURL)
  const assumed = models.named('ollama/llava')
  assert.ok(assumed.ok)
  assert.deepEqual([assumed.value.window, assumed.value.facts.images, assumed.value.facts.tools], [8192, true, true])
  assert.deepEqual(await factsOf(models, 'ollama/llava'), {
    window: 32_768,
    images: true,
    tools: false,
    thinking: false,
    ready: true,
  })
  assert.deepEqual(await factsOf(models, 'ollama/qwen3:8b'), {
    window: 16_384,
    images: false,
    tools: true,
    thinking: true,
    ready: true,
  })
  assert.deepEqual(await factsOf(models, 'ollama/old'), {
    window: 16_384,
    images: true,
    tools: true,
    thinking: true,
    ready: true,
  })
  for (const name of ['ollama/llava', 'ollama/llava:latest']) {
    const named = models.named(name)
    assert.ok(named.ok)
    assert.deepEqual([named.value.window, named.value.facts.tools], [32_768, false], name)
  }
  const other = models.named('ollama/qwen3')
  assert.equal(other.ok && other.value.facts.images, true, 'another tag is another model')
})

test('settings say more than the server', async t => {
  const { baseURL } = await ollama(t, { models: TALKERS })
  const models = modelsOf(baseURL, { models: { 'ollama/llava': { window: 4000, tools: true }, 'ollama/qwen3:8b': {} } })
  assert.deepEqual(await factsOf(models, 'ollama/llava'), {
    window: 4000,
    images: true,
    tools: true,
    thinking: false,
    ready: true,
  })
  const names = (await models.list()).map(({ name }) => name).filter(name => name.startsWith('ollama/'))
  assert.deepEqual(names.sort(), ['ollama/llava', 'ollama/old', 'ollama/qwen3:8b'], 'each once')
  const tagged = modelsOf(baseURL, { models: { 'ollama/llava:latest': {} } })
  assert.deepEqual(
    (await tagged.list()).map(({ name }) => name).filter(name => name.includes('llava')),
    ['ollama/llava:latest'],
  )
})

test('a model that only embeds is not one to talk to', async t => {
  const models = { 'nomic:latest': { capabilities: ['embedding'] }, ...TALKERS }
  const { baseURL } = await ollama(t, { models })
  assert.deepEqual(
    [...((await createOllamaServer({ baseURL }).installed())?.keys() ?? [])],
    ['llava:latest', 'old:latest', 'qwen3:8b'],
  )
})

test('one that does not run has no models, and what was learned of them stays', async t => {
  const { baseURL, stop } = await ollama(t, { models: TALKERS })
  let now = 0
  const server = createOllamaServer({ baseURL }, () => now)
  assert.equal((await server.installed())?.size, 3)
  await stop()
  now = 61_000
  assert.equal(await server.installed(), undefined)
  assert.equal(server.saidOf('llava')?.window, 32_768)
  const models = modelsOf(baseURL, { models: { 'ollama/mine': {} } })
  const listed = (await models.list(['ollama/default'])).filter(({ name }) => name.startsWith('ollama/'))
  assert.deepEqual(
    listed.map(({ name, ready, needs }) => [name, ready, needs]),
    [
      ['ollama/default', false, 'a running Ollama'],
      ['ollama/mine', false, 'a running Ollama'],
    ],
  )
  assert.equal((await models.providers()).find(({ name }) => name === 'ollama')?.isRunning, false)
})

test('a model that is named and not there says how to get it', async t => {
  const { baseURL } = await ollama(t, { models: TALKERS })
  const listed = await modelsOf(baseURL).list(['ollama/qwen3:8b', 'ollama/mistral'])
  assert.deepEqual(
    listed.flatMap(({ name, ready, needs }) => (/qwen3|mistral/.test(name) ? [[name, ready, needs]] : [])),
    [
      ['ollama/qwen3:8b', true, undefined],
      ['ollama/mistral', false, '"ollama pull mistral"'],
    ],
  )
})

test('it is asked once a minute, by however many', async t => {
  const { baseURL, asked } = await ollama(t, { models: TALKERS })
  let now = 1_000_000
  const server = createOllamaServer({ baseURL }, () => now)
  assert.equal(server.saidOf('llava'), undefined)
  assert.equal(asked.length, 0, 'nobody asks for the one who cannot wait')
  await Promise.all([server.installed(), server.installed(), server.installed()])
  assert.equal(asked.length, 1 + 3)
  now += 59_999
  await server.installed()
  server.saidOf('llava')
  assert.equal(asked.length, 1 + 3)
  now += 1
  assert.equal(server.saidOf('llava')?.window, 32_768, 'what is old is still said, and asked for anew')
  await server.installed()
  assert.equal(asked.length, 2 * (1 + 3))
})

test('of many models fifty are asked for, four at a time, and all are listed', async t => {
  const many = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [`m${String(index).padStart(2, '0')}:1b`, { capabilities: ['completion'] }]),
  )
  const { baseURL, asked, mostAtOnce } = await ollama(t, { models: many, delayMs: 5 })
  const installed = await createOllamaServer({ baseURL }).installed()
  assert.equal(installed?.size, 60)
  assert.equal(asked.filter(({ path }) => path === '/api/show').length, 50)
  assert.equal(mostAtOnce(), 4)
  assert.deepEqual(
    [installed?.get('m49:1b'), installed?.get('m50:1b')],
    [{ images: false, tools: false, thinking: false, window: 16_384 }, {}],
  )
})

test('one that takes its time is not waited for', async t => {
  const never = (): void => undefined
  const slow = await ollama(t, { models: TALKERS, instead: { '/api/tags': never } })
  const began = performance.now()
  assert.equal(await createOllamaServer({ baseURL: slow.baseURL }).installed(), undefined)
  assert.ok(performance.now() - began < 5000)
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`m${index}`, {}]))
  const dull = await ollama(t, { models: many, instead: { '/api/show': never } })
  const from = performance.now()
  assert.equal((await createOllamaServer({ baseURL: dull.baseURL }).installed())?.size, 60)
  assert.ok(performance.now() - from < 8000)
})

test('nonsense, errors and redirects are no answer, and no key goes elsewhere', async t => {
  const printed = (['log', 'warn', 'error'] as const).map(level => t.mock.method(console, level, () => undefined))
  const elsewhere = await ollama(t, { models: TALKERS })
  const answers: readonly ((response: ServerResponse) => void)[] = [
    response => response.end('<html>'),
    response => response.end('{}'),
    response => response.end('{"models":5}'),
    response => response.end('{"models":[null]}'),
    response => response.writeHead(500).end('{"error":"no"}'),
    response => response.writeHead(302, { location: `${elsewhere.baseURL}/api/tags` }).end(),
    response => response.destroy(),
  ]
  for (const answer of answers) {
    const { baseURL } = await ollama(t, { models: {}, instead: { '/api/tags': answer } })
    assert.equal(await createOllamaServer({ baseURL, apiKey: 'k' }).installed(), undefined)
  }
  assert.deepEqual(elsewhere.asked, [])
  for (const answer of answers) {
    const { baseURL } = await ollama(t, { models: TALKERS, instead: { '/api/show': answer } })
    const installed = await createOllamaServer({ baseURL }).installed()
    assert.deepEqual(
      [...(installed ?? [])].map(([name]) => name),
      ['llava:latest', 'old:latest', 'qwen3:8b'],
    )
  }
  for (const { mock } of printed) assert.equal(mock.callCount(), 0, 'and nothing is printed')
})

test('key and headers of the settings are sent along', async t => {
  const { baseURL, asked } = await ollama(t, { models: TALKERS })
  const setting: ProviderSetting = { baseURL, apiKey: 'the-key', headers: { 'x-team': 'blue' } }
  await createOllamaServer(setting).installed()
  assert.equal(asked.length, 4)
  for (const { headers } of asked) assert.deepEqual([headers.authorization, headers['x-team']], ['Bearer the-key', 'blue'])
})

test('a window is what the model’s own file sets, on a line of its own, else what the model was made for, within bounds', async t => {
  const given: Readonly<Record<string, string>> = {
    'a:1': 'num_ctx 4096',
    'b:1': 'temperature 0.7\n  num_ctx\t16384  \nstop "x"',
    'c:1': 'stop "num_ctx 5"',
    'd:1': 'num_ctx many',
    'e:1': 'num_ctx 0',
    'f:1': 'my_num_ctx 5',
    'g:1': 'num_ctx 65536',
  }
  const made: Readonly<Record<string, Shown['model_info'] | undefined>> = {
    'm:1': { 'general.architecture': 'llama', 'llama.context_length': 8000, 'llama.embedding_length': 1 },
    'n:1': { 'llama.context_length': 131_072 },
    'o:1': { 'llama.context_length': 'long' },
    'p:1': {},
    'q:1': null,
  }
  const { baseURL } = await ollama(t, {
    models: {
      ...Object.fromEntries(Object.entries(given).map(([name, parameters]) => [name, { parameters, model_info: {} }])),
      ...Object.fromEntries(Object.entries(made).map(([name, model_info]) => [name, { model_info: model_info ?? null }])),
    },
  })
  const installed = await createOllamaServer({ baseURL }).installed()
  assert.deepEqual(
    [...(installed ?? [])].map(([name, { window }]) => [name, window]),
    [
      ['a:1', 4096],
      ['b:1', 16_384],
      ['c:1', undefined],
      ['d:1', undefined],
      ['e:1', undefined],
      ['f:1', undefined],
      ['g:1', 65_536],
      ['m:1', 8000],
      ['n:1', 16_384],
      ['o:1', undefined],
      ['p:1', undefined],
      ['q:1', undefined],
    ],
  )
})

test('an address of this machine’s own network alone is never asked', async t => {
  const asked = t.mock.method(globalThis, 'fetch', async () => new Response('{"models":[]}'))
  for (const baseURL of ['http://169.254.169.254', 'http://[fe80::1]:11434'])
    assert.equal(await createOllamaServer({ baseURL }).installed(), undefined, baseURL)
  assert.equal(asked.mock.callCount(), 0)
})

test('a model that is about to be used is asked for once, and settings that give its window spare that', async t => {
  const { baseURL, asked } = await ollama(t, { models: TALKERS })
  const models = modelsOf(baseURL, { models: { 'ollama/old': { window: 50_000 } } })
  await Promise.all([models.learn('ollama/qwen3:8b'), models.learn('ollama/qwen3:8b')])
  await models.learn('ollama/qwen3:8b')
  await models.learn('ollama/old')
  await models.learn('demo')
  assert.deepEqual(
    asked.map(({ path }) => path),
    ['/api/show'],
  )
  const [known, set] = ['ollama/qwen3:8b', 'ollama/old'].map(name => models.named(name))
  assert.ok(known?.ok && set?.ok)
  assert.deepEqual([known.value.window, known.value.facts.images, set.value.window], [16_384, false, 50_000])
  assert.deepEqual(await factsOf(models, 'ollama/qwen3:8b'), {
    window: 16_384,
    images: false,
    tools: true,
    thinking: true,
    ready: true,
  })
})

test('a model that was used before its server spoke keeps its window, whatever is said later', async t => {
  let answers = false
  const held: ServerResponse[] = []
  const show = (response: ServerResponse): void => {
    if (answers) response.end(JSON.stringify({ capabilities: ['completion'], model_info: { 'x.context_length': 131_072 } }))
    else held.push(response)
  }
  const { baseURL } = await ollama(t, { models: TALKERS, instead: { '/api/show': show } })
  const models = modelsOf(baseURL)
  const began = performance.now()
  await models.learn('ollama/qwen3:8b')
  assert.ok(performance.now() - began < 5000)
  const windowOf = (): number | undefined => {
    const named = models.named('ollama/qwen3:8b')
    return named.ok ? named.value.window : undefined
  }
  assert.equal(windowOf(), 8192)
  answers = true
  assert.deepEqual(await factsOf(models, 'ollama/qwen3:8b'), {
    window: 8192,
    images: false,
    tools: false,
    thinking: false,
    ready: true,
  })
  await models.learn('ollama/qwen3:8b')
  assert.equal(windowOf(), 8192)
})

test('without a server, or without the model, nothing is fixed: it is asked for again', async t => {
  const { baseURL, stop } = await ollama(t, { models: TALKERS })
  const away = createOllamaServer({ baseURL: 'http://127.0.0.1:1' })
  await away.learn('qwen3:8b')
  assert.equal(away.saidOf('qwen3:8b'), undefined)
  const server = createOllamaServer({ baseURL })
  await server.learn('mistral')
  assert.equal(server.saidOf('mistral'), undefined)
  await server.learn('qwen3:8b')
  await stop()
  assert.equal(server.saidOf('qwen3:8b')?.window, 16_384, 'what was said stays')
})
