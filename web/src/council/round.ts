// How far the last round of a council has come.
import { isHouseVoice } from '../../../src/model/settings/council.ts'
import { resumableOf } from '../view/resumable.ts'
import type { ReplyEntry, View } from '../view/view.ts'
import { cardsOf, stateOf } from './cards.ts'

/** The state of a council's last round. */
export type LastRound = {
  /** How many advisors were asked. */
  readonly of: number
  readonly answered: number
  /** Whether an advisor still speaks, or a synthesis is being written. */
  readonly isOpen: boolean
  /** Turns that could be asked again; what a person stopped is not tried again by itself. */
  readonly failed: readonly string[]
  /** Whether a message went to only some advisors since. */
  readonly isLatest: boolean
}

/** The last message to all advisors, and its answers; messages to only some of them are no rounds. Null before the first. */
export function lastCouncilRound(view: View): LastRound | null {
  const replies = view.entries.filter((entry): entry is ReplyEntry => entry.kind === 'reply')
  const toSome = new Set(view.entries.flatMap(entry => (entry.kind === 'message' && entry.to !== undefined ? [entry.seq] : [])))
  const causes = replies.flatMap(({ voice, cause }) => (isHouseVoice(voice) ? [] : [cause]))
  const cause = causes.reduce((most, each) => (toSome.has(each) ? most : Math.max(most, each)), 0)
  const round = cardsOf(
    replies.filter(entry => entry.cause === cause),
    [],
  )
  const advisors = round.filter(({ voice }) => !isHouseVoice(voice))
  if (advisors.length === 0) return null
  return {
    of: advisors.length,
    answered: advisors.filter(card => stateOf(card) === 'answered').length,
    isOpen: round.some(card => ['running', 'waits'].includes(stateOf(card))),
    failed: round.flatMap(({ stretches }) => {
      const last = stretches.at(-1)
      const state = last === undefined ? null : resumableOf(view, last)
      // What was cut at its limit is an answer; its own card offers to continue it.
      return last === undefined || state === null || state === 'cut' ? [] : [last.turn]
    }),
    isLatest: causes.every(each => each <= cause),
  }
}
