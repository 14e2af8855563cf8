/** What of a reply is sent only within its own turn: thinking, and what a server added to its calls. */
import type { Call, Part } from '../../model/event.ts'

/** What a part has that is never history, so that the tokens of its event do not include it. */
export function unweighedIn(part: Part): string {
  if (part.type === 'think') return part.text
  return part.type === 'call' && part.extra !== undefined ? JSON.stringify(part.extra) : ''
}

/** Once its turn is over, a call is sent without what its server added to it. Gives back the same list if nothing changes. */
export const withoutExtra = (parts: readonly Part[]): readonly Part[] =>
  parts.some(hasExtra) ? parts.map(part => (hasExtra(part) ? bareCall(part) : part)) : parts

const hasExtra = (part: Part): part is Call => part.type === 'call' && part.extra !== undefined

function bareCall(call: Call): Call {
  const known = bare.get(call)
  if (known !== undefined) return known
  const { extra: _, ...made } = call
  bare.set(call, made)
  return made
}

/** Made once for each call, so that its reply's item and hash are made once, too. */
const bare = new WeakMap<Call, Call>()
