// The chart of a comparison: recall over price, one point for each policy.
import { useState } from 'react'
import type { ChartPoint } from '../../../../src/gateway/cli/context/bench-chart.ts'
import { useNarrow } from '../../parts/use-narrow.ts'
import { percentWords, shortCount } from '../../words/amounts.ts'
import { PLOT_BOX, type Plot, plotOf, pointWords } from './plot.ts'

const WIDE = 720
/** Where there is less room the drawing has less, so that its words stay as large as they are. */
const NARROW = 350

/** Recall upward, price to the right. The drawing is for the eye; buttons over it name each point, and the table says the same. */
export function BenchChart({ points }: { readonly points: readonly ChartPoint[] }): React.ReactNode {
  const [shown, setShown] = useState<string | null>(null)
  const plot = plotOf(points, useNarrow() ? NARROW : WIDE)
  const point = plot.points.find(({ name }) => name === shown)
  return (
    <div className="chart">
      <div className="chart-sheet">
        <Drawing plot={plot} shown={shown} />
        <ul className="chart-hits bench-hits" aria-label="Recall over price">
          {plot.points.map(each => (
            <li key={each.name} style={{ left: percentOf(each.x, plot.width), top: percentOf(each.y, plot.height) }}>
              <button
                type="button"
                aria-label={pointWords(each)}
                onClick={() => setShown(each.name)}
                onFocus={() => setShown(each.name)}
                onPointerEnter={() => setShown(each.name)}
              />
            </li>
          ))}
        </ul>
      </div>
      <p className="chart-words" aria-hidden="true">
        {point === undefined ? 'Point at a letter, or go to it with Tab, to read what it stands for.' : pointWords(point)}
      </p>
      <ul className="chart-legend" aria-label="Policies in the chart">
        {plot.points
          .toSorted((one, other) => one.letter.localeCompare(other.letter))
          .map(({ letter, name }) => (
            <li key={name}>
              <b>{letter}</b> {name}
            </li>
          ))}
      </ul>
    </div>
  )
}

const percentOf = (part: number, whole: number): string => `${(100 * part) / whole}%`

function Drawing({ plot, shown }: { readonly plot: Plot; readonly shown: string | null }): React.ReactNode {
  const { width, height, points, frontier, prices, shares } = plot
  const [bottom, right] = [height - PLOT_BOX.bottom, width - PLOT_BOX.right]
  return (
    <svg viewBox={`0 0 ${width} ${height}`} className="chart-plot" aria-hidden="true" focusable="false">
      {shares.map(({ value, y }) => (
        <g key={value}>
          <line className="chart-line" x1={PLOT_BOX.left} x2={right} y1={y} y2={y} />
          <text className="chart-tick" x={PLOT_BOX.left - 8} y={y + 4} textAnchor="end">
            {percentWords(value)}
          </text>
        </g>
      ))}
      {prices.map(({ value, x }) => (
        <text key={value} className="chart-tick" x={x} y={bottom + 16} textAnchor="middle">
          {shortCount(value)}
        </text>
      ))}
      <text className="chart-tick" x={(PLOT_BOX.left + right) / 2} y={height - 6} textAnchor="middle">
        Price: billed units of input per request
      </text>
      <polyline className="bench-frontier" points={frontier.map(({ x, y }) => `${x},${y}`).join(' ')} />
      {points.map(({ name, letter, x, y, letterX, letterY, leads }) => (
        <g key={name} className="bench-point" data-best={leads} data-shown={name === shown}>
          <circle cx={x} cy={y} r={leads ? 5.5 : 4} />
          <text x={letterX} y={letterY}>
            {letter}
          </text>
        </g>
      ))}
    </svg>
  )
}
