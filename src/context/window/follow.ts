/** How large a window that follows the need has become: it grows where replies used what it did not show. */
import type { FollowState } from '../../model/receipt.ts'

/** A turn's reply, by its last seq, and how many of its words came from beyond the window, over all its steps. */
export type FollowedReply = { readonly seq: number; readonly beyond: number }

/** What the size of a window follows from. All tokens are as the model counts them. */
export type NeedRequest = {
  /** What the request before said; undefined for the first one. */
  readonly last: FollowState | undefined
  /** Replies of this voice, oldest first; those that were counted before are passed over. */
  readonly replies: readonly FollowedReply[]
  /** Whether the window drops with this request: only then its size changes. */
  readonly isDrop: boolean
  /** The most tokens of the past before the window has grown, and the most that it may ever have. */
  readonly high: number
  readonly limit: number
  /** What recall may spend; undefined where nothing was earned yet. */
  readonly balance: number | undefined
}

/** How many replies are remembered: as many as must have needed nothing before the window shrinks. */
const REMEMBERED = 20
/** The window grows if more than so many of the last so many replies needed more. */
const NEEDED = 3
const LOOKED_AT = 10
const GROWTH = 1.5
const SHRINKING = 0.75

/** The size of the window for the next request, and why it changed or did not although replies needed more. */
export function followNeed({ last, replies, isDrop, high, limit, balance = 0 }: NeedRequest): FollowState {
  const { times: before, beyond: counted, through: until } = last ?? { times: 1, beyond: [], through: 0 }
  const fresh = replies.filter(({ seq }) => seq > until)
  const beyond = [...counted, ...fresh.map(reply => reply.beyond)].slice(-REMEMBERED)
  const through = fresh.reduce((most, { seq }) => Math.max(most, seq), until)
  const changed = isDrop ? changeOf(before, beyond, { high, limit, balance }) : {}
  return { times: before, beyond, through, ...changed }
}

type Allowed = { readonly high: number; readonly limit: number; readonly balance: number }

function changeOf(before: number, beyond: readonly number[], { high, limit, balance }: Allowed): Partial<FollowState> {
  if (beyond.slice(-LOOKED_AT).filter(many => many > 0).length > NEEDED) {
    const times = rounded(Math.min(before * GROWTH, limit / high))
    if (!(times > before)) return { reason: 'limit' }
    return (times - before) * high <= balance ? { times, reason: 'grown' } : { reason: 'balance' }
  }
  const isIdle = beyond.length === REMEMBERED && beyond.every(many => many === 0)
  return isIdle && before > 1 ? { times: Math.max(1, rounded(before * SHRINKING)), reason: 'shrunk' } : {}
}

/** Down to a thousandth, so that receipts are short and the window never passes its limit. */
const rounded = (times: number): number => Math.floor(times * 1000) / 1000
