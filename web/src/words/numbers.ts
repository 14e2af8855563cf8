// The numbers of a reply, each with its name.
import type { Step } from '../view/view.ts'
import { dollars } from './amounts.ts'
import { figuresOf } from './figures.ts'
import { duration, formatCount } from './words.ts'

/** One number with its name. */
export type Figure = { readonly name: string; readonly value: string }

/** What a reply took, all its requests together. Uncounted figures are left out, and an unknown price is not a zero. */
export function numbersOf(steps: readonly Step[]): readonly Figure[] {
  const { input, cacheRead, output, costUsd, ms } = figuresOf(steps)
  const models = [...new Set(steps.flatMap(({ receipt }) => receipt?.model ?? []))]
  const first = steps.find(({ took }) => took !== undefined)?.took?.firstMs
  const speed = speedOf(steps)
  return [
    ...(models.length === 0 ? [] : [{ name: 'Model', value: models.join(', ') }]),
    ...(input === null
      ? []
      : [
          { name: 'Tokens in', value: formatCount(input) },
          { name: 'Of these cached', value: formatCount(cacheRead) },
          { name: 'Tokens out', value: formatCount(output) },
          { name: 'Cost', value: dollars(costUsd) },
        ]),
    ...(first === undefined ? [] : [{ name: 'Until the first word', value: duration(first) }]),
    ...(ms === null ? [] : [{ name: 'Altogether', value: duration(ms) }]),
    ...(speed === null ? [] : [{ name: 'Tokens per second', value: speed }]),
  ]
}

/** By what was said after the first word came; a reply that came in one piece says nothing about speed. */
function speedOf(steps: readonly Step[]): string | null {
  const timed = steps.filter(({ usage, took }) => usage !== null && took?.firstMs !== undefined && took.ms > took.firstMs)
  const ms = timed.reduce((total, { took }) => total + (took === undefined ? 0 : took.ms - (took.firstMs ?? 0)), 0)
  const tokens = timed.reduce((total, { usage }) => total + (usage?.output ?? 0), 0)
  if (ms === 0 || tokens === 0) return null
  const speed = (tokens * 1000) / ms
  return speed < 10 ? speed.toFixed(1) : formatCount(Math.round(speed))
}

/** The label of folded thinking. */
export function thoughtWords(ms: number | null): string {
  if (ms === null) return 'Thoughts'
  const seconds = Math.round(ms / 1000)
  if (seconds < 1) return 'Thought for a moment'
  if (seconds < 60) return `Thought for ${seconds} s`
  const rest = seconds % 60
  return `Thought for ${Math.floor(seconds / 60)} min${rest === 0 ? '' : ` ${rest} s`}`
}
