/** Counts what the engine observes, and prints it for Prometheus. */
import type { Observation } from '../../engine.ts'

/** Counts and measures what the engine tells, and prints it as Prometheus wants it. */
export type Metrics = {
  readonly observe: (observation: Observation) => void
  /** The gauges of one name, with their labels, stand side by side. */
  readonly print: (gauges: Readonly<Record<string, number>>) => string
}

const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const COUNTS = [1, 2, 5, 10, 20, 50, 100, 500, 1000, 10_000]
const TOKENS = [100, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000]
const SHARES = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1]

export function createMetrics(): Metrics {
  const counters = new Map<string, number>()
  const add = (name: string, by = 1): void => void counters.set(name, (counters.get(name) ?? 0) + by)
  const histograms = {
    turnwise_context_read_seconds: histogram('Time to read what a policy can use', SECONDS),
    turnwise_context_assemble_seconds: histogram('Time to assemble and encode a request', SECONDS),
    turnwise_context_messages: histogram('Messages in a request', COUNTS),
    turnwise_context_tokens: histogram('Estimated tokens of a request', TOKENS),
    turnwise_first_delta_seconds: histogram('Time from a request to its first delta', SECONDS),
    turnwise_cache_hit_ratio: histogram('Share of a request that the provider had cached', SHARES),
  }

  const observe = (seen: Observation): void => {
    switch (seen.type) {
      case 'planned': {
        const { timings, tokens, degraded } = seen.receipt
        histograms.turnwise_context_read_seconds.add(timings.readMs / 1000)
        histograms.turnwise_context_assemble_seconds.add(timings.assembleMs / 1000)
        histograms.turnwise_context_tokens.add(tokens.estimated)
        histograms.turnwise_context_messages.add(seen.receipt.in.reduce((sum, line) => sum + (line.count ?? 0), 0))
        if (degraded !== null) add('turnwise_degraded_total')
        return
      }
      case 'spoke':
        histograms.turnwise_first_delta_seconds.add(seen.firstDeltaMs / 1000)
        return
      case 'used': {
        const { input, output, cacheRead, cacheWrite, costUsd = 0 } = seen.usage
        const all = input + cacheRead + cacheWrite
        histograms.turnwise_cache_hit_ratio.add(all === 0 ? 0 : cacheRead / all)
        for (const [kind, tokens] of Object.entries({ input, output, cacheRead, cacheWrite }))
          add(`turnwise_tokens_total{kind="${kind}"}`, tokens)
        add('turnwise_cost_usd_total', costUsd)
        return
      }
      case 'truncated':
        add('turnwise_truncated_total')
        return
      case 'ended':
        add(`turnwise_turns_total{reason="${seen.reason}"}`)
        return
      case 'bug':
        add('turnwise_bugs_total')
        return
    }
  }

  const print = (gauges: Readonly<Record<string, number>>): string => {
    const lines: string[] = []
    const names = new Set([...counters.keys()].map(withoutLabels))
    for (const name of names) {
      lines.push(`# TYPE ${name} counter`)
      for (const [key, value] of counters) if (withoutLabels(key) === name) lines.push(`${key} ${value}`)
    }
    const typed = new Set<string>()
    for (const [key, value] of Object.entries(gauges)) {
      const name = withoutLabels(key)
      if (!typed.has(name)) lines.push(`# TYPE ${name} gauge`)
      typed.add(name)
      lines.push(`${key} ${value}`)
    }
    for (const [name, { print: printed }] of Object.entries(histograms)) lines.push(...printed(name))
    return `${lines.join('\n')}\n`
  }

  return { observe, print }
}

const withoutLabels = (key: string): string => key.replace(/\{.*/, '')

function histogram(help: string, bounds: readonly number[]): { add: (value: number) => void; print: (name: string) => string[] } {
  const buckets = bounds.map(() => 0)
  let sum = 0
  let count = 0
  return {
    add: value => {
      sum += value
      count += 1
      bounds.forEach((bound, index) => {
        if (value <= bound) buckets[index] = (buckets[index] ?? 0) + 1
      })
    },
    print: name => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} histogram`,
      ...bounds.map((bound, index) => `${name}_bucket{le="${bound}"} ${buckets[index]}`),
      `${name}_bucket{le="+Inf"} ${count}`,
      `${name}_sum ${sum}`,
      `${name}_count ${count}`,
    ],
  }
}
