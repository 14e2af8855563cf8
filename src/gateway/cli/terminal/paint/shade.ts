// Finds the terminal color nearest to a hex color.
import type { Style } from './style.ts'

/** The steps of the color cube in terminals with 256 colors. */
const STEPS = [0, 95, 135, 175, 215, 255]

/** The nearest of 256 colors to a hex color like `#3b82f6`; plain for any other notation. */
export function shadeOf(hex: string | undefined): Style {
  const written = /^#?([\da-f]{6}|[\da-f]{3})$/i.exec(hex ?? '')?.[1]
  if (written === undefined) return ''
  const long = written.length === 3 ? [...written].map(digit => digit + digit).join('') : written
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map(at => Number.parseInt(long.slice(at, at + 2), 16))
  const [r, g, b] = [nearestStep(red), nearestStep(green), nearestStep(blue)]
  const grey = Math.max(0, Math.min(23, Math.round(((red + green + blue) / 3 - 8) / 10)))
  const distance = (to: readonly number[]): number =>
    [red, green, blue].reduce((sum, value, at) => sum + (value - (to[at] ?? 0)) ** 2, 0)
  const isGrey = distance(Array(3).fill(8 + 10 * grey)) < distance([r, g, b].map(step => STEPS[step] ?? 0))
  return `38;5;${isGrey ? 232 + grey : 16 + 36 * r + 6 * g + b}`
}

function nearestStep(value: number): number {
  const distances = STEPS.map(step => Math.abs(step - value))
  return distances.indexOf(Math.min(...distances))
}
