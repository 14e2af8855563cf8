// Servers whose lists of models are wrong, endless or too long.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { checkProvider, type ProviderCheck } from '../../src/provider/catalog/model-list.ts'
import { descriptorNamed } from '../../src/provider/providers.ts'

/** Asks a server of this kind that gives the same answer to everything. */
async function checked(t: TestContext, kind: string, body: string, status = 200): Promise<ProviderCheck> {
  const server = createServer((_, response) => void response.writeHead(status, { 'content-type': 'application/json' }).end(body))
  t.after(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return checkProvider(kind, descriptorNamed(kind), { baseURL, apiKey: 'sk-decoy-0123456789' })
}

for (const kind of ['anthropic', 'openai', 'ollama', 'lan']) {
  test(`${kind}: what is no list is said, or has no models`, async t => {
    for (const body of ['null', '7', '"text"', 'not JSON', '']) {
      const { state, models } = await checked(t, kind, body)
      assert.deepEqual([state, models.size], ['unreachable', 0], body)
    }
    for (const body of [
      '[]',
      '{}',
      '[null]',
      '{"data":null,"models":7}',
      '{"data":[null,{"id":7}],"models":[null,{"name":7}]}',
    ]) {
      const { state, models } = await checked(t, kind, body)
      assert.deepEqual([state, models.size], ['ready', 0], body)
    }
  })

  test(`${kind}: a list without end is cut, and names of any length are left out`, async t => {
    const many = Array.from({ length: 60_000 }, (_, index) => ({ id: `m${index}`, name: `m${index}` }))
    const { state, models } = await checked(t, kind, JSON.stringify({ data: many, models: many, has_more: true, last_id: 'm1' }))
    assert.deepEqual([state, models.size], ['ready', 5000])
    const long = [{ id: 'x'.repeat(301), name: 'x'.repeat(301) }]
    assert.equal((await checked(t, kind, JSON.stringify({ data: long, models: long }))).models.size, 0)
    assert.equal((await checked(t, kind, `{"data":"${'x'.repeat(5_000_000)}"}`)).state, 'unreachable')
  })
}

test('an error within errors within errors is read as far as a person would read it', async t => {
  const deep = `${'{"error":'.repeat(5000)}"sk-decoy-0123456789"${'}'.repeat(5000)}`
  for (const body of [deep, '…'.repeat(1_000_000), `{"error":"${'x'.repeat(2_000_000)}"}`]) {
    const { state, message } = await checked(t, 'lan', body, 500)
    assert.equal(state, 'unreachable')
    assert.ok((message ?? '').length < 1000 && !message?.includes('sk-decoy-0123456789'), message?.slice(0, 200) ?? '')
  }
})
