// Waits for several answers and returns the first problem.
import type { ApiResult } from './problem.ts'

type Values<Asked> = { readonly [Name in keyof Asked]: Asked[Name] extends Promise<ApiResult<infer Value>> ? Value : never }

/** Several answers as one; the first that is a problem is the problem of all. */
export async function together<Asked extends Readonly<Record<string, Promise<ApiResult<unknown>>>>>(
  asked: Asked,
): Promise<ApiResult<Values<Asked>>> {
  const values: Record<string, unknown> = {}
  for (const [name, answer] of Object.entries(asked)) {
    const outcome = await answer
    if (!outcome.ok) return outcome
    values[name] = outcome.value
  }
  return { ok: true, value: values as Values<Asked> }
}
