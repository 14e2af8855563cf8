/** Declares a route once, with its schemas: the app adds the declaration to its router, and OpenAPI describes it. */
import type { Context, Hono } from 'hono'
import type { z } from 'zod'
import type { Fault } from '../../model/fault.ts'
import { ok, type Result } from '../../model/result.ts'
import { type Larger, parseAs, readBody } from './body.ts'
import type { OwnerCheck } from './peer-user.ts'
import type { RequestField } from './schemas/fields.ts'
import type { Schema } from './schemas/schema.ts'
import type { Env } from './streams.ts'

/** A request with the way to answer it. */
export type HttpExchange = Context<Env>

/** A way in which a request is answered when all is well. */
export type RouteAnswer<Value> = {
  readonly status: 200 | 201 | 202 | 204
  readonly description: string
  /** By media type: its schema, or nothing where the bytes are a text or a file of their own. */
  readonly content: Readonly<Record<string, Schema<Value> | undefined>>
}

export const jsonRouteAnswer = <Value>(
  status: 200 | 201 | 202,
  schema: Schema<Value>,
  description: string,
): RouteAnswer<Value> => ({
  status,
  description,
  content: { 'application/json': schema },
})

/** The handler writes it; `types` are the media types it may have. */
export const written = (types: readonly string[], description: string): RouteAnswer<never> => ({
  status: 200,
  description,
  content: Object.fromEntries(types.map(type => [type, undefined])),
})

/** Server-sent events. */
export const stream = (description: string): RouteAnswer<never> => written(['text/event-stream'], description)

export const noContent = (description: string): RouteAnswer<null> => ({ status: 204, description, content: {} })

type Fields = Readonly<Record<string, RequestField<unknown>>>
type None = Readonly<Record<never, never>>
type ValueOf<Given> = Given extends RequestField<infer Value> ? Value : never

/** What a handler is given: everything that was declared, read and checked in this order. */
export type RouteInput<Params, Headers, Query, Body> = {
  readonly params: { readonly [Name in keyof Params]: ValueOf<Params[Name]> }
  readonly query: Query
  /** Those that were sent. */
  readonly headers: { readonly [Name in keyof Headers]?: ValueOf<Headers[Name]> }
  readonly body: Body
  readonly c: HttpExchange
}

type Description = {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** As the router wants it, as in `/api/sessions/:id`. */
  readonly path: string
  readonly operationId: string
  readonly summary: string
  /** What is special about a problem of this route, by its status. */
  readonly problems?: Readonly<Record<number, string>>
  /** Its body is a file, which the handler reads. */
  readonly takesFile?: true
  /** It changes settings or keys, which another user of the machine must not do. */
  readonly ownerOnly?: true
}

type Declaration<Params extends Fields, Headers extends Fields, Query, Body, Value> = Description & {
  readonly params?: Params
  readonly query?: z.ZodType<Query>
  readonly headers?: Headers
  readonly body?: z.ZodType<Body>
  /** A body that may be larger than others are. */
  readonly larger?: Larger
  /** The first one is how a value is sent; for any other the handler gives a response. */
  readonly answers: readonly [RouteAnswer<Value>, ...RouteAnswer<unknown>[]]
  readonly handle: (asked: RouteInput<Params, Headers, Query, Body>) => Handled<NoInfer<Value>>
}

type Handled<Value> = Result<Value | Response, Fault> | Promise<Result<Value | Response, Fault>>

/** A declared route, for the app and for the document. */
export type Route = Description & {
  readonly params: Fields
  readonly headers: Fields
  readonly query: z.ZodType | undefined
  readonly body: z.ZodType | undefined
  readonly answers: readonly RouteAnswer<unknown>[]
  readonly respond: (c: HttpExchange) => Promise<Result<Response, Fault>>
}

export function route<Value, Params extends Fields = None, Headers extends Fields = None, Query = undefined, Body = undefined>(
  declared: Declaration<Params, Headers, Query, Body, Value>,
): Route {
  const { params = {}, headers = {}, query, body, larger, answers, handle, ...description } = declared
  const respond = async (c: HttpExchange): Promise<Result<Response, Fault>> => {
    const fromPath = readFields(params, name => c.req.param(name) ?? '')
    if (!fromPath.ok) return fromPath
    const fromQuery = query === undefined ? ok(undefined) : parseAs(c.req.query(), query)
    if (!fromQuery.ok) return fromQuery
    const fromHeaders = readFields(headers, name => c.req.header(name))
    if (!fromHeaders.ok) return fromHeaders
    const fromBody = body === undefined ? ok(undefined) : await readBody(c.env.incoming, body, larger)
    if (!fromBody.ok) return fromBody
    const asked = { params: fromPath.value, query: fromQuery.value, headers: fromHeaders.value, body: fromBody.value, c }
    const handled = await handle(asked as RouteInput<Params, Headers, Query, Body>)
    return handled.ok ? ok(responseOf(c, answers[0], handled.value)) : handled
  }
  const { problems, ownerOnly } = description
  const others =
    ownerOnly === true ? { problems: { 403: 'Another user of this machine asks, and there is no token', ...problems } } : {}
  return { ...description, ...others, params, headers, query, body, answers, respond }
}

/** Adds a route to the app; what goes wrong is said as `refuse` says it. `refuseOthers` looks at who asks for a change that is the owner's. */
export function addRoute(
  app: Hono<Env>,
  { method, path, ownerOnly, respond }: Route,
  refuse: (fault: Fault) => Response,
  refuseOthers: OwnerCheck,
): void {
  app.on(method, path, async c => {
    const other = ownerOnly === true ? await refuseOthers(c.env.incoming.socket) : undefined
    const response = other ?? (await respond(c))
    return response.ok ? response.value : refuse(response.fault)
  })
}

function responseOf(c: HttpExchange, { status }: RouteAnswer<unknown>, value: unknown): Response {
  if (value instanceof Response) return value
  return status === 204 ? c.body(null, 204) : c.json(value as object, status)
}

function readFields(fields: Fields, textOf: (name: string) => string | undefined): Result<Record<string, unknown>, Fault> {
  const values: Record<string, unknown> = {}
  for (const [name, { read }] of Object.entries(fields)) {
    const text = textOf(name)
    if (text === undefined) continue
    const value = read(text)
    if (!value.ok) return value
    values[name] = value.value
  }
  return ok(values)
}
