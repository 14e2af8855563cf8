/** Work that is done in small steps, so that its caller can let others go first between them. */

/** Work that gives its result at last; each value before it says only that a step is done. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** The result of work that is done in one go. */
export function finishSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}
