import { isHouseVoice } from '../../src/model/council.ts'
import type { EndReason } from '../../src/model/event.ts'
import type { ReplyEntry, View } from './view.ts'

/** The last round of a council when nobody speaks any more: how many answered, and how many could be asked again. */
export type LastRound = { readonly answered: number; readonly failed: number }

const ANSWERED: readonly EndReason[] = ['done', 'limit']
/** What a person stopped is not tried again by itself. */
const FAILED: readonly EndReason[] = ['failed', 'interrupted']

/** Null while somebody speaks, and before the first round. Each voice's last turn counts, as it does in the gateway. */
export function lastRound({ entries, running }: View): LastRound | null {
  if (running.length > 0) return null
  const replies = entries.filter((entry): entry is ReplyEntry => entry.kind === 'reply')
  const latest = [...new Map(replies.map(entry => [entry.voice, entry])).values()]
  const cause = latest.reduce((most, entry) => (isHouseVoice(entry.voice) ? most : Math.max(most, entry.cause)), 0)
  const round = latest.filter(entry => entry.cause === cause)
  if (round.length === 0) return null
  return {
    answered: round.filter(entry => !isHouseVoice(entry.voice) && endedBy(entry, ANSWERED)).length,
    failed: round.filter(entry => endedBy(entry, FAILED)).length,
  }
}

const endedBy = ({ end }: ReplyEntry, reasons: readonly EndReason[]): boolean =>
  end !== null && end !== 'continued' && reasons.includes(end.reason)
