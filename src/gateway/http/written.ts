import type { Context } from 'hono'
import { z } from 'zod'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { readBody } from './body.ts'
import { problemResponse } from './problem.ts'
import type { Env } from './streams.ts'

/** A request that is about something in a file of the workspace. */
export type Exchange = Context<Env>

/** What is wrong in it is said by the schema of the file, so that both doors use the same words. */
const anyObject: z.ZodType<unknown> = z
  .unknown()
  .refine(body => typeof body === 'object' && body !== null && !Array.isArray(body), 'expected an object')

/** What was sent to be written. As it came from here it may go back: with its own key in it. */
export async function sentBody(c: Exchange): Promise<Result<unknown, Fault>> {
  const body = await readBody(c.env.incoming, anyObject)
  if (!body.ok) return body
  const { key = keyOf(c), ...rest } = body.value as Readonly<Record<string, unknown>>
  if (key === keyOf(c)) return ok(rest)
  return err(fault('invalid', `key: this address is for "${keyOf(c)}"; leave the key out, or send it to its own address`))
}

export const keyOf = (c: Exchange): string => c.req.param('key') ?? ''

export const answer = (c: Exchange, result: Result<object, Fault>): Response =>
  result.ok ? c.json(result.value) : problem(result.fault)

export const gone = (c: Exchange, result: Result<null, Fault>): Response =>
  result.ok ? c.body(null, 204) : problem(result.fault)

/** On one line, as problems are. */
export const problem = ({ kind, message }: Fault): Response =>
  problemResponse({ fault: fault(kind, message.replaceAll('\n', '; ')) })
