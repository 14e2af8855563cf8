// The settings of an MCP server as form fields.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mcpComplaints, mcpFormOf, mcpPatch, mcpSettingOf, NEW_SERVER } from '../../../web/src/pages/mcp/mcp-form.ts'
import { mcpOfferWords } from '../../../web/src/words/mcp-words.ts'

describe('the form of an MCP server', () => {
  const program = { command: 'npx', args: ['-y', 'a b'], env: { TOKEN: '(hidden)', A: 'x=y' } }
  const address = { url: 'https://example.com/mcp', headers: { authorization: 'Bearer a:b' } }

  test('gives back the settings that it was made of', () => {
    assert.deepEqual(mcpSettingOf(mcpFormOf('files', program)), program)
    assert.deepEqual(mcpSettingOf(mcpFormOf('docs', address)), address)
  })
  test('sends only what differs, so a hidden value stays', () => {
    const form = { ...mcpFormOf('files', program), args: '-y' }
    assert.deepEqual(mcpPatch(form, program), { mcp: { files: { args: ['-y'] } } })
  })
  test('leaves arguments alone that their text cannot tell', () => {
    const script = { command: 'sh', args: ['-c', 'set -e\nexec server', ''], env: { A: 'x' } }
    const form = { ...mcpFormOf('files', script), env: 'A=y' }
    assert.deepEqual(mcpPatch(form, script), { mcp: { files: { env: { A: 'y' } } } })
    assert.deepEqual(mcpPatch(mcpFormOf('files', script), script), { mcp: { files: {} } })
  })
  test('removes what the other kind has', () => {
    const form = { ...mcpFormOf('files', program), kind: 'http' as const, url: 'http://127.0.0.1:1/mcp' }
    assert.deepEqual(mcpPatch(form, program), {
      mcp: { files: { command: null, args: null, env: null, url: 'http://127.0.0.1:1/mcp' } },
    })
  })
  test('says what is missing at each field', () => {
    assert.deepEqual(Object.keys(mcpComplaints({ ...NEW_SERVER, name: 'Files' }, [])), ['name', 'command'])
    assert.match(mcpComplaints({ ...NEW_SERVER, name: 'a', command: 'x' }, ['a']).name ?? '', /There is/)
    assert.match(mcpComplaints({ ...NEW_SERVER, name: 'a', command: 'x', env: '=1' }, []).env ?? '', /NAME=value/)
    assert.deepEqual(mcpComplaints(mcpFormOf('docs', address), []), {})
  })
  test('what a server brings is said in words', () => {
    const tool = { name: 't', description: '', approval: 'ask' as const }
    assert.equal(mcpOfferWords({ tools: [tool], resources: 2, prompts: 0 }), '1 tool, 2 resources')
  })
})
