// Draws recall over price, as text and as SVG.
import type { BenchRow } from '../../../engine.ts'
import { figure } from '../output/phrase.ts'

/** One policy with one budget, as a point. */
export type ChartPoint = {
  readonly letter: string
  readonly name: string
  readonly price: number
  readonly recall: number
  /** The share of the identifiers that replies used and that the request showed; null where none was used. */
  readonly visible: number | null
  /** No other point has as much recall and as many identifiers in sight for the same price or less, and more of one of them. */
  readonly isBest: boolean
  /** No other point has more recall for the same price or less. */
  readonly leads: boolean
}

/** What a row is called, without its budget. */
export const contenderName = ({ policy, withoutMemory }: Pick<BenchRow, 'policy' | 'withoutMemory'>): string =>
  withoutMemory === true ? `${policy} without memory` : policy

/** What a row is called, with its budget where it has one. */
export const rowName = (row: BenchRow): string =>
  row.budget === null ? contenderName(row) : `${contenderName(row)} ${figure(row.budget)}`

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** A letter for each policy, in the order of the rows. */
export function lettersOf(rows: readonly BenchRow[]): ReadonlyMap<string, string> {
  const names = [...new Set(rows.map(contenderName))]
  return new Map(names.map((name, index) => [name, LETTERS[index] ?? '?']))
}

/** The points of all rows that have a recall. */
export function pointsOf(rows: readonly BenchRow[]): readonly ChartPoint[] {
  const letters = lettersOf(rows)
  const plain = rows.flatMap(row => {
    const { recall, units: price, used, visible } = row
    return recall === null ? [] : [{ row, price, recall, visible: used === 0 ? null : visible / used }]
  })
  return plain.map(({ row, ...point }) => {
    const letter = letters.get(contenderName(row)) ?? '?'
    const isBest = !plain.some(other => beats(other, point, ['recall', 'visible']))
    return { letter, name: rowName(row), ...point, isBest, leads: !plain.some(other => beats(other, point, ['recall'])) }
  })
}

type Measured = Pick<ChartPoint, 'price' | 'recall' | 'visible'>

/** For no more it gives no less, and one of all this is better. */
function beats(other: Measured, own: Measured, by: readonly ('recall' | 'visible')[]): boolean {
  const gains = [own.price - other.price, ...by.map(key => (other[key] ?? 0) - (own[key] ?? 0))]
  return gains.every(gain => gain >= 0) && gains.some(gain => gain > 0)
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
    const best = points.filter(({ leads, price }) => leads && columnOf(price) <= column)
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

const WIDTH = 820
const HEIGHT = 460
const BOX = { left: 72, top: 32, right: 200, bottom: 64 } as const
/** Readable on white and on black alike. */
const COLORS = ['#3b82f6', '#e0662f', '#2ea36b', '#a06bea', '#b98a00', '#d9498f', '#1fa3b5', '#8a8f98'] as const

/** Labels are at least so far apart, and so wide at most. */
const LABEL = { height: 15, width: 170 } as const

/** The same as an SVG file, with labelled axes, a line through the best points, and a ring for the identifiers in sight. */
export function svgChart(points: readonly ChartPoint[]): string {
  const most = niceMost(Math.max(1, ...points.map(({ price }) => price)))
  const across = WIDTH - BOX.left - BOX.right
  const down = HEIGHT - BOX.top - BOX.bottom
  const x = (price: number): number => round(BOX.left + (price / most) * across)
  const y = (recall: number): number => round(BOX.top + (1 - recall) * down)
  const letters = [...new Set(points.map(({ letter }) => letter))]
  const colorOf = (letter: string): string => COLORS[letters.indexOf(letter) % COLORS.length] ?? COLORS[0]
  const best = points.filter(({ leads }) => leads).toSorted((a, b) => a.price - b.price || a.recall - b.recall)
  const labels = labelsOf(points.map(({ price, recall }) => ({ x: x(price) + 10, y: y(recall) + 4 })))
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
    ...points.flatMap(({ letter, name, price, recall, visible, isBest }, index) => [
      `<circle cx="${x(price)}" cy="${y(recall)}" r="${isBest ? 6 : 4}" fill="${colorOf(letter)}"><title>${escapeXml(name)}: ${round(recall * 100)} %, ${figure(price)} units</title></circle>`,
      ...(visible === null
        ? []
        : [
            `<circle cx="${x(price)}" cy="${y(visible)}" r="4" fill="none" stroke="${colorOf(letter)}" stroke-width="1.5"><title>${escapeXml(name)}: ${round(visible * 100)} % of the identifiers in sight</title></circle>`,
          ]),
      `<text x="${x(price) + 10}" y="${labels[index] ?? 0}"${isBest ? ' font-weight="600"' : ''}>${escapeXml(name)}</text>`,
    ]),
    `<text x="${BOX.left}" y="${BOX.top - 12}" font-size="12">● recall   ○ identifiers in sight   ┄ the most recall for the price</text>`,
    '</svg>',
  ].join('\n')}\n`
}

/** How high each label stands: beside its point, or below the label that is there already. */
function labelsOf(places: readonly { readonly x: number; readonly y: number }[]): readonly number[] {
  const heights = places.map(() => 0)
  const put: { x: number; y: number }[] = []
  for (const [index, { x, y }] of [...places.entries()].sort(([, a], [, b]) => a.y - b.y || a.x - b.x)) {
    const near = put.filter(other => Math.abs(other.x - x) < LABEL.width)
    const height = near.reduce((lowest, other) => (lowest < other.y + LABEL.height ? other.y + LABEL.height : lowest), y)
    put.push({ x, y: height })
    heights[index] = round(height)
  }
  return heights
}

const round = (value: number): number => Math.round(value * 10) / 10

const escapeXml = (text: string): string =>
  text.replace(/[&<>"]/g, sign => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign)
