/** A request as people inspect it: its receipt, its body and, on demand, its items. */
import { type ContextItem, itemsOf } from '../../context/receipt/outline.ts'
import type { OutlineItem, Plan } from '../../model/plan.ts'
import type { Receipt } from '../../model/receipt.ts'
import { shownBody } from '../step/request-files.ts'
import type { Built } from './rebuild.ts'

/** A request with its receipt; `verified` says whether the log still gives the digest that was recorded. */
export type SentContext = {
  readonly receipt: Receipt
  readonly request: { readonly url: string; readonly body: unknown } | null
  readonly verified: boolean | null
  readonly difference?: string
  /** The request item by item, for comparisons. */
  readonly outline: readonly OutlineItem[]
  /** The items with their texts, if the caller asked for them. */
  readonly items?: readonly ContextItem[]
}

/** With the bytes of every file in it; without, a body says only how many there are. */
export type Whole = { readonly whole?: boolean }

/** With every item and its text. */
export type Detail = Whole & { readonly items?: boolean }

export const itemsIn = (built: { readonly plan: Plan } | undefined, { items = false }: Detail): Pick<SentContext, 'items'> =>
  items && built !== undefined ? { items: itemsOf(built.plan) } : {}

export function requestOf({ encoded, plan, files }: Built, { whole = false }: Whole): NonNullable<SentContext['request']> {
  const { url, body } = encoded
  return { url, body: whole ? (JSON.parse(body) as unknown) : shownBody(body, plan, files) }
}
