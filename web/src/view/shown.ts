import type { Fault } from '../../../src/model/fault.ts'
import type { Step, ViewPart } from './view.ts'

/** One thing in a reply, as it is read. */
export type Shown =
  | {
      readonly key: string
      readonly part: ViewPart
      readonly growing: boolean
      /** Of the first thinking of a step, how long all of it took; null where nobody knows, and of anything else. */
      readonly ms: number | null
    }
  /** A try that was given up and begun again. */
  | { readonly key: string; readonly fault: Fault }

/** Whether a step goes on with the reply that was cut off before it. A step of the same number is another try instead. */
export const goesOn = (before: Step | undefined, step: Step): boolean =>
  before !== undefined && (before.state === 'broken' || isCutAtLimit(before)) && step.step > before.step

/** Whether a step reached its limit in mid-text; one that made calls goes on with their results. */
export const isCutAtLimit = ({ stop, parts }: Pick<Step, 'stop' | 'parts'>): boolean =>
  stop === 'length' && !parts.some(part => part.type === 'call')

/** The first reply that was cut off and gone on with, if there is one. */
export const firstCut = (steps: readonly Step[]): Step | undefined =>
  steps.find((step, index) => {
    const next = steps[index + 1]
    return next !== undefined && goesOn(step, next)
  })

/**
 * What the steps of a reply say, in order. A text that was cut off and what it went on with are one; nothing is written into
 * the steps for that, so that words cannot be there twice, however often they are heard.
 */
export function shownOf(steps: readonly Step[]): readonly Shown[] {
  const shown: Shown[] = []
  let begins = 0
  steps.forEach((step, index) => {
    const next = steps[index + 1]
    const isCut = next !== undefined && goesOn(step, next)
    if (!goesOn(steps[index - 1], step)) begins = shown.length
    const firstThought = step.parts.findIndex(part => part.type === 'think')
    let seam = begins === shown.length ? -1 : shown.findLastIndex((each, at) => at >= begins && textIn(each) !== undefined)
    step.parts.forEach((part, at) => {
      // A call that was cut off has no whole arguments, and was never made.
      if (isCut && part.type === 'call') return
      const growing = step.state === 'open' && next === undefined && at === step.parts.length - 1
      const own: Shown = { key: `${index}.${at}`, part, growing, ms: at === firstThought ? thoughtMs(step) : null }
      const before = seam === -1 ? undefined : shown[seam]
      const text = before === undefined ? undefined : textIn(before)
      if (before === undefined || text === undefined || part.type === 'call') {
        shown.push(own)
        seam = -1
      } else if (part.type === 'text') {
        shown[seam] = { key: before.key, part: { ...part, text: text + part.text }, growing, ms: null }
        seam = -1
      } else {
        // What was thought before going on stands above the text, which stays whole.
        shown.splice(seam, 0, own)
        seam += 1
      }
    })
    if (step.fault !== null && next !== undefined && !isCut) shown.push({ key: `${index}.fault`, fault: step.fault })
  })
  return shown
}

/** How long a step thought: as the gateway measured it, else as this page heard it; null where nobody knows. */
export function thoughtMs({ took, thought }: Pick<Step, 'took' | 'thought'>): number | null {
  if (took?.thinkMs !== undefined) return took.thinkMs
  return thought === undefined ? null : thought.to - thought.from
}

/** A turn is sent or left out as one: what keeps one of its replies out keeps out all of it. */
export function markOf(steps: readonly Step[]): Step['mark'] {
  const marks = steps.map(step => step.mark)
  return marks.includes('exclude') ? 'exclude' : marks.includes('pin') ? 'pin' : null
}

/** The words of a reply, without thinking and calls. */
export const spokenWords = (steps: readonly Step[]): readonly string[] =>
  shownOf(steps).flatMap(each => {
    const text = textIn(each)
    return text === undefined ? [] : [text]
  })

const textIn = (shown: Shown): string | undefined => ('part' in shown && shown.part.type === 'text' ? shown.part.text : undefined)
