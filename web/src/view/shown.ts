/** What a reader sees of a reply's steps. */
import type { Fault } from '../../../src/model/fault.ts'
import { joinedReplies, textsOf } from '../../../src/model/turn-view/join-cuts.ts'
import type { Step, ViewPart } from './view.ts'

/** One thing in a reply, as it is read. */
export type Shown =
  | {
      readonly key: string
      readonly part: ViewPart
      readonly growing: boolean
      /** On the first thinking of a step, how long all its thinking took; null if unknown, and on everything else. */
      readonly ms: number | null
    }
  /** A try that was given up and begun again. */
  | { readonly key: string; readonly fault: Fault }

/** What the steps of a reply say, in order, a text that was cut off and what it went on with as one. */
export const shownOf = (steps: readonly Step[]): readonly Shown[] =>
  joinedReplies(steps).flatMap(({ parts, last }): readonly Shown[] => {
    const shown = parts.map(({ part, from, to }) => ({
      ...{ key: `${from.step}.${from.part}`, part },
      growing: isGrowing(steps, to),
      ms: part.type === 'think' ? firstThoughtMs(steps[from.step], from.part) : null,
    }))
    const fault = steps[last]?.fault ?? null
    return fault === null || last === steps.length - 1 ? shown : [...shown, { key: `${last}.fault`, fault }]
  })

function isGrowing(steps: readonly Step[], to: { readonly step: number; readonly part: number }): boolean {
  const step = steps[to.step]
  return step?.state === 'open' && to.step === steps.length - 1 && to.part === step.parts.length - 1
}

const firstThoughtMs = (step: Step | undefined, part: number): number | null =>
  step === undefined || part !== step.parts.findIndex(({ type }) => type === 'think') ? null : thoughtMs(step)

/** How long a step thought: by the gateway's clock, else by this page's; null if unknown. */
export function thoughtMs({ took, thought }: Pick<Step, 'took' | 'thought'>): number | null {
  if (took?.thinkMs !== undefined) return took.thinkMs
  return thought === undefined ? null : thought.to - thought.from
}

/** A turn is sent or left out as a whole: a mark that keeps one reply out keeps out the whole turn. */
export function markOf(steps: readonly Step[]): Step['mark'] {
  const marks = steps.map(step => step.mark)
  return marks.includes('removed') ? 'removed' : marks.includes('exclude') ? 'exclude' : marks.includes('pin') ? 'pin' : null
}

/** The words of a reply, without thinking and calls. */
export const spokenWords = (steps: readonly Step[]): readonly string[] => textsOf(steps)

/** How far a turn's pin reaches: as far as the widest of its replies' pins; undefined if only in its chat. */
export function reachOf(steps: readonly Step[]): Step['reach'] {
  const reaches = steps.map(step => step.reach)
  return reaches.includes('everywhere') ? 'everywhere' : reaches.includes('project') ? 'project' : undefined
}
