/** How a window follows what replies needed, as far as a request can tell: from what it was before and the replies since. */
import { isReply } from '../../model/message/spoken.ts'
import type { Material } from '../../model/plan.ts'
import type { SettledPolicy } from '../reply-limit.ts'
import type { PastRequest } from './choose-past.ts'
import { type FollowedReply, followNeed } from './follow.ts'

/** The size of the window by what replies needed, under a policy that lets it follow; `room` is the most that it may have. */
export function followingIn(
  material: Material,
  { window, recall }: Pick<SettledPolicy, 'window' | 'recall'>,
  room: number,
): Pick<PastRequest, 'follow'> {
  if (window.follows !== true) return {}
  const last = material.last?.follow
  const replies = repliesIn(material)
  // Where nothing is bought, nothing has to be earned.
  const balance = recall?.tokens === 'auto' ? material.recall?.balance : Number.POSITIVE_INFINITY
  return {
    follow: ({ high }, isDrop) => followNeed({ last, replies, isDrop: isDrop && high > 0, high, limit: room, balance }),
  }
}

/** What this voice has said in each turn before this one, by its last seq. */
function repliesIn({ events, turn, voice }: Material): readonly FollowedReply[] {
  const own = new Set(events.flatMap(event => (event.type === 'turn.started' && event.voice === voice ? [event.turn] : [])))
  const replies = events.filter(isReply).filter(reply => reply.turn !== turn.id && own.has(reply.turn))
  return [...Map.groupBy(replies, reply => reply.turn).values()].map(steps => ({
    seq: steps.at(-1)?.seq ?? 0,
    beyond: steps.reduce((sum, step) => sum + (step.type === 'reply.finished' ? (step.beyond ?? 0) : 0), 0),
  }))
}
