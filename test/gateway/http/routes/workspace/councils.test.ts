// The contract's §4: councils over HTTP, written to the file of the workspace.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SPECTRUM } from '../../../../../src/gateway/workspace/colors.ts'
import type { Scope } from '../../../../support/gateway.ts'
import { startWorkspace, type TestWorkspace } from '../../../../support/workspace.ts'
import { type Client, clientOf, type Json } from '../../client.ts'

const ANN = { id: 'ann', name: 'Ann', description: 'You ask.', color: '#0a7', active: true }
const BEN = { id: 'ben', name: 'Ben', description: 'You doubt.', color: '#a70', active: true }
const BOARD = { name: 'Board', advisors: [ANN, BEN], references: 'last-round', early: { turns: 3 } }
const KEPT = { key: 'board', ...BOARD }
const PATH = '/api/councils/board'

async function start(t: Scope, councils: object = { board: BOARD }): Promise<TestWorkspace & { readonly client: Client }> {
  const workspace = await startWorkspace(t, { 'councils.json': { councils } })
  return { ...workspace, client: clientOf(workspace.url) }
}

const keptIn = ({ home }: { readonly home: string }): Json =>
  JSON.parse(readFileSync(join(home, 'councils.json'), 'utf8').replace(/^\/\/.*\n/gm, ''))

const idsOf = (council: Json): readonly string[] => council.advisors.map((advisor: Json) => advisor.id)

test('councils are listed as they are kept', async t => {
  const { client, write } = await start(t)
  assert.deepEqual(await client.json(200, 'GET', '/api/councils'), { items: [KEPT] })
  write('councils.json', { councils: {} })
  assert.deepEqual(await client.json(200, 'GET', '/api/councils'), { items: [] })
})

test('one route adds a council, and adds, edits, hides, removes and reorders its advisors', async t => {
  const started = await start(t, {})
  const { client } = started
  const put = (body: object): Promise<Json> => client.json(200, 'PUT', PATH, { body })
  assert.deepEqual(await put(BOARD), KEPT)
  const added = await put({ ...BOARD, advisors: [BEN, ANN, { name: '孔子', description: 'You are calm.' }] })
  assert.deepEqual(idsOf(added), ['ben', 'ann', 'advisor'])
  assert.equal(added.advisors[2].color, SPECTRUM[0])
  const edited = await put({ name: 'Two', advisors: [{ ...ANN, active: false, name: 'Anna', group: 'Old' }] })
  assert.deepEqual(edited, {
    ...KEPT,
    name: 'Two',
    advisors: [{ ...ANN, name: 'Anna', active: false, group: 'Old' }],
  })
  assert.deepEqual(await client.json(200, 'GET', '/api/councils'), { items: [edited] })
  const { key: _, ...written } = edited
  assert.deepEqual(keptIn(started), { councils: { board: written } })
})

test('what is wrong with a council is said by its place, all of it, and nothing is written', async t => {
  const started = await start(t)
  const { client, home } = started
  const before = readFileSync(join(home, 'councils.json'), 'utf8')
  const invalid = async (path: string, body: unknown): Promise<string> =>
    (await client.problem(400, 'invalid', 'PUT', path, { body })).detail
  assert.equal(
    await invalid(PATH, { name: '', advisors: [{ ...ANN, colour: 'red' }, BEN], early: { turns: 99 } }),
    'name: "" must not be empty; early.turns: 99 expected number to be <=50; advisors.0.colour: there is no such setting; did you mean "color"?',
  )
  assert.equal(
    await invalid(PATH, { ...BOARD, advisors: [ANN, { ...ANN, model: 'opus-4' }] }).then(detail => detail.split('; ')[0]),
    'advisors.1.id: "ann" is the id of advisors.0 too',
  )
  assert.match(
    await invalid(PATH, { ...BOARD, advisors: [{ ...ANN, policy: 'x' }] }),
    /^advisors\.0\.policy: there is no "x"; known: /,
  )
  assert.match(await invalid('/api/councils/Board', BOARD), /^key: a name has lowercase letters/)
  assert.match(await invalid('/api/councils/house:synthesis', BOARD), /^key: a name has lowercase letters/)
  assert.match(await invalid('/api/councils/__proto__', BOARD), /^key: a name has lowercase letters/)
  assert.match(await invalid(PATH, { ...KEPT, key: 'other' }), /^key: this address is for "board"; /)
  for (const body of ['[]', '"x"', '5']) assert.equal(await invalid(PATH, body), 'body: expected an object')
  assert.equal(readFileSync(join(home, 'councils.json'), 'utf8'), before)
})

test('a council is deleted once', async t => {
  const { client } = await start(t)
  const gone = await client.ask('DELETE', PATH)
  assert.deepEqual([gone.status, await gone.text()], [204, ''])
  const { detail } = await client.problem(404, 'not-found', 'DELETE', PATH)
  assert.equal(detail, 'there is no council "board"; there are none')
})

