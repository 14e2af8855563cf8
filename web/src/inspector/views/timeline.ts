// The bars of the timeline, in shares of the tallest request.
import type { TimelineMoment } from '../../wire/inspect-api.ts'
import { dollars, percentWords } from '../../words/amounts.ts'
import { formatCount } from '../../words/words.ts'

/** One request as it is drawn, in shares of the tallest. */
export type TimelineBar = {
  readonly moment: TimelineMoment
  readonly height: number
  readonly cached: number
  readonly cost: number
  readonly hasDropped: boolean
}

export const requestTokens = ({ reported, estimated }: TimelineMoment): number => reported ?? estimated

export const cachedShare = (moment: TimelineMoment): number | null => {
  const tokens = requestTokens(moment)
  if (tokens === 0) return null
  return moment.cached === null ? moment.stableShare : Math.min(1, moment.cached / tokens)
}

export function barsOf(moments: readonly TimelineMoment[]): readonly TimelineBar[] {
  const tallest = Math.max(1, ...moments.map(requestTokens))
  const dearest = Math.max(...moments.map(({ costUsd }) => costUsd ?? 0), 0)
  return moments.map(moment => {
    const height = requestTokens(moment) / tallest
    return {
      ...{ moment, height, cached: height * (cachedShare(moment) ?? 0), hasDropped: moment.dropped > 0 },
      cost: dearest === 0 ? 0 : (moment.costUsd ?? 0) / dearest,
    }
  })
}

/** One request in a line, for who hears it or points at it. */
export function momentWords(moment: TimelineMoment, number: number): string {
  const share = cachedShare(moment)
  return [
    `Request ${number}: ${formatCount(requestTokens(moment))} tokens`,
    share === null ? 'nothing known of the cache' : `${percentWords(share)} cached`,
    moment.costUsd === null ? 'no price' : dollars(moment.costUsd),
    ...(moment.dropped === 0
      ? []
      : [`${formatCount(moment.dropped)} ${moment.dropped === 1 ? 'message' : 'messages'} left the window`]),
  ].join(' · ')
}
