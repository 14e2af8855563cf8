/** Bodies that are written to a file of the workspace, and what is wrong with them said on one line. */
import { z } from 'zod'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { describedAs } from './schemas/schema.ts'

type Sent = Readonly<Record<string, unknown>>

/**
 * Any object, described by the schema of the file. That schema reads it later, so that a complaint has the same words here as
 * when the file is loaded. What came from here may be sent back, with its own key in it.
 */
export function sentObject(schema: z.ZodType): z.ZodType<unknown> {
  const anyObject = z
    .unknown()
    .refine(body => typeof body === 'object' && body !== null && !Array.isArray(body), 'expected an object')
  return describedAs(anyObject, () =>
    schema instanceof z.ZodObject ? schema.extend({ key: z.string().exactOptional() }) : schema,
  )
}

/** What was sent to be written under a key, without that key. */
export function withoutKey(body: unknown, address: string): Result<Sent, Fault> {
  const { key = address, ...rest } = body as Sent
  if (key === address) return ok(rest)
  return err(fault('invalid', `key: this address is for "${address}"; leave the key out, or send it to its own address`))
}

/** A problem has one line, a complaint about a file has one for each thing that is wrong. */
export const onOneLine = <Value>(result: Result<Value, Fault>): Result<Value, Fault> =>
  result.ok ? result : err(fault(result.fault.kind, result.fault.message.replaceAll('\n', '; ')))
