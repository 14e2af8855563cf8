import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { BenchRow } from '../../../../src/engine.ts'
import { pointsOf, svgChart, textChart } from '../../../../src/gateway/cli/context/bench-chart.ts'
import { QUESTION } from '../../../turn/inspect/recalling.ts'
import { command } from '../in-process.ts'
import { recalledHome } from '../recalled-home.ts'
import { serve } from '../turnwise.ts'

const row = (policy: string, units: number, recall: number | null, budget: number | null = null): BenchRow => ({
  ...{ policy, budget, recall, units, evidence: 4, found: 2, inPart: 0, requests: 9, tooLong: 0 },
  ...{ tokens: units, cached: 0, used: 0, visible: 0, folds: 0, foldUnits: 0, foldTokens: 0 },
})

test('a point is best if no other has more recall for its price', () => {
  const points = pointsOf([
    row('a', 100, 0.2),
    row('b', 90, 0.5),
    row('b', 300, 0.9, 4000),
    row('c', 300, 0.4),
    row('d', 10, null),
  ])
  assert.deepEqual(
    points.map(({ letter, name, isBest }) => [letter, name, isBest]),
    [
      ['A', 'a', false],
      ['B', 'b', true],
      ['B', 'b 4,000', true],
      ['C', 'c', false],
    ],
  )
})

test('a point with less recall is best, too, if it shows more identifiers for its price', () => {
  const shown = (each: BenchRow, visible: number): BenchRow => ({ ...each, used: 10, visible })
  const rows = [shown(row('a', 100, 0.5), 5), shown(row('b', 110, 0.4), 8), shown(row('c', 120, 0.4), 7)]
  assert.deepEqual(
    pointsOf(rows).map(({ name, isBest, leads }) => [name, isBest, leads]),
    [
      ['a', true, true],
      ['b', true, false],
      ['c', false, false],
    ],
  )
})

test('the chart has a letter for each point, and dots where the best ones lead', () => {
  const chart = textChart(pointsOf([row('low', 0, 0), row('mid', 100, 0.5), row('bad', 200, 0), row('top', 200, 1)]))
  const at = (letter: string): [number, number] => {
    const line = chart.findIndex(text => text.slice(8).includes(letter) && !text.includes('recall'))
    return [line, chart[line]?.indexOf(letter) ?? -1]
  }
  const [a, b, c, d] = ['A', 'B', 'C', 'D'].map(at)
  assert.ok(a !== undefined && b !== undefined && c !== undefined && d !== undefined)
  assert.deepEqual([a[0], b[0], c[0], d[0]], [15, 8, 15, 1])
  assert.ok(a[1] < b[1] && b[1] < d[1] && c[1] === d[1])
  assert.match(chart[8] ?? '', /^ {2}50 % │ +B·+$/)
  assert.match(chart.at(-2) ?? '', /^ +0 +200$/)
  assert.deepEqual(textChart([]), [])
})

test('the SVG names its axes and points, and is readable on light and dark', () => {
  const svg = svgChart(pointsOf([row('a<b', 50, 0.25), row('steady', 100, 0.5, 8000)]))
  assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 820 460"/)
  for (const part of [
    'Price: billed units of input per request',
    'Recall: share of the evidence',
    'a&lt;b',
    'steady 8,000',
    '<polyline',
    'prefers-color-scheme:dark',
  ])
    assert.ok(svg.includes(part), part)
  assert.doesNotMatch(svg, /NaN|undefined|a<b/)
})

test('labels of points that are close do not cover each other, and rings are the identifiers in sight', () => {
  const shown = { ...row('steady', 100, 0.5), used: 4, visible: 3 }
  const svg = svgChart(pointsOf([shown, { ...shown, withoutMemory: true }, { ...shown, policy: 'full', units: 101 }]))
  const heights = [...svg.matchAll(/<text x="[\d.]+" y="([\d.]+)"[^>]*>(?:steady|full)/g)].map(([, y]) => Number(y))
  assert.equal(heights.length, 3)
  const sorted = heights.toSorted((a, b) => a - b)
  for (const [index, height] of sorted.entries()) assert.ok(index === 0 || height - (sorted[index - 1] ?? 0) >= 15)
  assert.ok(svg.includes('>steady without memory<'))
  assert.match(svg, /fill="none" stroke="#[0-9a-f]{6}" stroke-width="1.5"><title>steady: 75 % of the identifiers in sight/)
})

