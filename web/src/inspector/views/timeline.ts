import type { Moment } from '../../wire/inspect-api.ts'
import { dollars, percent } from '../../words/amounts.ts'
import { count } from '../../words/words.ts'

/** One request as it is drawn, in shares of the tallest. */
export type Bar = {
  readonly moment: Moment
  readonly height: number
  readonly cached: number
  readonly cost: number
  readonly hasDropped: boolean
}

export const tokensIn = ({ reported, estimated }: Moment): number => reported ?? estimated

export const cachedShare = (moment: Moment): number | null => {
  const tokens = tokensIn(moment)
  if (tokens === 0) return null
  return moment.cached === null ? moment.stableShare : Math.min(1, moment.cached / tokens)
}

export function barsOf(moments: readonly Moment[]): readonly Bar[] {
  const tallest = Math.max(1, ...moments.map(tokensIn))
  const dearest = Math.max(...moments.map(({ costUsd }) => costUsd ?? 0), 0)
  return moments.map(moment => {
    const height = tokensIn(moment) / tallest
    return {
      ...{ moment, height, cached: height * (cachedShare(moment) ?? 0), hasDropped: moment.dropped > 0 },
      cost: dearest === 0 ? 0 : (moment.costUsd ?? 0) / dearest,
    }
  })
}

/** One request in a line, for who hears it or points at it. */
export function momentWords(moment: Moment, number: number): string {
  const share = cachedShare(moment)
  return [
    `Request ${number}: ${count(tokensIn(moment))} tokens`,
    share === null ? 'nothing known of the cache' : `${percent(share)} cached`,
    moment.costUsd === null ? 'no price' : dollars(moment.costUsd),
    ...(moment.dropped === 0
      ? []
      : [`${count(moment.dropped)} ${moment.dropped === 1 ? 'message' : 'messages'} left the window`]),
  ].join(' · ')
}
