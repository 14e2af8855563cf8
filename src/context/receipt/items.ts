import type { OutlineItem, Plan } from '../../model/plan.ts'
import type { InLine } from '../../model/receipt.ts'
import { readable } from '../text/readable.ts'
import { sharesOf } from './lines.ts'

/** One item of a request for whoever looks at it: what, where, how much, why, and the text it stands for. */
export type ContextItem = Pick<OutlineItem, 'name' | 'volatile'> &
  Pick<InLine, 'kind' | 'role' | 'from' | 'to' | 'tokens' | 'reason' | 'source' | 'hash'> & { readonly text: string }

/**
 * Every item of a plan, in its order. Their tokens are as the model counts and add up to the receipt's lines, and so to its
 * estimate: an item's share of its line is what the line grows by with it.
 */
export function itemsOf({ items, outline, receipt }: Pick<Plan, 'items' | 'outline' | 'receipt'>): readonly ContextItem[] {
  const shares = sharesOf(items, receipt.tokens.factor)
  return items.map((item, index) => {
    const { kind, reason, source, from, to, hash, messages } = item
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
      hash,
      volatile: outline[index]?.volatile ?? false,
      text: item.text ?? readable(messages.flatMap(({ blocks }) => blocks)),
    }
  })
}
