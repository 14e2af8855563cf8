// Which advisors of the previous round an advisor read.
import type { Receipt } from '../../../src/model/receipt.ts'
import { isHouseVoice } from '../../../src/model/settings/council.ts'
import type { ReplyEntry, ViewEntry } from '../view/view.ts'

type Heard = Pick<ReplyEntry, 'voice' | 'name'>

/**
 * Which advisors of the previous round an advisor read. The receipt has the seqs of those answers; they answer the last
 * message that this voice could hear, for what is said to others alone may lie in between.
 */
export function advisorsHeard(entries: readonly ViewEntry[], { voice, cause }: ReplyEntry, receipt: Receipt): readonly Heard[] {
  const line = receipt.in.find(({ reason }) => reason === 'reference.last-round')
  if (line?.from === undefined || line.to === undefined) return []
  const { from, to } = line
  const unheard = new Set(
    entries.flatMap(entry => (entry.kind === 'message' && entry.to?.includes(voice) === false ? [entry.seq] : [])),
  )
  const earlier = entries.filter(
    (entry): entry is ReplyEntry =>
      entry.kind === 'reply' && entry.cause < cause && !unheard.has(entry.cause) && !isHouseVoice(entry.voice),
  )
  const last = earlier.reduce((most, entry) => Math.max(most, entry.cause), 0)
  const answers = earlier.filter(
    entry => entry.cause === last && entry.voice !== voice && !entry.resumed && !hasFailed(entry) && saysWithin(entry, from, to),
  )
  return [...new Map(answers.map(entry => [entry.voice, { voice: entry.voice, name: entry.name }])).values()]
}

const saysWithin = ({ steps }: ReplyEntry, from: number, to: number): boolean =>
  steps.some(({ seq, parts }) => seq !== null && seq >= from && seq <= to && parts.some(part => part.type === 'text'))

const hasFailed = ({ end }: ReplyEntry): boolean =>
  end !== null && end !== 'continued' && (end.reason === 'failed' || end.reason === 'interrupted')
