// Places the points of a comparison on a drawing: price to the right, recall upward.
import type { ChartPoint } from '../../../../src/gateway/cli/context/bench-chart.ts'
import { percentWords } from '../../words/amounts.ts'
import { formatCount } from '../../words/words.ts'

/** A point with its place, and the place of its letter. */
export type PlottedPoint = ChartPoint & {
  readonly x: number
  readonly y: number
  readonly letterX: number
  readonly letterY: number
}

/** Everything that is drawn. */
export type Plot = {
  readonly width: number
  readonly height: number
  readonly points: readonly PlottedPoint[]
  /** Through the points with the most recall for their price, cheapest first. */
  readonly frontier: readonly PlottedPoint[]
  /** Marks of the axes, each with its place. */
  readonly prices: readonly { readonly value: number; readonly x: number }[]
  readonly shares: readonly { readonly value: number; readonly y: number }[]
}

export const PLOT_HEIGHT = 300
export const PLOT_BOX = { left: 46, right: 22, top: 16, bottom: 44 } as const

/** How near two letters may be. */
const LETTER_GAP = 13
/** A letter stands above its point on the right. */
const ASIDE = 9

export function plotOf(points: readonly ChartPoint[], width: number): Plot {
  const most = roundedUp(Math.max(1, ...points.map(({ price }) => price)))
  const across = width - PLOT_BOX.left - PLOT_BOX.right
  const down = PLOT_HEIGHT - PLOT_BOX.top - PLOT_BOX.bottom
  const x = (price: number): number => PLOT_BOX.left + (price / most) * across
  const y = (recall: number): number => PLOT_BOX.top + (1 - recall) * down
  const placed: PlottedPoint[] = []
  for (const point of points.toSorted((one, other) => one.price - other.price || one.recall - other.recall)) {
    const [px, py] = [x(point.price), y(point.recall)]
    const letter = { letterX: px + ASIDE, letterY: py - ASIDE + 4 }
    while (placed.some(other => isNear(other, letter))) letter.letterY += LETTER_GAP
    placed.push({ ...point, x: px, y: py, ...letter })
  }
  const steps = width < 500 ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1]
  return {
    ...{ width, height: PLOT_HEIGHT, points: placed },
    frontier: placed.filter(({ leads }) => leads),
    prices: steps.map(share => ({ value: share * most, x: x(share * most) })),
    shares: [0, 0.25, 0.5, 0.75, 1].map(value => ({ value, y: y(value) })),
  }
}

type LetterPlace = Pick<PlottedPoint, 'letterX' | 'letterY'>

const isNear = (one: LetterPlace, other: LetterPlace): boolean =>
  Math.abs(one.letterX - other.letterX) < LETTER_GAP && Math.abs(one.letterY - other.letterY) < LETTER_GAP

/** A round number that is not below. */
function roundedUp(most: number): number {
  const size = 10 ** Math.floor(Math.log10(most))
  return [1, 1.5, 2, 2.5, 3, 4, 5, 7.5, 10].map(times => times * size).find(each => each >= most) ?? most
}

/** A point in a sentence. */
export const pointWords = ({ letter, name, price, recall, leads }: ChartPoint): string =>
  `${letter}: ${name}, recall ${percentWords(recall)} for ${formatCount(Math.round(price))} units per request${
    leads ? ', the most recall for its price' : ''
  }`
