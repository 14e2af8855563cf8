// What an answer took, all of its requests together.
import type { Step } from '../view/view.ts'

/** What an answer took, all its requests together; null is a figure that was not counted. */
export type Figures = {
  readonly input: number | null
  /** How much of the input the provider's cache knew, 0 to 1. */
  readonly cached: number | null
  readonly cacheRead: number
  readonly output: number
  /** Null also where one request of several has no price: a part of the cost is not the cost. */
  readonly costUsd: number | null
  readonly ms: number | null
}

export function figuresOf(steps: readonly Step[]): Figures {
  const counted = steps.flatMap(({ usage }) => usage ?? [])
  const cacheRead = sum(counted.map(usage => usage.cacheRead))
  const input = sum(counted.map(usage => usage.input + usage.cacheWrite)) + cacheRead
  const isPriced = counted.every(({ costUsd }) => costUsd !== undefined)
  const times = steps.flatMap(({ took }) => took?.ms ?? [])
  return {
    input: counted.length === 0 ? null : input,
    cached: input === 0 ? null : cacheRead / input,
    cacheRead,
    output: sum(counted.map(usage => usage.output)),
    costUsd: counted.length > 0 && isPriced ? sum(counted.map(usage => usage.costUsd ?? 0)) : null,
    ms: times.length === 0 ? null : sum(times),
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)
