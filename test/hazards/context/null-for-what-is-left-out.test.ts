// Many models write null for an argument that they leave out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skillTools } from '../../../src/tool/descriptor/skill-tools.ts'
import type { Settlement } from '../../../src/tool/toolbox.ts'
import { call, folderFor, operatorIn, putProbe } from '../../tool/ground.ts'

const TOOLS = JSON.stringify({
  tools: [
    {
      name: 'search',
      parameters: {
        type: 'object',
        properties: {
          query: { type: 'string' },
          page: { type: 'string' },
          limit: { type: 'integer', minimum: 1 },
          mode: { enum: ['fast', 'slow'] },
          deep: { type: 'boolean' },
        },
        required: ['query'],
        additionalProperties: false,
      },
    },
  ],
  allowlist: { probe: ['go'] },
  execution: [
    {
      tool: 'search',
      binary: 'probe',
      subcommand: 'go',
      args: [
        { param: 'query' },
        { param: 'limit', kind: 'flag' },
        { param: 'mode', kind: 'flag' },
        { param: 'deep', kind: 'flagifboolean', flagIfTrue: '--deep', flagIfFalse: '--shallow' },
      ],
    },
  ],
})

const UNFIT = 'the arguments do not fit; nothing was run'
const TABLE: readonly (readonly [string, object, Partial<Settlement>])[] = [
  [
    'all that is optional',
    { query: 'x', limit: null, mode: null, deep: null, page: null },
    { content: '["go","x","--shallow"]' },
  ],
  ['one of them', { query: 'x', limit: 3, mode: null }, { content: '["go","x","--limit","3","--shallow"]' }],
  ['what is required', { query: null }, { outcome: UNFIT, content: 'query: must be string' }],
  ['what nobody asked for', { query: 'x', other: null }, { outcome: UNFIT, content: 'other: there is no such argument' }],
]

for (const [name, args, expected] of TABLE)
  test(`null for an argument counts as left out where it may be left out: ${name}`, async t => {
    const folder = folderFor(t)
    putProbe(folder)
    const { tools, troubles } = await skillTools([{ skill: 'a', folder, text: TOOLS }], operatorIn(folder))
    assert.deepEqual(troubles, [], 'a slot without a kind is positional')
    assert.partialDeepStrictEqual(await call(tools[0], args), expected)
  })

test('null for a positional that the schema leaves open is a missing one', async t => {
  const folder = folderFor(t)
  putProbe(folder)
  const text = TOOLS.replace('"required":["query"]', '"required":[]')
  const { tools } = await skillTools([{ skill: 'a', folder, text }], operatorIn(folder))
  assert.deepEqual(await call(tools[0], { query: null }), {
    ok: false,
    outcome: 'the arguments cannot be used; nothing was run',
    content: 'query: is missing',
  })
})
