import type { Step } from '../view/view.ts'
import { dollars } from './amounts.ts'
import { count, duration } from './words.ts'

/** One number with its name. */
export type Figure = { readonly name: string; readonly value: string }

/** What a reply took, all its requests together. What nobody counted is not there; a price that nobody knows is no zero. */
export function numbersOf(steps: readonly Step[]): readonly Figure[] {
  const used = steps.flatMap(({ usage }) => usage ?? [])
  const took = steps.flatMap(step => step.took ?? [])
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
  const models = [...new Set(steps.flatMap(({ receipt }) => receipt?.model ?? []))]
  const output = sum(used.map(usage => usage.output))
  const cost = used.every(({ costUsd }) => costUsd !== undefined) ? sum(used.map(({ costUsd = 0 }) => costUsd)) : null
  const first = took[0]?.firstMs
  const speed = speedOf(steps)
  return [
    ...(models.length === 0 ? [] : [{ name: 'Model', value: models.join(', ') }]),
    ...(used.length === 0
      ? []
      : [
          {
            name: 'Tokens in',
            value: count(sum(used.map(({ input, cacheRead, cacheWrite }) => input + cacheRead + cacheWrite))),
          },
          { name: 'Of these cached', value: count(sum(used.map(usage => usage.cacheRead))) },
          { name: 'Tokens out', value: count(output) },
          { name: 'Cost', value: dollars(cost) },
        ]),
    ...(first === undefined ? [] : [{ name: 'Until the first word', value: duration(first) }]),
    ...(took.length === 0 ? [] : [{ name: 'Altogether', value: duration(sum(took.map(({ ms }) => ms))) }]),
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
  return speed < 10 ? speed.toFixed(1) : count(Math.round(speed))
}

/** How long a step thought: as the gateway measured it, else as this page heard it; null where nobody knows. */
export function thoughtMs({ took, thought }: Pick<Step, 'took' | 'thought'>): number | null {
  if (took?.thinkMs !== undefined) return took.thinkMs
  return thought === undefined ? null : thought.to - thought.from
}

/** What stands on folded thinking. */
export function thoughtWords(ms: number | null): string {
  if (ms === null) return 'Thoughts'
  const seconds = Math.round(ms / 1000)
  if (seconds < 1) return 'Thought for a moment'
  if (seconds < 60) return `Thought for ${seconds} s`
  const rest = seconds % 60
  return `Thought for ${Math.floor(seconds / 60)} min${rest === 0 ? '' : ` ${rest} s`}`
}
