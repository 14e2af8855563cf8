/** Detects that a server silently dropped a part of the prompt, and words the warning. */
import type { Usage } from '../../model/message/delta.ts'
import type { Receipt } from '../../model/receipt.ts'

/** A model that saw less than this share of what was sent did not merely count in another way. */
const LEAST_SEEN = 0.6
/** Below this many tokens a difference says nothing. */
const WORTH_SAYING = 200

/** The tokens that were sent, and the far fewer that the model saw. Some servers silently drop the front of a prompt. */
export type Truncation = { readonly sent: number; readonly seen: number }

export function truncationOf({ tokens }: Receipt, { input, cacheRead, cacheWrite }: Usage): Truncation | undefined {
  const sent = tokens.estimated
  const seen = input + cacheRead + cacheWrite
  // Each provider counts files in its own way, so only words can be compared.
  const words = sent - (tokens.files ?? 0)
  const isTruncated = seen > 0 && seen < words * LEAST_SEEN && words - seen > WORTH_SAYING
  return isTruncated ? { sent, seen } : undefined
}

/** The warning that a person reads, and what to do about it. */
export function truncationWords({ sent, seen }: Truncation, model: string, window: number): string {
  const figure = (count: number): string => count.toLocaleString('en')
  const remedy = model.startsWith('ollama/')
    ? `make its context larger on the server, or set models."${model}".window below ${figure(window)}`
    : `set models."${model}".window to what the server really holds`
  return `${model} saw about ${figure(seen)} of ${figure(sent)} tokens: the rest was cut off before it. To mend that, ${remedy}.`
}
