/** Decides how a request that a provider refused is sent once more with less. */
import { windowRules } from '../../context/window/kinds.ts'
import type { Fault } from '../../model/fault.ts'
import type { ReceiptDraft } from '../../model/receipt.ts'
import type { Policy } from '../../model/settings/policy.ts'

/** Less than was sent: a smaller budget, or no history, with the reason why there is none. */
export type SmallerRequest = { readonly policy: Policy; readonly bare?: string }

/**
 * A first request that a provider refused as a whole is sent once more with less, so that no history can block a session:
 * half as long where it was too long, and without the past where the past is blamed.
 */
export function smallerRequest(
  receipt: Pick<ReceiptDraft, 'in' | 'tokens'>,
  policy: Policy,
  { kind, message }: Fault,
): SmallerRequest | undefined {
  if (!receipt.in.some(({ reason }) => OF_THE_PAST.has(reason))) return undefined
  if (kind === 'too-long') return { policy: halved(policy, receipt.tokens.estimated) }
  return kind === 'rejected' && BLAMES_HISTORY.test(message)
    ? { policy, bare: 'the provider refused the earlier messages' }
    : undefined
}

const OF_THE_PAST: ReadonlySet<string> = new Set([
  'recent.window',
  'recent.excerpt',
  'head.first',
  'pin.person',
  'summary.folded',
  'recall.match',
])

/** How providers name what they do not like about a conversation. */
const BLAMES_HISTORY =
  /\bmessages?\b|\broles?\b|alternat|tool[_ ](?:use|result|call)|thinking blocks?|signature|\bcontent\b|conversation/i

function halved(policy: Policy, estimated: number): Policy {
  const tokens = Math.max(1, Math.floor(estimated / 2))
  return { ...policy, window: windowRules(policy.window).smaller(tokens), budget: { ...policy.budget, tokens } }
}
