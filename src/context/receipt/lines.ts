/** The lines of a receipt: what is in a request and what was left out, in as few lines as possible. */
import type { PlanItem } from '../../model/plan.ts'
import type { InLine, OutLine } from '../../model/receipt.ts'
import type { LeftOut } from '../stages/draft.ts'
import type { Measure } from '../text/tokens.ts'

/** Neighbours of one kind and reason share a line; system parts keep their own, since each has its own source. */
export const inLines = (items: readonly PlanItem[], factor: number, measure: Measure): readonly InLine[] =>
  runsOf(items).map(run => inLine(run, factor, measure))

/** What the lines of these items add up to. */
export const estimateOf = (items: readonly PlanItem[], factor: number): number =>
  runsOf(items).reduce((sum, run) => sum + tokensOf(run, factor), 0)

/** Each item's share of its line's tokens; with any factor, the shares add up to the line. */
export const sharesOf = (items: readonly PlanItem[], factor: number): readonly number[] =>
  runsOf(items).flatMap(run => {
    let counted = 0
    let shared = 0
    return run.map(({ tokens }) => {
      counted += tokens
      const share = Math.ceil(counted * factor) - shared
      shared += share
      return share
    })
  })

function runsOf(items: readonly PlanItem[]): readonly (readonly PlanItem[])[] {
  const runs: PlanItem[][] = []
  for (const item of items) {
    const run = runs.at(-1)
    const first = run?.[0]
    const isAlike = first !== undefined && first.kind === item.kind && first.reason === item.reason
    // Each recalled message and each summary has its own line, since each is from somewhere else.
    const joins = isAlike && item.from !== undefined && !hasOwnLine(item) && !hasOwnLine(first)
    if (joins && run !== undefined) run.push(item)
    else runs.push([item])
  }
  return runs
}

const hasOwnLine = ({ kind, session }: PlanItem): boolean => kind === 'recall' || kind === 'summary' || session !== undefined

const tokensOf = (run: readonly PlanItem[], factor: number): number =>
  Math.ceil(run.reduce((sum, item) => sum + item.tokens, 0) * factor)

function inLine(run: readonly PlanItem[], factor: number, measure: Measure): InLine {
  const [first] = run
  const last = run.at(-1)
  if (first === undefined || last === undefined) throw new Error('a line has at least one item')
  const placed = run.filter(item => item.from !== undefined)
  const from = placed.length === 0 ? undefined : Math.min(...placed.map(item => item.from ?? 0))
  const count = new Set(run.flatMap(item => item.keys)).size
  const roles = new Set(run.flatMap(item => item.messages.map(message => message.role)))
  const [role] = roles
  return {
    kind: first.kind,
    ...(from === undefined ? {} : { from, to: Math.max(...placed.map(item => item.to ?? from)) }),
    ...(count === 0 ? {} : { count }),
    ...(roles.size === 1 && role !== undefined ? { role } : {}),
    tokens: tokensOf(run, factor),
    reason: first.reason,
    ...(first.source === undefined ? {} : { source: first.source }),
    ...(first.session === undefined ? {} : { session: first.session }),
    hash: run.length === 1 ? first.hash : measure.hash(run.map(item => item.hash).join('\n')),
  }
}

/**
 * One line for each reason; it reaches from its first item to its last, and other items in between have lines of their own. What
 * is under a summary has a line for each summary.
 */
export function outLines(left: readonly LeftOut[]): readonly OutLine[] {
  const byLine = Map.groupBy(left, item => (item.fold === undefined ? item.reason : `${item.reason} ${item.fold}`))
  return [...byLine.values()].map(items => {
    const [{ reason }] = items as [LeftOut]
    const known = new Set(items.flatMap(item => item.messages)).size
    const more = items.reduce((sum, item) => sum + (item.more ?? 0), 0)
    return { ...span(items), count: known + more, reason }
  })
}

/** From the first seq to the last; things that are not in the log have none. */
function span(items: readonly LeftOut[]): { from: number; to: number } | Record<string, never> {
  const placed = items.filter(item => item.from > 0)
  if (placed.length === 0) return {}
  return {
    from: placed.reduce((least, item) => Math.min(least, item.from), Number.POSITIVE_INFINITY),
    to: placed.reduce((most, item) => Math.max(most, item.to), 0),
  }
}
