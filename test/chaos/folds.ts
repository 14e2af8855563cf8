import { foldsThatCount } from '../../src/context/fold/folds-that-count.ts'
import type { Event } from '../../src/model/event.ts'
import { FOLD, isInternalVoice } from '../../src/model/settings/council.ts'
import { MESSAGES } from './conversation.ts'
import type { Kept } from './kept.ts'

type Folded = Extract<Event, { type: 'history.folded' }>

export type FoldRemains = {
  readonly kept: Kept
  /** The log as each gateway but the first found it. */
  readonly found: readonly Kept[]
  /** The name of every append, of all gateways. */
  readonly appends: readonly string[]
  /** How many gateways were killed. */
  readonly killed: number
}

/** What is wrong with the summaries that a run left, and with those that each gateway found. */
export function foldFaults({ kept, found, appends, killed }: FoldRemains): readonly string[] {
  return [
    ...[...found, kept].flatMap(each => each.flatMap(events => [...halfFolds(events), ...overlaps(events)])),
    ...appends.filter(name => name.includes(`history.folded ${FOLD}`) && !WHOLE.test(name)).map(name => `written as ${name}`),
    ...(killed < 2 ? kept.flatMap(events => tooFew(events, killed)) : []),
    ...(killed === 0 ? kept.flatMap(notUsed) : []),
  ]
}

/** A reply, its summary and the end of its turn are written together. */
const WHOLE = new RegExp(`^reply\\.finished ${FOLD} \\d+ \\+ history\\.folded ${FOLD} \\d+ \\+ turn\\.ended ${FOLD} \\d+$`)

/** A turn that was done has left one summary; one that was not has left none. */
function halfFolds(events: readonly Event[]): readonly string[] {
  const turns = events.filter(event => event.type === 'turn.started').filter(({ voice }) => voice === FOLD)
  const strays = foldsIn(events).filter(({ turn }) => turn !== undefined && !turns.some(started => started.turn === turn))
  return [
    ...strays.map(({ seq }) => `the summary at ${seq} belongs to no turn`),
    ...turns.flatMap(({ turn, fold }) => {
      const own = events.filter(event => 'turn' in event && event.turn === turn)
      const ends = own.filter(event => event.type === 'turn.ended')
      const made = foldsIn(own)
      const wanted = ends[0]?.reason === 'done' ? 1 : 0
      const whose = `the turn that summarizes ${fold?.from}–${fold?.to} and ended ${ends[0]?.reason ?? 'not yet'}`
      return [
        ...(ends.length > 1 ? [`${whose} has ${ends.length} ends`] : []),
        ...(made.length === wanted ? [] : [`${whose} left ${made.length} summaries`]),
        ...(made.every(({ from, to }) => from === fold?.from && to === fold.to) ? [] : [`${whose} left that of another stretch`]),
      ]
    }),
  ]
}

/** Of the summaries that count for a voice, no two stand for the same messages. */
function overlaps(events: readonly Event[]): readonly string[] {
  const all = foldsIn(events)
  return [...new Set(all.map(({ voice }) => voice))].flatMap(voice => {
    const counting = foldsThatCount(all, voice ?? '', voice === undefined ? 'all' : 'own')
    return counting.flatMap(({ from, to }, index) =>
      counting
        .slice(index + 1)
        .filter(other => other.from <= to && from <= other.to)
        .map(other => `two summaries count for ${voice ?? 'all'}: ${from}–${to} and ${other.from}–${other.to}`),
    )
  })
}

/** Without a kill each summary is there; after one, two may have become one of a longer stretch. */
function tooFew(events: readonly Event[], killed: number): readonly string[] {
  const keys = new Set(events.flatMap(event => (event.type === 'message.received' ? [event.key] : [])))
  const wanted = MESSAGES.filter(({ key }) => keys.has(key)).reduce((most, { folds = 0 }) => Math.max(most, folds), 0)
  const least = Math.max(0, wanted - killed)
  const { length } = foldsIn(events)
  return length >= least ? [] : [`${length} summaries were made with ${[...keys].at(-1)}, of at least ${least}`]
}

/** The last request of a conversation that was summarized begins with a summary. */
function notUsed(events: readonly Event[]): readonly string[] {
  if (foldsIn(events).length === 0) return []
  const last = events.filter(event => event.type === 'context.planned').findLast(({ receipt }) => !isInternalVoice(receipt.voice))
  const isUsed = last?.receipt.in.some(({ reason }) => reason === 'summary.folded')
  return isUsed === true ? [] : [`the last request has no summary: ${last?.seq} of ${events.length}`]
}

const foldsIn = (events: readonly Event[]): readonly Folded[] => events.filter(event => event.type === 'history.folded')
