import { FOLD } from '../../src/model/settings/council.ts'
import { type Kill, kindOf } from './kill.ts'
import type { Outcome } from './run.ts'

const TOOL_POINTS = ['look begun', 'look counted', 'act begun', 'act counted']

/** Every place where a run can be killed once, as a run without kills shows them. */
export function everyKill({ appends, frames }: Pick<Outcome, 'appends' | 'frames'>): readonly Kill[] {
  return [
    ...appends.flatMap((point): Kill[] => [
      { at: 'append', when: 'before', point },
      { at: 'append', when: 'after', point },
    ]),
    // After the very last frame everything is over before anybody could be killed.
    ...frames.slice(0, -1).map((point): Kill => ({ at: 'frame', kept: false, point })),
    // The first frame says only who speaks, and with the last the reply is over: there is nothing to keep.
    ...frames
      // Of a summary nothing is kept, either: it is asked for anew.
      .filter(point => !point.endsWith(' 1') && !point.startsWith(`${FOLD} `) && frames.includes(afterThis(point)))
      .map((point): Kill => ({ at: 'frame', kept: true, point })),
    ...TOOL_POINTS.map((point): Kill => ({ at: 'tool', point })),
  ]
}

const afterThis = (point: string): string => point.replace(/\d+$/, frame => String(Number(frame) + 1))

/** A few of each kind, spread over the whole conversation. */
export function someKills(kills: readonly Kill[], ofEach: number): readonly Kill[] {
  return [...Map.groupBy(kills, kindOf).values()].flatMap(same =>
    Array.from({ length: ofEach }, (_, index) => same[Math.floor(((index + 0.5) * same.length) / ofEach)]).filter(
      kill => kill !== undefined,
    ),
  )
}

/** A run of one kill or several; those at random have a number, by which one of them can be had again. */
export type Plan = { readonly number?: number; readonly kills: readonly Kill[]; readonly continuations?: number }

const MOST_KILLS = 4
/** So many appends and frames come in a life at most; some kills are beyond them, and are not reached. */
const MOST_APPENDS = 85
const MOST_FRAMES = 210

/** Any number of kills anywhere; the same for the same numbers. Half of the houses leave it to the person to go on. */
export function randomPlan(next: () => number): Plan {
  const below = (most: number): number => Math.floor(next() * most)
  const count = 1 + below(MOST_KILLS)
  const kills = Array.from({ length: count }, (_, life): Kill => {
    // What comes after a crash comes soon.
    const soon = life === 0 ? 1 : 1 / 3
    const kind = next()
    if (kind < 0.45) return { at: 'append', when: next() < 0.5 ? 'before' : 'after', point: 1 + below(MOST_APPENDS * soon) }
    if (kind < 0.9) return { at: 'frame', kept: next() < 0.5, point: 1 + below(MOST_FRAMES * soon) }
    return { at: 'tool', point: TOOL_POINTS[below(TOOL_POINTS.length)] ?? '' }
  })
  return { kills, ...(next() < 0.5 ? { continuations: 10 } : {}) }
}
