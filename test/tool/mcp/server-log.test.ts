// What is kept of an MCP server's error output.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServerLog } from '../../../src/tool/mcp/server-log.ts'

const textsOf = (log: ReturnType<typeof createServerLog>): readonly string[] => log.lines().map(({ text }) => text)

test('of many lines the last ones are kept, and the secrets are looked up once for each piece', () => {
  let asked = 0
  const log = createServerLog(() => {
    asked += 1
    return ['decoy-secret']
  })
  log.hear(Buffer.from(`${'\n'.repeat(60_000)}one decoy-secret\n`))
  assert.deepEqual(textsOf(log), ['one (hidden)'])
  log.hear(Buffer.from(Array.from({ length: 30_000 }, (_, index) => `line ${index}`).join('\n')))
  log.hear(Buffer.from('\n'))
  assert.equal(textsOf(log).length, 200)
  assert.equal(textsOf(log).at(-1), 'line 29999')
  assert.equal(asked, 3)
})

test('a secret of several lines is hidden line by line, and a line in two pieces is one', () => {
  const log = createServerLog(() => ['-----BEGIN KEY-----\ndecoydecoydecoy\nmoredecoymore\n-----END KEY-----'])
  log.hear(Buffer.from('it is -----BEGIN KEY-----\ndecoydecoy'))
  log.hear(Buffer.from('decoy\nmoredecoymore and\nthe e'))
  log.end()
  assert.deepEqual(textsOf(log), ['it is (hidden)', '(hidden)', '(hidden) and', 'the e'])
})
