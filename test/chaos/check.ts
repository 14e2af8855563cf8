import { readFileSync } from 'node:fs'
import { UNKNOWN_EFFECTS } from '../../src/context/stages/sanitize.ts'
import type { Event } from '../../src/model/event.ts'
import { FOLD } from '../../src/model/settings/council.ts'
import { SCRIPT, type Script } from './conversation.ts'
import { type FoldRemains, foldFaults } from './folds.ts'
import { type Answer, answersIn, begunIn, linesOf, repliesIn } from './kept.ts'
import type { Request } from './provider.ts'

/** All that is left of a run. */
export type Remains = FoldRemains & {
  readonly requests: readonly Request[]
  /** The lines that tools left. */
  readonly effects: readonly string[]
}

/** Whatever of a run is not as it would have been without a single kill; nothing, if all is well. */
export function differences(remains: Remains, plain: readonly string[]): readonly string[] {
  const { kept } = remains
  return [
    ...otherLines(remains, plain),
    ...kept.flatMap(seqGaps),
    ...kept.flatMap(answersIn).flatMap(looseEnds),
    ...askedAgain(remains),
    ...ranAgain(remains),
    ...foldFaults(remains),
  ]
}

/** The conversation must be the same, but for what nobody can know of a tool that was killed. */
function otherLines({ kept, found }: Remains, plain: readonly string[]): readonly string[] {
  const begun = new Set(found.flatMap(each => [...begunIn(each)]))
  const lost = kept.flat().filter(event => event.type === 'tool.settled' && event.outcome === UNKNOWN_EFFECTS)
  const isExcused = lost.every(event => event.type === 'tool.settled' && event.tool === 'act' && begun.has(event.call))
  if (!isExcused) return ['a call is said to have unknown effects, and nothing happened to it']
  const unknown = `: ${JSON.stringify([UNKNOWN_EFFECTS, ''])}`
  const lines = linesOf(kept)
  const excused = plain.map(line => {
    const [before] = line.split(/: (?=\["[^"]*","[^"]*"\]$)/)
    return lines.includes(`${before}${unknown}`) ? `${before}${unknown}` : line
  })
  return [
    ...excused.filter(line => !lines.includes(line)).map(line => `missing: ${line}`),
    ...lines.filter((line, index) => !excused.includes(line) || lines.indexOf(line) !== index).map(line => `strange: ${line}`),
  ]
}

export const seqGaps = (events: readonly Event[]): readonly string[] =>
  events.flatMap(({ seq }, index) => (seq === index + 1 ? [] : [`event ${seq} stands where ${index + 1} should`]))

/** Every turn ends once, only what was left is gone on with, and every call is settled once. */
export function looseEnds({ key, voice, turns, events }: Answer): readonly string[] {
  const whose = `${voice} on ${key}`
  const faults: string[] = []
  for (const [index, { turn, resumes }] of turns.entries()) {
    const ends = events.filter(event => event.type === 'turn.ended' && event.turn === turn).length
    if (ends !== 1) faults.push(`${whose}: a turn has ${ends} ends`)
    if (resumes !== turns[index - 1]?.turn) faults.push(`${whose}: answered in another turn without need`)
  }
  const starts = events.filter(event => event.type === 'tool.started')
  const calls = events.flatMap(event =>
    event.type === 'reply.finished' ? event.parts.flatMap(part => (part.type === 'call' ? [part.call] : [])) : [],
  )
  for (const call of new Set([...calls, ...starts.map(each => each.call)])) {
    const settled = events.filter(event => event.type === 'tool.settled' && event.call === call).length
    if (settled !== 1) faults.push(`${whose}: the call ${call} was settled ${settled} times`)
    const started = starts.filter(each => each.call === call && each.tool !== 'look').length
    if (started > 1) faults.push(`${whose}: the call ${call} was begun ${started} times`)
  }
  return faults
}

/** What was there whole when a gateway started is not asked for again, and nothing is asked for twice by one gateway. */
function askedAgain({ found, requests: all }: Remains): readonly string[] {
  // A stretch that was being summarized may be longer when it is looked at again.
  const requests = all.filter(({ reply }) => !reply.startsWith(`${FOLD} `))
  return requests.flatMap(({ life, reply }, index) => {
    const before = found[life - 1]
    if (before !== undefined && repliesIn(before).has(reply)) return [`asked again for what was there: ${reply}`]
    const isTwice = requests.some((other, at) => at < index && other.life === life && other.reply === reply)
    return isTwice ? [`asked twice by one gateway: ${reply}`] : []
  })
}

function ranAgain({ found, effects }: Remains): readonly string[] {
  const times = (tool: string): number => effects.filter(effect => effect === tool).length
  return [
    ...(times('act') > 1 ? [`act had its effect ${times('act')} times`] : []),
    ...(times('look') > 1 + found.length ? [`look had its effect ${times('look')} times`] : []),
  ]
}

/** The conversation as it is written in the script. */
export function expectedLines({ messages, replies: all }: Script = SCRIPT): readonly string[] {
  const answers = Object.entries(all).flatMap(([voice, replies]) =>
    Object.entries(replies).flatMap(([key, steps]) => {
      const calls = steps.flatMap(({ call }) => (call === undefined ? [] : [call]))
      const text = steps.flatMap(each => (each.text === '' ? [] : [each.text])).join('\n\n')
      return [
        `${voice} answered ${key} with ${JSON.stringify(text)}`,
        ...calls.map(({ tool, args }, index) => {
          const outcome = JSON.stringify(['done', `${tool} is done\n`])
          return `${voice} answered ${key}, call ${index + 1}: ${tool} ${JSON.stringify(args)}: ${outcome}`
        }),
        `${voice} answered ${key} and was done`,
      ]
    }),
  )
  return [...messages.map(({ key, text }) => `${key} said ${JSON.stringify(text)}`), ...answers].sort()
}

export const effectsIn = (file: string): readonly string[] => readFileSync(file, 'utf8').split('\n').slice(0, -1)
