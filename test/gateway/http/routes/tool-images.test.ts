// Images of an MCP server's results, from its process to the request of each provider, and out again by every door.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Fake, type FakeWire, startFake } from '../../../../src/testing/index.ts'
import { hash } from '../../../../src/turn/step/measure.ts'
import { PNG } from '../../../support/files.ts'
import { startWorkspace, type TestWorkspace } from '../../../support/workspace.ts'
import { type Client, clientOf, type Json } from '../client.ts'

const CHILD = join(import.meta.dirname, '../../../tool/mcp-child.ts')
const BYTES = Buffer.from(PNG, 'base64')

/** A gateway with the server of images, and a provider that calls its tools, one after the other, before it answers. */
async function picturing(
  t: TestContext,
  fake: Fake,
  model: string,
  tools: readonly string[],
  settings: object = {},
): Promise<{ readonly workspace: TestWorkspace; readonly client: Client }> {
  const [provider = ''] = model.split('/')
  const workspace = await startWorkspace(
    t,
    {
      'turnwise.json': {
        model,
        providers: { [provider]: { apiKey: '$FAKE_KEY', baseURL: fake.url } },
        mcp: { page: { command: process.execPath, args: [CHILD, 'pictures', PNG] } },
        tools: { approve: { 'page__*': 'auto' } },
        ...settings,
      },
    },
    { PATH: process.env.PATH ?? '', FAKE_KEY: 'sk-fake', OLLAMA_HOST: fake.url },
  )
  const client = clientOf(workspace.url)
  await t.waitFor(async () => assert.equal((await client.json(200, 'GET', '/api/mcp')).items[0].state, 'ready'), {
    timeout: 20_000,
  })
  tools.forEach((tool, index) => {
    fake.say({ says: [{ type: 'call', id: `call_${index + 1}`, tool: `page__${tool}`, args: '{}' }] })
  })
  fake.say({ says: [{ type: 'text', text: 'I see it.' }] })
  return { workspace, client }
}

const chatsOf = ({ requests }: Fake): readonly Json[] =>
  requests.flatMap(({ json }) => ((json as Json)?.messages === undefined ? [] : [json as Json]))

const settledIn = async (client: Client, session: string): Promise<Json[]> =>
  (await client.events(session)).filter(({ type }) => type === 'tool.settled')

const TEXT = 'done\n\nThe page.\n[image png, 1 KB]\n[resource "shots://today/two.png?full" png, 1 KB]'
const LINE = '[2 images of the result of page__shot, call call_1:]'
const url = `data:image/png;base64,${PNG}`
const source = { type: 'base64', media_type: 'image/png', data: PNG }

/** What the last messages of the second request are, for each service. */
const SENT: Readonly<
  Record<FakeWire, { readonly model: string; readonly settings?: object; readonly messages: readonly Json[] }>
> = {
  anthropic: {
    model: 'anthropic/claude-sonnet-4-5',
    messages: [
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'call_1',
            content: [
              { type: 'text', text: TEXT },
              { type: 'image', source },
              { type: 'image', source },
            ],
          },
        ],
      },
    ],
  },
  openai: {
    model: 'openai/gpt-5.1',
    messages: [
      { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: TEXT }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: LINE },
          { type: 'image_url', image_url: { url } },
          { type: 'image_url', image_url: { url } },
        ],
      },
    ],
  },
  ollama: {
    model: 'ollama/qwen3-vl:8b',
    settings: { models: { 'ollama/qwen3-vl:8b': { images: true, tools: true, window: 32_000 } } },
    messages: [
      { role: 'tool', tool_name: 'page__shot', tool_call_id: 'call_1', content: TEXT },
      { role: 'user', content: LINE, images: [PNG, PNG] },
    ],
  },
}

for (const [wire, { model, settings, messages }] of Object.entries(SENT))
  test(`${wire}: the images of a result reach the model, and the file route gives their bytes`, async t => {
    await using fake = await startFake({ wire: wire as FakeWire })
    const { client } = await picturing(t, fake, model, ['shot'], settings)
    const session = await client.open()
    await client.talk(session, 'Look at the page.')
    const [, second] = chatsOf(fake)
    assert.deepEqual(second.messages.slice(-messages.length).map(unmarked), messages)

    const [settled] = await settledIn(client, session)
    const image = { type: 'image', mediaType: 'image/png', hash: hash(PNG), bytes: BYTES.length, tokens: 85 }
    assert.deepEqual(settled.images, [
      { ...image, name: 'image-2.png' },
      { ...image, name: 'two.png' },
    ])
    const file = await client.ask('GET', `${session}/files/${encodeURIComponent(hash(PNG))}`)
    assert.deepEqual([file.status, file.headers.get('content-type')], [200, 'image/png'])
    assert.deepEqual(Buffer.from(await file.arrayBuffer()), BYTES)
  })