test('policies are compared over own sessions, beside a gateway too, the same each time', async t => {
  const { home, id } = await recalledHome(t)
  const argv = ['policies', 'bench', '--policies', 'generous,forgetful,full', '--budgets', '400,700']
  const chart = join(home, 'chart.svg')
  const { code, stdout, stderr } = await command(home, [...argv, '--chart', chart])
  assert.deepEqual([code, stderr], [0, ''])
  assert.match(stdout, /^\d+ questions made from 1 session; no model was asked\n/)
  assert.match(stdout, /^ {2}A +generous +400 +\d+ % +\d+ +\d+ +\d+ % +/m)
  assert.match(stdout, /best for its price/)
  assert.match(stdout, /^ {2}recall\n 100 % │/m)
  assert.ok(stdout.endsWith(`  ${chart} has the chart\n`))
  assert.match(readFileSync(chart, 'utf8'), /<\/svg>\n$/)
  const report = JSON.parse((await command(home, [...argv, '--sessions', id, '--json'])).stdout)
  assert.deepEqual([report.rows.length, report.sessions, report.isMade], [12, 1, true])
  const at = (policy: string, budget: number): BenchRow =>
    report.rows.find((each: BenchRow) => each.policy === policy && each.budget === budget)
  assert.ok((at('generous', 700).recall ?? 0) > (at('forgetful', 700).recall ?? 1))
  assert.match(stdout, /^ {2}B +generous without memory +400 +/m)
  const alone = JSON.parse((await command(home, [...argv, '--no-memory', '--json'])).stdout)
  assert.deepEqual(
    alone.rows,
    report.rows.filter((each: BenchRow) => each.withoutMemory === undefined),
  )

  const again = await command(home, [...argv, '--chart', chart])
  assert.notEqual(again.code, 0)
  assert.match(again.stderr, /chart\.svg exists already and is left as it is; choose another name/)

  await serve(t, { home })
  rmSync(chart)
  assert.equal((await command(home, [...argv, '--chart', chart])).stdout, stdout)
})

test('questions come from a file, and what is wrong with it is said', async t => {
  const { home, id } = await recalledHome(t)
  const file = join(home, 'pairs.json')
  const bench = async (pairs: unknown, ...more: readonly string[]) => {
    writeFileSync(file, typeof pairs === 'string' ? pairs : JSON.stringify(pairs))
    return command(home, ['policies', 'bench', '--policies', 'generous,forgetful', '--pairs', file, ...more])
  }
  const asked = await bench([{ session: id.slice(0, 14), question: QUESTION, evidence: [1] }])
  assert.equal(asked.code, 0, asked.stderr)
  assert.match(asked.stdout, /^1 question about 1 session; no model was asked\n/)
  assert.match(asked.stdout, /^ {2}A +generous +100 % /m)
  assert.match(asked.stdout, /^ {2}B +generous without memory +0 % /m)
  assert.match(asked.stdout, /^ {2}C +forgetful +0 % /m)
  for (const [pairs, complaint] of [
    [[], /pairs\.json: .*has no questions; write at least one/],
    [[{ session: id, question: 'x', evidence: [] }], /pairs\.json: pairs\.0\.evidence: .*names no message/],
    [[{ session: 'nowhere', question: 'x', evidence: [1] }], /pairs\.json: pairs\.0\.session: there is no session nowhere/],
    ['[', /pairs\.json: /],
  ] as const) {
    const { code, stdout, stderr } = await bench(pairs)
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, complaint)
  }
  const missing = await command(home, ['policies', 'bench', '--pairs', join(home, 'none.json')])
  assert.match(missing.stderr, /none\.json: there is no such file; write one as in docs\/policy\.md\n$/)
  const unknown = await command(home, ['policies', 'bench', '--policies', 'stedy'])
  assert.deepEqual([unknown.code, unknown.stderr.split(';')[0]], [2, 'turnwise: there is no policy "stedy"'])
  const odd = await command(home, ['policies', 'bench', '--budgets', '1k'])
  assert.equal(odd.code, 2)
})
