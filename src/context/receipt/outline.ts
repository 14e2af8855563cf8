/** A request item by item: the outline that the next request is compared with, and every item with its text. */
import type { OutlineItem, Plan, PlanItem } from '../../model/plan.ts'
import type { InLine } from '../../model/receipt.ts'
import { readable } from '../text/readable.ts'
import { estimateOf, sharesOf } from './lines.ts'

/** One item of a request for people to look at: what, where, how much, why, and its text. */
export type ContextItem = Pick<OutlineItem, 'name' | 'volatile'> &
  Pick<InLine, 'kind' | 'role' | 'from' | 'to' | 'tokens' | 'reason' | 'source' | 'session' | 'hash'> & { readonly text: string }

/**
 * Every item of a plan, in its order. Their tokens are as the model counts and add up to the receipt's lines, and so to its
 * estimate: an item's share of its line is what the line grows by with it.
 */
export function itemsOf({ items, outline, receipt }: Pick<Plan, 'items' | 'outline' | 'receipt'>): readonly ContextItem[] {
  const shares = sharesOf(items, receipt.tokens.factor)
  return items.map((item, index) => {
    const { kind, reason, source, session, from, to, hash, messages } = item
    const roles = new Set(messages.map(({ role }) => role))
    const [role] = roles
    return {
      name: outline[index]?.name ?? kind,
      kind,
      ...(roles.size === 1 && role !== undefined ? { role } : {}),
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      tokens: shares[index] ?? 0,
      reason,
      ...(source === undefined ? {} : { source }),
      ...(session === undefined ? {} : { session }),
      hash,
      volatile: outline[index]?.volatile ?? false,
      text: item.text ?? readable(messages.flatMap(({ blocks }) => blocks)),
    }
  })
}

/** Providers read tools first, then the system text, then the messages. */
export function throughOf(items: readonly PlanItem[], factor: number): Plan['through'] {
  const tools = estimateOf(
    items.filter(item => item.kind === 'tools'),
    factor,
  )
  const house = items.filter(item => item.kind === 'tools' || item.kind === 'system')
  return { tools, system: estimateOf(house, factor), stable: estimateOf(stable(items), factor), whole: estimateOf(items, factor) }
}

/** The items that change each turn and are at the tail, beside the new message. */
const VOLATILE: ReadonlySet<string> = new Set(['reference.last-round', 'recall.match', 'note.turn', 'note.clock'])

const nameOf = ({ source, from, kind }: PlanItem): string => source ?? (from === undefined ? kind : `${kind} ${from}`)

export const outlined = (item: PlanItem): OutlineItem => ({
  name: nameOf(item),
  reason: item.reason,
  hash: item.hash,
  tokens: item.tokens,
  ...(item.from === undefined ? {} : { from: item.from }),
  volatile: VOLATILE.has(item.reason),
})

/** Everything before the first thing that may be different next time. */
export function stable(items: readonly PlanItem[]): readonly PlanItem[] {
  const end = items.findIndex(item => item.kind === 'current' || VOLATILE.has(item.reason))
  return end === -1 ? items : items.slice(0, end)
}
