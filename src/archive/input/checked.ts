// Checks a value against its format's schema.
import type { z } from 'zod'
import { firstIssue } from '../formats/turnwise-schema.ts'
import { badAt, type FilePosition } from './place.ts'

/** Returns the value if it fits the schema of its format. Otherwise it throws an error that names the message by its number. */
export function checked<Value>(schema: z.ZodType<Value>, value: unknown, place: FilePosition, what: string): Value {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const [list, number] = issue?.path ?? []
  const message = typeof list === 'string' && typeof number === 'number' ? { message: number + 1 } : {}
  throw badAt({ ...place, ...message }, `is not ${what}: ${firstIssue(result.error)}`)
}
