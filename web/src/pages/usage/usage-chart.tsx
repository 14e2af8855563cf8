// The stacked bars of usage.
import { useId, useState } from 'react'
import { COLORS } from '../../form/colors.ts'
import { useNarrow } from '../../parts/use-narrow.ts'
import { dollars, shortCount } from '../../words/amounts.ts'
import { barWords, type Chart, type UsageBar, type UsageMeasure } from './usage.ts'

const WIDE = 720
/** Where there is less room the drawing has less, so that its words stay as large as they are. */
const NARROW = 360
const HEIGHT = 220
const LEFT = 52
const RIGHT = 14
const TOP = 10
const BOTTOM = 26
const PLOT_HEIGHT = HEIGHT - TOP - BOTTOM
const WIDEST_BAR = 40
const LABEL_WIDTH = 80

type UsageChartProps = { readonly chart: Chart; readonly measure: UsageMeasure }

/** Stacked bars. The drawing is for the eye; buttons over it name each bar that is not empty. */
export function UsageChart({ chart, measure }: UsageChartProps): React.ReactNode {
  const { bars, series } = chart
  const id = useId().replaceAll(/\W/g, '')
  const [shown, setShown] = useState<string | null>(null)
  const bar = bars.find(({ key }) => key === shown)
  const width = useNarrow() ? NARROW : WIDE
  return (
    <div className="chart">
      <div className="chart-sheet">
        <Drawing chart={chart} measure={measure} id={id} width={width} />
        <ul className="chart-hits" aria-label={measure === 'cost' ? 'Cost' : 'Tokens'}>
          {bars.map((stretch, index) =>
            stretch.rows.length === 0 ? null : (
              <li key={stretch.key} style={placeOf(index, bars.length, width)}>
                <button
                  type="button"
                  aria-label={barWords(stretch)}
                  onClick={() => setShown(stretch.key)}
                  onFocus={() => setShown(stretch.key)}
                  onPointerEnter={() => setShown(stretch.key)}
                />
              </li>
            ),
          )}
        </ul>
      </div>
      <p className="chart-words" aria-hidden="true">
        {bar === undefined ? 'Point at a bar, or go to it with Tab, to read what it holds.' : barWords(bar)}
      </p>
      <ul className="chart-legend" aria-label="Models in the chart">
        {series.map((name, index) => (
          <li key={name}>
            <svg viewBox="0 0 16 16" aria-hidden="true" focusable="false" className="chart-key">
              <rect width="16" height="16" rx="3" fill={`url(#${id}-${index})`} />
            </svg>
            {name}
          </li>
        ))}
      </ul>
    </div>
  )
}

const percentOf = (part: number, whole: number): string => `${(100 * part) / whole}%`

/** Where the button of a bar lies over the drawing, at any size. */
const placeOf = (index: number, many: number, width: number): React.CSSProperties => ({
  left: percentOf(LEFT + (roomIn(width) * index) / many, width),
  width: percentOf(roomIn(width) / many, width),
  top: percentOf(TOP, HEIGHT),
  height: percentOf(PLOT_HEIGHT, HEIGHT),
})

/** What of its width is left for bars. */
const roomIn = (width: number): number => width - LEFT - RIGHT

type DrawingProps = UsageChartProps & { readonly id: string; readonly width: number }

function Drawing({ chart: { bars, series, ticks, top }, measure, id, width }: DrawingProps): React.ReactNode {
  const each = roomIn(width) / bars.length
  /** As many labels as there is room for, the last one always among them. */
  const labelled = Math.ceil(bars.length / Math.floor(roomIn(width) / LABEL_WIDTH))
  const y = (value: number): number => TOP + PLOT_HEIGHT * (1 - value / top)
  return (
    <svg viewBox={`0 0 ${width} ${HEIGHT}`} className="chart-plot" aria-hidden="true" focusable="false">
      <Patterns id={id} many={series.length} />
      {ticks.map(tick => (
        <g key={tick}>
          <line className="chart-line" x1={LEFT} x2={width - RIGHT} y1={y(tick)} y2={y(tick)} />
          <text className="chart-tick" x={LEFT - 8} y={y(tick) + 4} textAnchor="end">
            {measure === 'cost' ? dollars(tick) : shortCount(tick)}
          </text>
        </g>
      ))}
      {bars.map((bar, index) => (
        <g key={bar.key}>
          {(bars.length - 1 - index) % labelled === 0 && (
            <text className="chart-tick" x={LEFT + each * (index + 0.5)} y={HEIGHT - 8} textAnchor="middle">
              {bar.label}
            </text>
          )}
          <BarShape bar={bar} id={id} middle={LEFT + each * (index + 0.5)} width={Math.min(each * 0.72, WIDEST_BAR)} y={y} />
        </g>
      ))}
    </svg>
  )
}

type BarShapeProps = {
  readonly bar: UsageBar
  readonly id: string
  readonly middle: number
  readonly width: number
  readonly y: (value: number) => number
}

/** What was used but measures nothing, such as a request without a price, is a ring on the line. */
function BarShape({ bar, id, middle, width, y }: BarShapeProps): React.ReactNode {
  if (bar.rows.length > 0 && bar.parts.length === 0)
    return <circle className="chart-nothing" cx={middle} cy={y(0) - 5} r={Math.min(3, width / 2)} />
  return bar.parts.map(({ series, from, to }) => (
    <rect
      key={series}
      className="chart-part"
      x={middle - width / 2}
      y={y(to)}
      width={width}
      height={Math.max(1, y(from) - y(to))}
      fill={`url(#${id}-${series})`}
    />
  ))
}

/** What lies over each color, so that no two series differ in color alone. */
const MARKS: readonly string[] = ['', 'M0 8 8 0', 'M2 4h4', 'M0 0 8 8', 'M4 0v8', 'M0 4h8M4 0v8']

const Patterns = ({ id, many }: { readonly id: string; readonly many: number }): React.ReactNode => (
  <defs>
    {MARKS.slice(0, many).map((mark, index) => (
      <pattern key={COLORS[index]?.name} id={`${id}-${index}`} width="8" height="8" patternUnits="userSpaceOnUse">
        <rect width="8" height="8" fill={COLORS[index]?.hex} />
        {mark !== '' && <path className="chart-mark" d={mark} />}
      </pattern>
    ))}
  </defs>
)
