// Shows what changed between two requests.
import { difference, lint } from '../../../context/receipt/cache-lint.ts'
import type { Engine } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import type { OutlineItem } from '../../../model/plan.ts'
import type { CacheLint, OutReason, Receipt } from '../../../model/receipt.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { aligned } from '../output/aligned.ts'
import { type CostRange, costRangeWords, isPriced } from '../output/cost-words.ts'
import { escapeToOneLine } from '../output/escape-for-terminal.ts'
import type { Ink } from '../output/ink.ts'
import type { PrintedPage } from '../output/page.ts'
import { counted, figure, percent, signedFigure } from '../output/phrase.ts'
import { reasonWords } from '../output/reason-words.ts'
import { type ComparedRequest, type DiffOptions, pairOf } from './pair.ts'

/** What was removed and added between two requests, in tokens, and how that affects a provider's cache. */
export async function diffPage(
  engine: Engine,
  id: SessionId,
  options: DiffOptions,
  ink: Ink,
): Promise<Result<PrintedPage, Fault>> {
  const pair = await pairOf(engine, id, options)
  if (!pair.ok) return pair
  const unknown = pair.value.find(({ context }) => context.outline.length === 0)
  if (unknown !== undefined) {
    const why = unknown.context.difference ?? 'it cannot be built again'
    return err(fault('not-found', `${unknown.name} cannot be compared: ${why}`))
  }
  const compared = compareRequests(...pair.value)
  return ok({ lines: linesOf(compared, ink), json: compared })
}

type Item = { readonly name: string; readonly from?: number; readonly tokens: number; readonly reason: string }

type Compared = {
  readonly before: About
  readonly now: About
  readonly same: number
  /** With the other request's reason for leaving the item out, if it gives one. */
  readonly gone: readonly (Item & { readonly out: OutReason | null })[]
  readonly come: readonly Item[]
  readonly tokens: { readonly before: number; readonly now: number; readonly difference: number }
  readonly cost: { readonly before: CostRange | null; readonly now: CostRange | null }
  readonly cache: CacheLint
}

type About = { readonly name: string } & Pick<Receipt, 'id' | 'digest' | 'policy' | 'model' | 'voice'>

/**
 * Both are in the measure of the first. How a model's tokens are estimated is learned from its answers, so the same items may be
 * estimated differently later, and that is no difference. Another model counts in its own way.
 */
export function compareRequests(before: ComparedRequest, now: ComparedRequest): Compared {
  const [left, right] = [before.context, now.context]
  const { same, gone, come } = difference(left.outline, right.outline)
  const factors = { before: left.receipt.tokens.factor, now: right.receipt.tokens.factor }
  // Each then has its own numbers.
  const areAsCounted = left.receipt.model !== right.receipt.model || factors.before === factors.now
  const factor = areAsCounted ? factors.now : factors.before
  const weight = (items: readonly OutlineItem[]): number => items.reduce((sum, { tokens }) => sum + tokens, 0)
  const estimated = left.receipt.tokens.estimated
  const tokens = {
    before: estimated,
    now: areAsCounted
      ? right.receipt.tokens.estimated
      : estimated + Math.round((weight(right.outline) - weight(left.outline)) * factor),
  }
  return {
    before: about(before),
    now: about(now),
    same,
    gone: gone.map(item => ({ ...shown(item, factors.before), out: whyOut(item, right.receipt) })),
    come: come.map(item => shown(item, factor)),
    tokens: { ...tokens, difference: tokens.now - tokens.before },
    cost: { before: before.cost, now: now.cost },
    cache: lint(left.outline, right.outline),
  }
}

const shown = ({ name, from, tokens, reason }: OutlineItem, factor: number): Item => ({
  name,
  ...(from === undefined ? {} : { from }),
  tokens: Math.ceil(tokens * factor),
  reason,
})

/** Lines of a receipt may overlap. If more than one could apply to an item, the reason is unknown. */
function whyOut({ from }: OutlineItem, { out }: Receipt): OutReason | null {
  if (from === undefined) return null
  const reasons = out.filter(line => line.from !== undefined && line.from <= from && from <= (line.to ?? line.from))
  const [only, other] = reasons.filter(line => line.reason !== 'out.thinking')
  return only === undefined || other !== undefined ? null : only.reason
}

const about = ({ name, context: { receipt } }: ComparedRequest): About => ({
  name,
  id: receipt.id,
  digest: receipt.digest,
  policy: receipt.policy,
  model: receipt.model,
  voice: receipt.voice,
})

function linesOf({ before, now, same, gone, come, tokens, cost, cache }: Compared, ink: Ink): readonly string[] {
  const rows = aligned([
    ...gone.map(item => ['−', escapeToOneLine(item.name), `${figure(item.tokens)} tokens`, item.out ?? `was ${item.reason}`]),
    ...come.map(item => ['+', escapeToOneLine(item.name), `${figure(item.tokens)} tokens`, item.reason]),
  ])
  const runs = [before, now].map(({ model, policy, voice }) => `${model} · ${policy} · ${voice}`)
  return [
    ink.bold(`From ${before.name} to ${now.name}`),
    ink.dim([...new Set(runs)].map(escapeToOneLine).join(' → ')),
    '',
    ...rows.map((row, index) => (index < gone.length ? ink.bad(row) : ink.good(row))),
    ...(rows.length === 0 ? ['  nothing went and nothing came'] : []),
    '',
    `  ${counted(same, 'item')} stayed, ${figure(gone.length)} went, ${figure(come.length)} came`,
    `  ${figure(tokens.before)} → ${figure(tokens.now)} tokens (${signedFigure(tokens.difference)})`,
    ...(isPriced(cost.before, cost.now) ? [`  ${costRangeWords(cost.before)} → ${costRangeWords(cost.now)}`] : []),
    `  ${prefixWords(cache)}`,
  ]
}

function prefixWords({ stableShare, brokenBy }: CacheLint): string {
  const share = stableShare === 0 ? 'they begin differently' : `the first ${percent(stableShare)} are the same`
  if (brokenBy === null) return `${share}; the prefix holds, so a cache can be used`
  return `${share}; the prefix is broken by ${escapeToOneLine(brokenBy.item)} (${reasonWords(brokenBy.reason)})`
}
