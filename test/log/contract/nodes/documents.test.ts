// Documents are kept with revisions that only rise, and no reader misses a change.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { faultOf, must } from '../../facts.ts'
import { onSharedStores } from './shared-stores.ts'

onSharedStores('Documents', open => {
  test('a change has a higher revision than all before, and is found after each of them', async t => {
    const { a, b } = await open(t)
    const { documents } = a.nodes
    assert.deepEqual(must(await documents.changed(0)), [])
    const odd = 'half \ud800, nothing \u0000 and 雨'
    const first = must(await documents.write('agents.json', '{}'))
    const second = must(await b.nodes.documents.write('prompts/rain.md', odd))
    const third = must(await documents.write('agents.json', '{"a":1}'))
    assert.ok(0 < first && first < second && second < third)
    const rain = { name: 'prompts/rain.md', text: odd, revision: second }
    const agents = { name: 'agents.json', text: '{"a":1}', revision: third }
    assert.deepEqual(must(await b.nodes.documents.changed(0)), [rain, agents])
    assert.deepEqual(must(await b.nodes.documents.changed(second)), [agents])
    const gone = must(await documents.write('prompts/rain.md', null))
    const removed = { name: 'prompts/rain.md', text: null, revision: gone }
    assert.deepEqual(must(await b.nodes.documents.changed(third)), [removed], 'also that it was removed')
    assert.deepEqual(must(await b.nodes.documents.changed(0)), [agents, removed])
    assert.deepEqual(must(await b.nodes.documents.changed(gone)), [])
  })

  test('an edit of an older revision is a conflict and changes nothing', async t => {
    const { a, b } = await open(t)
    const first = must(await a.nodes.documents.write('x', 'a', 0))
    faultOf(await b.nodes.documents.write('x', 'b', 0), 'conflict')
    const second = must(await b.nodes.documents.write('x', 'c', first))
    faultOf(await a.nodes.documents.write('x', 'd', first), 'conflict')
    faultOf(await a.nodes.documents.write('never kept', 'd', first), 'conflict')
    assert.deepEqual(must(await a.nodes.documents.changed(0)), [{ name: 'x', text: 'c', revision: second }])
    const gone = must(await a.nodes.documents.write('x', null, second))
    must(await a.nodes.documents.write('x', 'again', gone))
  })

  test('of edits of one revision at once one is kept', async t => {
    const { a, b } = await open(t)
    const first = must(await a.nodes.documents.write('x', 'a'))
    const tries = await Promise.all([a, b, a, b].map((log, index) => log.nodes.documents.write('x', `${index}`, first)))
    assert.equal(tries.filter(each => each.ok).length, 1)
  })

  test('a reader that has seen a revision never finds a smaller one later', async t => {
    const { a, b } = await open(t)
    const writing = Promise.all(
      Array.from({ length: 60 }, async (_, index) =>
        must(await (index % 2 === 0 ? a : b).nodes.documents.write(`d${index}`, 'x')),
      ),
    )
    let isOver = false
    const over = writing.finally(() => {
      isOver = true
    })
    const seen: number[] = []
    for (let last = false; !last; ) {
      last = isOver
      const found = must(await a.nodes.documents.changed(seen.at(-1) ?? 0))
      seen.push(...found.map(({ revision }) => revision))
    }
    const revisions = [...(await over)]
    assert.deepEqual(
      seen,
      revisions.sort((x, y) => x - y),
      'all of them, in order',
    )
  })
})
