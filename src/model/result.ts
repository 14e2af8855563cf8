/** `Result`: either a value or ordinary trouble, and the few ways to join results. */

/** Either a value or ordinary trouble; a bug is thrown instead. */
export type Result<Value, Trouble> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly fault: Trouble }

export const ok = <Value>(value: Value): { readonly ok: true; readonly value: Value } => ({ ok: true, value })

export const err = <Trouble>(fault: Trouble): { readonly ok: false; readonly fault: Trouble } => ({ ok: false, fault })

/** Changes the value; a fault stays as it is. */
export const mapResult = <Value, Changed, Trouble>(
  result: Result<Value, Trouble>,
  change: (value: Value) => Changed,
): Result<Changed, Trouble> => (result.ok ? ok(change(result.value)) : result)

/** Takes the next step with the value; after a fault it is not taken. */
export const andThen = <Value, Next, Trouble>(
  result: Result<Value, Trouble>,
  next: (value: Value) => Result<Next, Trouble>,
): Result<Next, Trouble> => (result.ok ? next(result.value) : result)

type ValueOf<Each> = Each extends { readonly ok: true; readonly value: infer Value } ? Value : never
type TroubleOf<Each> = Each extends { readonly ok: false; readonly fault: infer Trouble } ? Trouble : never

/** Every value in order, or the first fault. */
export function all<const Results extends readonly Result<unknown, unknown>[]>(
  results: Results,
): Result<{ readonly [Index in keyof Results]: ValueOf<Results[Index]> }, TroubleOf<Results[number]>> {
  const failed = results.find(each => !each.ok)
  if (failed !== undefined) return failed as { readonly ok: false; readonly fault: TroubleOf<Results[number]> }
  return ok(
    results.map(each => (each as { readonly value: unknown }).value) as {
      readonly [Index in keyof Results]: ValueOf<Results[Index]>
    },
  )
}