test('advisors are exported as a file, and that file is imported as it is', async t => {
  const { client } = await start(t, { board: BOARD, empty: { name: 'Other', advisors: [BEN] } })
  const response = await client.ask('GET', `${PATH}/advisors`)
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('content-disposition'), 'attachment; filename="board-advisors.json"')
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
  const file = await response.text()
  assert.deepEqual(JSON.parse(file), { advisors: [ANN, BEN] })
  const other = await client.json(200, 'POST', '/api/councils/empty/advisors', { body: file })
  assert.deepEqual(other.advisors, [BEN, ANN])
  assert.deepEqual(
    await client.json(200, 'POST', `${PATH}/advisors`, { body: file }),
    KEPT,
    'it changes nothing where it came from',
  )
  await client.problem(404, 'not-found', 'GET', '/api/councils/none/advisors')
  await client.problem(404, 'not-found', 'POST', '/api/councils/none/advisors', { body: file })
})

test('an imported advisor takes the place of its id; new ones come last, never in a colour that is taken', async t => {
  const { client } = await start(t)
  const advisors = [
    { id: 'cy', name: 'Cy', description: 'You count.', color: '#00AA77' },
    { id: 'ann', name: 'Anna', description: 'You ask again.' },
    { name: 'Ben', description: 'You are another Ben.', color: '#123456' },
    { name: 'Dee', description: 'You dare.', color: '#123456' },
  ]
  const council = await client.json(200, 'POST', `${PATH}/advisors`, { body: { advisors } })
  assert.deepEqual(
    council.advisors.map(({ id, name, color }: Json) => [id, name, color]),
    [
      ['ann', 'Anna', '#0a7'],
      ['ben', 'Ben', '#a70'],
      ['cy', 'Cy', SPECTRUM[0]],
      ['ben-2', 'Ben', '#123456'],
      ['dee', 'Dee', SPECTRUM[1]],
    ],
  )
})

test('an import is all or nothing', async t => {
  const started = await start(t)
  const { client } = started
  const imports = async (advisors: readonly object[]): Promise<string> =>
    (await client.problem(400, 'invalid', 'POST', `${PATH}/advisors`, { body: { advisors } })).detail
  const cy = { id: 'cy', name: 'Cy', description: 'You count.' }
  assert.match(await imports([cy, { ...cy, id: 'dee', model: 'nobody' }]), /^advisors\.1\.model: "nobody" is not a model/)
  assert.match(await imports([cy, { ...cy, name: 'Again' }]), /^advisors\.1\.id: "cy" is the id of advisors\.0 too/)
  assert.match(await imports([]), /^advisors: \[\] is empty/)
  const crowd = Array.from({ length: 23 }, (_, index) => ({ ...cy, id: `c${index}` }))
  assert.match(await imports(crowd), /at most 24 advisors$/)
  assert.deepEqual(keptIn(started), { councils: { board: BOARD } })
})

test('a file that is wrong is left as it is, and /readyz says why until it is mended', async t => {
  const { client, home, write, troubles } = await start(t)
  write('councils.json', '{ "councils": ')
  const reason = `${join(home, 'councils.json')}: line 1: ValueExpected; the file is JSON with // comments`
  assert.deepEqual(await client.json(200, 'GET', '/readyz'), { status: 'degraded', reasons: [reason] })
  assert.deepEqual(await client.json(200, 'GET', '/api/councils'), { items: [KEPT] })
  for (const [method, path, body] of [
    ['PUT', PATH, BOARD],
    ['DELETE', PATH, undefined],
    ['POST', `${PATH}/advisors`, { advisors: [ANN] }],
  ] as const) {
    const { detail } = await client.problem(409, 'conflict', method, path, body === undefined ? {} : { body })
    assert.equal(detail, `${reason}; until that is fixed nothing is written`)
  }
  assert.equal(readFileSync(join(home, 'councils.json'), 'utf8'), '{ "councils": ')
  assert.deepEqual(troubles, [reason], 'the operator is told once')
  write('councils.json', { councils: { board: BOARD } })
  assert.deepEqual(await client.json(200, 'GET', '/readyz'), { status: 'ready', reasons: [] })
})

test('edits that come at once are all kept', async t => {
  const { client } = await start(t)
  await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      client.json(200, 'POST', `${PATH}/advisors`, { body: { advisors: [{ name: `New ${index}`, description: 'x' }] } }),
    ),
  )
  const { items } = await client.json(200, 'GET', '/api/councils')
  assert.equal(new Set(idsOf(items[0])).size, 12)
  assert.equal(new Set(items[0].advisors.map((advisor: Json) => advisor.color)).size, 12)
})
