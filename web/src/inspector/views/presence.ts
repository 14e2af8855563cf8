// Puts into words how often a message was sent, and why it left.
import type { Present } from '../../wire/inspect-api.ts'
import { reasonSentence } from '../../words/reasons.ts'

/** How often a message was sent, and why it left, in a sentence. The newest request comes first. */
export function presenceWords(items: readonly Present[], hasMore: boolean): string {
  if (items.length === 0) return 'Nothing has been asked since.'
  const sent = items.filter(present => present.in).length
  const among = hasMore
    ? `the last ${items.length} requests`
    : items.length === 1
      ? 'the one request since'
      : `${items.length} requests since`
  const inPart = items.filter(present => present.part).length
  const part = inPart === 0 ? '' : `, ${sent === 1 ? 'in part' : `in ${inPart} of them in part`}`
  const often =
    sent === items.length
      ? `It was in ${items.length === 1 ? '' : 'all of '}${among}${part}.`
      : `It was in ${sent} of ${among}${part}.`
  return [often, leftWords(items)].filter(words => words !== null).join(' ')
}

/** Why the newest possible request does not have the message; null if it does. */
function leftWords(items: readonly Present[]): string | null {
  const [newest] = items
  if (newest === undefined || newest.in) return null
  const lastIn = items.findIndex(present => present.in && present.voice === newest.voice)
  const why = `${reasonSentence(newest.reason).toLowerCase()} (${newest.reason})`
  return lastIn === -1 ? `It is left out: ${why}.` : `It left with the request after that: ${why}.`
}
