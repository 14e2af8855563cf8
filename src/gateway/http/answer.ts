import type { Context as HonoContext } from 'hono'
import type { z } from 'zod'
import type { Fault } from '../../model/fault.ts'
import { parseSessionId, type SessionId } from '../../model/ids.ts'
import type { Result } from '../../model/result.ts'
import { readBody } from './body.ts'
import { problemResponse } from './problem.ts'
import type { Env } from './streams.ts'

/** A request with the way to answer it. */
export type Exchange = HonoContext<Env>

export const idOf = (c: Exchange): Result<SessionId, Fault> => parseSessionId(c.req.param('id') ?? '')

/** Goes on with a value, or stops with the fault. */
export async function then<In, Out>(
  given: Result<In, Fault> | Promise<Result<In, Fault>>,
  use: (value: In) => Promise<Result<Out, Fault>>,
): Promise<Result<Out, Fault>> {
  const value = await given
  return value.ok ? use(value.value) : value
}

export async function answer<In, Out>(
  c: Exchange,
  status: 200 | 201 | 202,
  given: Result<In, Fault> | Promise<Result<In, Fault>>,
  use: (value: In) => Promise<Result<Out, Fault>>,
): Promise<Response> {
  const result = await then(given, use)
  return result.ok ? c.json(result.value as object, status) : problemResponse({ fault: result.fault })
}

export function withId<Body, Out>(
  c: Exchange,
  status: 200 | 201 | 202,
  schema: z.ZodType<Body>,
  use: (id: SessionId, body: Body) => Promise<Result<Out, Fault>>,
): Promise<Response> {
  return answer(c, status, idOf(c), id => then(readBody(c.env.incoming, schema), body => use(id, body)))
}

export const responseOf = (result: Result<Response, Fault>): Response =>
  result.ok ? result.value : problemResponse({ fault: result.fault })
