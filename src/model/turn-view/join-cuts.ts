/** How a reply that was cut off and the one that goes on with it become one text. */
import type { Part } from '../event.ts'
import { hasWords, isCutAtLimit, type SpokenReply } from '../message/spoken.ts'
import type { PartView, StepView } from './step-view.ts'

type AnyPart = Part | PartView

/** What has to be known of a step to join it with others. */
export type CutStep<One extends AnyPart = AnyPart> = Pick<StepView, 'step' | 'state'> & {
  readonly stop?: 'length'
  readonly parts: readonly One[]
}

/** Whether a step ended in mid-reply: its line broke, or it reached the limit of its length. */
export const isCut = (step: CutStep): boolean => step.state === 'broken' || isCutAtLimit(step)

/** Whether a step goes on with the reply that was cut before it. A step of the same number is another try instead. */
export const goesOn = (before: CutStep | undefined, step: Pick<CutStep, 'step'>): boolean =>
  before !== undefined && isCut(before) && step.step > before.step

/** Whether the text of a step goes on with that of an earlier one, by their numbers. */
export function areOneReply(steps: readonly CutStep[], earlier: number, later: number): boolean {
  const from = steps.findLastIndex(({ step }) => step === earlier)
  const to = steps.findLastIndex(({ step }) => step === later)
  return from !== -1 && from < to && steps.slice(from + 1, to + 1).every((step, index) => goesOn(steps[from + index], step))
}

/**
 * The parts of a reply that was cut and of the one that goes on with it, as a model is sent them. Text joins text where the
 * two touch. Thinking stays where the model thought it, and its seal with it.
 */
export function joinTouching(cut: readonly Part[], next: readonly Part[]): readonly Part[] {
  const [head, tail] = [cut.at(-1), next[0]]
  if (head?.type !== 'text' || tail?.type !== 'text') return [...cut, ...next]
  return [...cut.slice(0, -1), { type: 'text', text: head.text + tail.text }, ...next.slice(1)]
}

/** A part as it is read, and where among the steps it begins and was last added to. */
export type JoinedPart<One extends AnyPart = AnyPart> = { readonly part: One; readonly from: Place; readonly to: Place }

/** An index among the steps, and one among the parts of that step. */
type Place = { readonly step: number; readonly part: number }

/** Steps that are one reply: each but the last was cut, and the next goes on with it. */
export type JoinedReply<One extends AnyPart = AnyPart> = {
  readonly parts: readonly JoinedPart<One>[]
  /** Indexes among the steps. */
  readonly first: number
  readonly last: number
}

/** The replies of an answer as people read them. A call of a step that was cut and gone on with was never made. */
export function joinedReplies<One extends AnyPart>(steps: readonly CutStep<One>[]): readonly JoinedReply<One>[] {
  const replies: JoinedReply<One>[] = []
  for (const [index, step] of steps.entries()) {
    const before = replies.at(-1)
    const own = step.parts.map((part, at) => ({ part, from: { step: index, part: at }, to: { step: index, part: at } }))
    if (before === undefined || !goesOn(steps[index - 1], step)) {
      replies.push({ parts: own, first: index, last: index })
      continue
    }
    const whole = before.parts.filter(({ part }) => part.type !== 'call')
    replies[replies.length - 1] = { ...before, parts: joinTexts(whole, own), last: index }
  }
  return replies
}

/**
 * The first text of what goes on is appended to the last text that was cut, with nothing between. What the model thought
 * meanwhile comes above that text, which stays whole.
 */
function joinTexts<One extends AnyPart>(
  cut: readonly JoinedPart<One>[],
  next: readonly JoinedPart<One>[],
): readonly JoinedPart<One>[] {
  const seam = cut.findLastIndex(({ part }) => part.type === 'text')
  const first = next.findIndex(({ part }) => part.type === 'text')
  const [head, tail] = [cut[seam], next[first]]
  if (head?.part.type !== 'text' || tail?.part.type !== 'text') return [...cut, ...next]
  const text = { part: { ...head.part, text: head.part.text + tail.part.text }, from: head.from, to: tail.to }
  return [...cut.slice(0, seam), ...next.slice(0, first), text, ...cut.slice(seam + 1), ...next.slice(first + 1)]
}

/** The texts of an answer, without thinking and calls: a text that was cut and continued counts as one. */
export const textsOf = (steps: readonly CutStep[]): readonly string[] =>
  joinedReplies(steps).flatMap(({ parts }) => parts.flatMap(({ part }) => (part.type === 'text' ? [part.text] : [])))

/** A turn's whole answer: what was cut goes on without a seam, everything else is a paragraph of its own. */
export const spokenText = (replies: readonly Reply[]): string =>
  textsOf(
    replies.map(reply => ({ ...cutStepOf(reply), parts: reply.parts.filter(part => part.type !== 'text' || part.text !== '') })),
  ).join('\n\n')

type Reply = Pick<SpokenReply, 'type' | 'step' | 'parts'> & { readonly stop?: 'length' }

/** A reply of the log as a step to be joined. */
export const cutStepOf = ({ type, step, parts, stop }: Reply): CutStep<Part> => ({
  ...{ step, parts, state: type === 'reply.finished' ? 'finished' : 'broken' },
  ...(stop === undefined ? {} : { stop }),
})

/** The first step whose line broke and that a later one goes on with, if there is one. */
export const firstBroken = <Step extends CutStep>(steps: readonly Step[]): Step | undefined =>
  steps.find((step, index) => {
    const next = steps[index + 1]
    return step.state === 'broken' && next !== undefined && goesOn(step, next)
  })

/** What an answer came to: whole, cut at its limit, or without a word. */
export type AnswerState = 'whole' | 'cut' | 'empty'

export function answerState(steps: readonly CutStep[]): AnswerState {
  const last = steps.at(-1)
  if (last === undefined || !steps.some(hasWords)) return 'empty'
  return isCutAtLimit(last) ? 'cut' : 'whole'
}