/** Without marks of the cache. */
const unmarked = (message: Json): Json =>
  JSON.parse(JSON.stringify(message), (key, value: unknown) => (key === 'cache_control' ? undefined : value))

test('what is no image that models see is a line with its reason, and the rest still goes out', async t => {
  await using fake = await startFake({ wire: 'anthropic' })
  const { client } = await picturing(t, fake, 'anthropic/claude-sonnet-4-5', ['hostile', 'broken', 'garbled'])
  const session = await client.open()
  await client.talk(session, 'Look at the page.')
  const [settled, failed, garbled] = await settledIn(client, session)
  assert.equal(settled.images.length, 8)
  assert.ok(settled.content.startsWith('[image svg+xml, 1 KB]\n[image jpeg, 1 KB]\n[image png, 1 KB]\n'))
  assert.deepEqual(settled.content.split('\n').slice(100), [
    '[image-1.svg+xml is not shown: only png, jpeg, gif, webp can be]',
    '[image-2.jpeg is not shown: its bytes are not jpeg but png]',
    '[image-3.png is not shown: its bytes are damaged]',
    '[image-4.png is not shown: it has more than 3.75 MB]',
    '[88 more images are not shown: at most 8 go with one result]',
  ])
  assert.equal(failed.images.length, 1)
  assert.match(garbled.outcome, /its answer cannot be read/)
  assert.equal(garbled.images, undefined)
  const [, , third] = chatsOf(fake)
  const [result, ...others] = third.messages.at(-1).content.map(unmarked)
  assert.equal(result.is_error, true)
  assert.deepEqual(result.content, [{ type: 'text', text: 'the tool reports a failure\n\n[image png, 1 KB]' }])
  assert.deepEqual(others, [
    { type: 'text', text: '[Image of the result of page__broken, call call_2:]' },
    { type: 'image', source },
  ])
})

test('a model that does not see reads the lines alone', async t => {
  await using fake = await startFake({ wire: 'openai' })
  const { client } = await picturing(t, fake, 'openai/gpt-5.1', ['shot'], { models: { 'openai/gpt-5.1': { images: false } } })
  const session = await client.open()
  await client.talk(session, 'Look at the page.')
  const [, second] = chatsOf(fake)
  assert.deepEqual(second.messages.at(-1), { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: TEXT }] })
  assert.ok(!JSON.stringify(second).includes(PNG))
  assert.equal((await settledIn(client, session))[0].images.length, 2, 'people see them all the same')
})

test('a fork, an archive, an import and exported pages have the images', async t => {
  await using fake = await startFake({ wire: 'anthropic' })
  const { client } = await picturing(t, fake, 'anthropic/claude-sonnet-4-5', ['shot'])
  const session = await client.open()
  await client.talk(session, 'Look at the page.')
  const at = (await client.events(session)).at(-1).seq
  const fork = `/api/sessions/${(await client.json(201, 'POST', `${session}/fork`, { body: { at } })).id}`
  const archive = await (await client.ask('GET', `${session}/export?format=json`)).text()
  const html = await (await client.ask('GET', `${session}/export?format=html`)).text()
  assert.equal(html.split(`<figure><img src="${url}" alt="`).length, 3)
  assert.ok(html.indexOf('<figure>') < html.indexOf('I see it.'), 'in the place of their call')
  assert.ok(!html.includes('<template'))
  const markdown = await (await client.ask('GET', `${session}/export?format=markdown`)).text()
  assert.match(markdown, /\*Image two\.png \(\d+ bytes\)\*/)

  const picture = (of: string): Promise<Response> => client.ask('GET', `${of}/files/${encodeURIComponent(hash(PNG))}`)
  assert.equal((await client.ask('DELETE', session)).status, 204)
  assert.equal((await picture(fork)).status, 200)
  const imported = await client.ask('POST', '/api/import', { body: archive, headers: { 'content-type': 'application/json' } })
  assert.equal(imported.status, 200, await imported.clone().text())
  assert.equal(await (await client.ask('GET', `${session}/export?format=json`)).text(), archive)
  assert.equal((await client.ask('DELETE', fork)).status, 204)
  assert.equal((await picture(session)).status, 200)
  fake.say({ says: [{ type: 'text', text: 'Still there.' }] })
  await client.talk(session, 'And now?')
  const last = chatsOf(fake).at(-1)
  assert.equal(JSON.stringify(last).split(PNG).length, 3, 'an earlier turn shows them, too')
})
