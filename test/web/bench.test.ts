// The comparison of policies on the page: how it is asked for, and where its points are drawn.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { ChartPoint } from '../../src/gateway/cli/context/bench-chart.ts'
import { PLOT_BOX, PLOT_HEIGHT, plotOf, pointWords } from '../../web/src/pages/bench/plot.ts'
import { createPolicyBench } from '../../web/src/wire/bench-api.ts'
import { tries } from '../support/tries.ts'

const point = (letter: string, price: number, recall: number, isBest = false): ChartPoint => ({
  ...{ letter, name: `policy ${letter}`, price, recall, visible: null, isBest, leads: isBest },
})

describe('the chart of a comparison', () => {
  test('has price to the right and recall upward, and a line through the best, cheapest first', () => {
    const plot = plotOf([point('A', 4000, 0.9, true), point('B', 8000, 1, true), point('C', 6000, 0.2)], 720)
    assert.deepEqual(
      plot.frontier.map(({ letter }) => letter),
      ['A', 'B'],
    )
    const [a, c, b] = plot.points
    assert.ok(a !== undefined && b !== undefined && c !== undefined)
    assert.ok(a.x < c.x && c.x < b.x && b.y < a.y && a.y < c.y)
    assert.deepEqual([plot.prices.at(0)?.value, plot.prices.at(-1)?.value], [0, 10_000])
    assert.equal(plotOf([], 350).prices.length, 3, 'fewer marks where there is less room')
  })

  test('keeps every point within its frame, and letters apart', () => {
    const some = fc.array(
      fc.record({ price: fc.integer({ min: 0, max: 200_000 }), recall: fc.double({ min: 0, max: 1, noNaN: true }) }),
      {
        maxLength: 12,
      },
    )
    fc.assert(
      fc.property(some, fc.constantFrom(350, 720), (given, width) => {
        const { points } = plotOf(
          given.map(({ price, recall }, index) => point(String.fromCharCode(65 + index), price, recall)),
          width,
        )
        assert.equal(points.length, given.length)
        for (const { x, y } of points) {
          assert.ok(x >= PLOT_BOX.left && x <= width - PLOT_BOX.right, `${x}`)
          assert.ok(y >= PLOT_BOX.top && y <= PLOT_HEIGHT - PLOT_BOX.bottom, `${y}`)
        }
        const places = points.map(({ letterX, letterY }) => `${Math.round(letterX)} ${Math.round(letterY)}`)
        assert.equal(new Set(places).size, places.length, 'no letter stands on another')
      }),
      tries(100),
    )
  })

  test('says each point in words', () => {
    assert.equal(
      pointWords(point('A', 4210.4, 0.93, true)),
      'A: policy A, recall 93 % for 4,210 units per request, the most recall for its price',
    )
  })
})

describe('a comparison', () => {
  const wish = { sessions: ['ses_1'], withoutMemory: true }
  const never = new AbortController().signal
  const answering = (body: string, status = 200) => {
    const asked: unknown[] = []
    const bench = createPolicyBench(async (path, init) => {
      asked.push([path, init?.method, JSON.parse(String(init?.body))])
      return new Response(body, { status })
    })
    return { asked, bench }
  }
  const frame = (event: string, data: object): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
  const progress = { policy: 'steady', budget: null, session: 'ses_1', requests: 3 }
  const report = { sessions: 1, questions: 2, isMade: true, skipped: [], rows: [] }

  test('tells how far it has come, and what came of it', async () => {
    const { asked, bench } = answering(frame('progress', progress) + frame('done', report))
    const heard: unknown[] = []
    assert.deepEqual(await bench(wish, done => heard.push(done), never), { ok: true, value: report })
    assert.deepEqual(heard, [progress])
    assert.deepEqual(asked, [['api/policies/bench', 'POST', wish]])
  })

  test('that fails, is refused or breaks off is a problem', async () => {
    const titles = async (body: string, status?: number): Promise<string> => {
      const outcome = await answering(body, status).bench(wish, () => {}, never)
      return outcome.ok ? 'no problem' : `${outcome.problem.title}: ${outcome.problem.detail}`
    }
    assert.equal(await titles(frame('fault', { kind: 'store', message: 'disk' })), 'The comparison could not be finished: disk')
    assert.match(await titles(JSON.stringify({ title: 'Busy', detail: 'another is running' }), 409), /^Busy/)
    assert.match(await titles(frame('progress', progress)), /cannot be reached/)
  })
})
