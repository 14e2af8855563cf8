/** Stage 8, fit: checks that the request keeps within its budget, and writes its receipt. */
import { type Fault, fault } from '../../model/fault.ts'
import type { Material, Plan, PlanItem } from '../../model/plan.ts'
import type { Rung, SeenCount } from '../../model/receipt.ts'
import type { Result } from '../../model/result.ts'
import { estimateOf } from '../receipt/lines.ts'
import type { SettledPolicy } from '../reply-limit.ts'
import type { Measure } from '../text/tokens.ts'
import { makePlan } from './make-plan.ts'
import type { Rendered } from './render.ts'
import { shortenRequired } from './required.ts'
import type { AwareWindow } from './running-turn.ts'

/** A request that has more tokens than it may. */
export type TooLong = { readonly over: number; readonly fault: Fault }

/**
 * Makes the plan of a request that fits into `limit`. What the request is about is shortened if nothing else helps. Of one that
 * does not fit it is known by how much, so that the stages before may try with less room.
 */
export function fit(
  rendered: Rendered,
  aware: AwareWindow,
  material: Material,
  policy: SettledPolicy,
  limit: number,
  measure: Measure,
): Result<Plan, Fault> | TooLong {
  const { factor } = material.model
  const { left } = rendered
  const { system, tools } = aware.fixed
  const isRequired = estimateOf(rendered.items, factor) > limit && rendered.items.some(item => item.required !== undefined)
  const items = isRequired ? shortenRequired(rendered.items, limit, factor, measure) : rendered.items
  const estimated = estimateOf(items, factor)
  if (estimated > limit) return { over: estimated - limit, fault: tooLong(items, estimated, limit, material) }
  const recall = aware.recall === undefined ? {} : { recall: aware.recall }
  const parts = { items, left, system, tools, limit, window: aware.state, seen: seenCount(aware, material), ...recall }
  return makePlan({ ...parts, ladder: rungsOf(aware, material, isRequired) }, material, policy, measure)
}

/** How many messages the voice sees, whole or in part: those of the past, and what a person said since. */
function seenCount({ head, pins, past, current, omitted, folded, state }: AwareWindow, { degraded }: Material): SeenCount {
  const shown = new Set([...head, ...pins, ...past].filter(beat => beat.kind !== 'summary').map(({ message }) => message))
  const messages = shown.size + current.filter(beat => beat.kind === 'heard').length
  const unpinned = degraded === null ? (state.unpinned ?? []).length : 0
  return { messages, of: messages + omitted + folded + unpinned, ...(folded === 0 ? {} : { folded }) }
}

/** Something of the conversation is shown in part. */
const isInPart = ({ state: { excerpts, results, hidden } }: AwareWindow): boolean =>
  excerpts !== undefined || results !== undefined || hidden !== undefined

/** What gave way so that the request fits, in a fixed order. */
function rungsOf(aware: AwareWindow, { listed, turn, last }: Material, isRequired: boolean): readonly Rung[] {
  const isWithoutQuotes = aware.state.quoted === 0
  const isThoughtless = turn.step > 1 && aware.state.thoughtless !== undefined && aware.state.thoughtless !== last?.thoughtless
  return [
    ...(isWithoutQuotes ? (['asides'] as const) : []),
    ...(isThoughtless ? (['thinking'] as const) : []),
    ...(aware.isCut || isInPart(aware) ? (['history'] as const) : []),
    ...(aware.fixed.isListed && listed !== undefined ? (['skills'] as const) : []),
    ...(isRequired ? (['required'] as const) : []),
  ]
}

/** Names the largest thing that is sent, and the setting that helps. */
function tooLong(items: readonly PlanItem[], tokens: number, limit: number, material: Material): Fault {
  const { factor } = material.model
  const cost = (some: readonly PlanItem[]): number => Math.ceil(some.reduce((sum, item) => sum + item.tokens, 0) * factor)
  const parts = [
    {
      name: 'the system text',
      cost: cost(items.filter(item => item.kind === 'system')),
      help: "shorten AGENTS.md, the agent's text or the skills",
    },
    { name: 'the tools', cost: cost(items.filter(item => item.kind === 'tools')), help: 'disable skills or MCP servers' },
    { name: 'the new message', cost: cost(items.filter(item => item.reason === 'current.message')), help: 'send less at once' },
    ...items
      .filter(item => item.reason === 'current.cycle')
      .map(item => ({
        name: largestResult(material, item) ?? `step ${item.from}`,
        cost: cost([item]),
        help: 'ask for less at once',
      })),
  ]
  const largest = parts.reduce((most, part) => (part.cost > most.cost ? part : most))
  const number = (value: number): string => value.toLocaleString('en')
  return fault(
    'too-long',
    `${number(tokens)} tokens do not fit into ${number(limit)}; the largest part is ${largest.name} with ${number(largest.cost)}: ${largest.help}, choose a model with a larger window, or raise the budget of the policy`,
  )
}

/** In a running turn the largest result is what could have been smaller. */
function largestResult({ events }: Material, { from = 0, to = 0 }: PlanItem): string | undefined {
  const results = events.filter(event => event.type === 'tool.settled' && event.seq >= from && event.seq <= to)
  const [largest] = results.toSorted((a, b) => b.tokens - a.tokens)
  return largest?.type === 'tool.settled' ? `the step with the result of ${largest.tool} (${largest.seq})` : undefined
}
