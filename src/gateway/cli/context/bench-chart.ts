// Draws recall over price, as text and as SVG.
import type { BenchRow } from '../../../engine.ts'
import { figure } from '../output/phrase.ts'

/** One policy with one budget, as a point. */
export type ChartPoint = {
  readonly letter: string
  readonly name: string
  readonly price: number
  readonly recall: number
  /** No other point has more recall for the same price or less. */
  readonly isBest: boolean
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** A letter for each policy, in the order of the rows. */
export function lettersOf(rows: readonly BenchRow[]): ReadonlyMap<string, string> {
  const names = [...new Set(rows.map(({ policy }) => policy))]
  return new Map(names.map((name, index) => [name, LETTERS[index] ?? '?']))
}

/** The points of all rows that have a recall. */
export function pointsOf(rows: readonly BenchRow[]): readonly ChartPoint[] {
  const letters = lettersOf(rows)
  return rows.flatMap(({ policy, budget, recall, units }) => {
    if (recall === null) return []
    const isBeaten = rows.some(
      other =>
        other.recall !== null && other.units <= units && other.recall >= recall && (other.units < units || other.recall > recall),
    )
    const name = budget === null ? policy : `${policy} ${figure(budget)}`
    return [{ letter: letters.get(policy) ?? '?', name, price: units, recall, isBest: !isBeaten }]
  })
}

const COLUMNS = 60
const ROWS = 15
/** Left of the axis: a share and its sign. */
const MARGIN = 7

/** Recall upward, price to the right, a letter for each policy; dots are the most recall for the price. */
export function textChart(points: readonly ChartPoint[]): readonly string[] {
  if (points.length === 0) return []
  const most = niceMost(Math.max(...points.map(({ price }) => price)))
  const grid = Array.from({ length: ROWS }, () => Array.from({ length: COLUMNS }, () => ' '))
  const columnOf = (price: number): number => Math.round((price / most) * (COLUMNS - 1))
  const rowOf = (recall: number): number => ROWS - 1 - Math.round(recall * (ROWS - 1))
  const put = (row: number, column: number, sign: string): void => {
    const cells = grid[row]
    if (cells !== undefined) cells[column] = sign
  }
  for (let column = 0; column < COLUMNS; column += 1) {
    const best = points.filter(({ isBest, price }) => isBest && columnOf(price) <= column)
    if (best.length > 0) put(rowOf(Math.max(...best.map(({ recall }) => recall))), column, '·')
  }
  for (const { letter, price, recall } of points.toSorted((a, b) => Number(a.isBest) - Number(b.isBest)))
    put(rowOf(recall), columnOf(price), letter)
  const label = (row: number): string => {
    const share = (ROWS - 1 - row) / (ROWS - 1)
    return (row % ((ROWS - 1) / 2) === 0 ? `${Math.round(share * 100)} %` : '').padStart(MARGIN - 1)
  }
  const end = figure(most)
  return [
    '  recall',
    ...grid.map((cells, row) => `${label(row)} │${cells.join('').trimEnd()}`.trimEnd()),
    `${' '.repeat(MARGIN)}└${'─'.repeat(COLUMNS)}`,
    `${' '.repeat(MARGIN)} 0${end.padStart(COLUMNS - 1)}`,
    `${' '.repeat(MARGIN)} price: billed units of input per request; · the most recall for the price`,
  ]
}

/** A round number that is not below. */
function niceMost(most: number): number {
  const size = 10 ** Math.floor(Math.log10(Math.max(1, most)))
  return [1, 2, 2.5, 5, 10].map(times => times * size).find(each => each >= most) ?? most
}

const WIDTH = 760
const HEIGHT = 460
const BOX = { left: 72, top: 32, right: 140, bottom: 64 } as const
/** Readable on white and on black alike. */
const COLORS = ['#3b82f6', '#e0662f', '#2ea36b', '#a06bea', '#b98a00', '#d9498f', '#1fa3b5', '#8a8f98'] as const

/** The same as an SVG file, with labelled axes and a line through the best points. */
export function svgChart(points: readonly ChartPoint[]): string {
  const most = niceMost(Math.max(1, ...points.map(({ price }) => price)))
  const across = WIDTH - BOX.left - BOX.right
  const down = HEIGHT - BOX.top - BOX.bottom
  const x = (price: number): number => round(BOX.left + (price / most) * across)
  const y = (recall: number): number => round(BOX.top + (1 - recall) * down)
  const letters = [...new Set(points.map(({ letter }) => letter))]
  const colorOf = (letter: string): string => COLORS[letters.indexOf(letter) % COLORS.length] ?? COLORS[0]
  const best = points.filter(({ isBest }) => isBest).toSorted((a, b) => a.price - b.price || a.recall - b.recall)
  const shares = [0, 0.25, 0.5, 0.75, 1]
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="Recall over price, by policy" font-family="system-ui, sans-serif" font-size="13">`,
    '<style>text{fill:#333}.grid{stroke:#8886;stroke-width:1}.axis{stroke:#888;stroke-width:1}@media (prefers-color-scheme:dark){text{fill:#ddd}}</style>',
    ...shares.flatMap(share => [
      `<line class="grid" x1="${BOX.left}" x2="${WIDTH - BOX.right}" y1="${y(share)}" y2="${y(share)}"/>`,
      `<text x="${BOX.left - 8}" y="${y(share) + 4}" text-anchor="end">${share * 100} %</text>`,
      `<text x="${x(share * most)}" y="${HEIGHT - BOX.bottom + 20}" text-anchor="middle">${figure(Math.round(share * most))}</text>`,
    ]),
    `<path class="axis" fill="none" d="M${BOX.left} ${BOX.top}V${HEIGHT - BOX.bottom}H${WIDTH - BOX.right}"/>`,
    `<text x="${BOX.left + across / 2}" y="${HEIGHT - 18}" text-anchor="middle">Price: billed units of input per request</text>`,
    `<text transform="translate(20 ${BOX.top + down / 2}) rotate(-90)" text-anchor="middle">Recall: share of the evidence in the request</text>`,
    ...(best.length < 2
      ? []
      : [
          `<polyline fill="none" stroke="#888" stroke-width="2" stroke-dasharray="5 4" points="${best.map(({ price, recall }) => `${x(price)},${y(recall)}`).join(' ')}"><title>The most recall for the price</title></polyline>`,
        ]),
    ...points.flatMap(({ letter, name, price, recall, isBest }) => [
      `<circle cx="${x(price)}" cy="${y(recall)}" r="${isBest ? 6 : 4}" fill="${colorOf(letter)}"><title>${escapeXml(name)}: ${round(recall * 100)} %, ${figure(price)} units</title></circle>`,
      `<text x="${x(price) + 10}" y="${y(recall) + 4}"${isBest ? ' font-weight="600"' : ''}>${escapeXml(name)}</text>`,
    ]),
    '</svg>',
  ].join('\n')}\n`
}

const round = (value: number): number => Math.round(value * 10) / 10

const escapeXml = (text: string): string =>
  text.replace(/[&<>"]/g, sign => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign)
