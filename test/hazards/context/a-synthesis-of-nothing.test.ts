// A round that is summed up in a small window: every answer is shortened fairly, none is dropped.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { estimateOf } from '../../../src/context/receipt/lines.ts'
import { asideItems } from '../../../src/context/stages/plan-items.ts'
import { shortenRequired } from '../../../src/context/stages/required.ts'
import { SYNTHESIS } from '../../../src/model/settings/council.ts'
import { says } from '../../../src/testing/scripted.ts'
import { requiredAside } from '../../../src/turn/council/synthesis.ts'
import { createMeasure } from '../../../src/turn/step/measure.ts'
import { advisor, boardOf, councilOf, linesOf, settled, stand } from '../../support/council.ts'
import { tries } from '../../support/tries.ts'

const SENTENCE = 'There are reasons for it, and reasons against it, and each of them has its weight. '

test('three long answers in a window of 8,000 tokens: the synthesis still reads something of each of them', async () => {
  const provider = stand(({ voice }) =>
    says(voice === SYNTHESIS ? 'They differ.' : `${voice} begins. ${SENTENCE.repeat(voice === 'bo' ? 3 : 220)}`),
  )
  const board = await boardOf(councilOf([advisor('ada'), advisor('bo'), advisor('cy')], { synthesis: 'brief' }), {
    provider,
    models: { demo: { window: 8000 } },
  })
  await board.engine.say({ session: board.session, text: 'Shall we rewrite it?', from: 'person' })
  const events = await settled(board, all => all.some(event => event.type === 'turn.ended' && event.voice === SYNTHESIS))

  const request = provider.requests.find(({ voice }) => voice === SYNTHESIS)
  assert.ok(request)
  const text = linesOf(request).join('\n')
  for (const name of ['Ada: ada begins.', 'Bo: bo begins.', 'Cy: cy begins.']) assert.ok(text.includes(name), name)
  assert.ok(text.includes(`Bo: bo begins. ${SENTENCE.repeat(3)}`), 'a short answer stays whole')
  const planned = events.findLast(event => event.type === 'context.planned')
  assert.ok(planned?.type === 'context.planned')
  const { ladder, tokens, in: lines } = planned.receipt
  assert.deepEqual(ladder, ['required'])
  assert.ok(tokens.estimated <= tokens.limit && tokens.estimated > tokens.limit * 0.9, 'it uses the room there is')
  assert.ok(lines.some(({ kind }) => kind === 'reference'))
  for await (const { verdict } of board.engine.verify(board.session)) assert.equal(verdict, 'identical')
  await board.engine.close(0)
})

test('whatever the answers are, each keeps its label and as much of its beginning as the others of its length', () => {
  const measure = createMeasure()
  const block = fc.record({
    label: fc.constantFrom('Ada: ', 'Bo: ', 'Cy: '),
    text: fc.string({ unit: 'grapheme', maxLength: 2000 }),
  })
  fc.assert(
    fc.property(fc.array(block, { minLength: 1, maxLength: 6 }), fc.integer({ min: 300, max: 900 }), (blocks, limit) => {
      const aside = requiredAside('[Answers:\n\n', blocks, ']')
      for (const [index, { from, to }] of (aside.required ?? []).entries())
        assert.equal(aside.text.slice(from, to), blocks[index]?.text)
      const [item] = shortenRequired(asideItems(aside, measure), limit, 1.2, measure)
      assert.ok(item?.required)
      const text = item.messages[0]?.blocks[0]?.type === 'text' ? item.messages[0].blocks[0].text : ''
      const kept = item.required.map(({ from, to }) => text.slice(from, to))
      assert.equal(
        text,
        requiredAside(
          '[Answers:\n\n',
          blocks.map(({ label }, index) => ({ label, text: kept[index] ?? '' })),
          ']',
        ).text,
      )
      for (const [index, each] of kept.entries()) assert.ok(blocks[index]?.text.startsWith(each.replace(/…$/, '')))
      assert.ok(estimateOf([item], 1.2) <= limit)
    }),
    tries(200),
  )
})
