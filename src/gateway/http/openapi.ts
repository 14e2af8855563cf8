/** The OpenAPI document of declared routes. */
import { z } from 'zod'
import { FAULT_KINDS } from '../../model/fault.ts'
import { isOpenAiPath, type OpenAiError } from '../openai/errors.ts'
import type { Problem } from './problem.ts'
import type { Route, RouteAnswer } from './route.ts'
import type { RequestField } from './schemas/fields.ts'
import { jsonSchema, namedSchemas, refTo, type Schema, schema, schemaName } from './schemas/schema.ts'

const problem: Schema<Problem> = schema('Problem', () =>
  z.object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    fault: z.enum(FAULT_KINDS),
  }),
)

const openAiError: Schema<OpenAiError> = schema('OpenAiError', () =>
  z.object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
    }),
  }),
)

export function openApi(routes: readonly Route[]): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)(?:\{[^}]*\})?/g, '{$1}')
    paths[path] = { ...paths[path], [route.method]: operationOf(route) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Turnwise', version: '1', description: 'Know exactly what your model knows.' },
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: namedSchemas(),
    },
    security: [{ token: [] }, {}],
  }
}

function operationOf(route: Route): object {
  const { operationId, summary, params, query, headers, answers, problems = {} } = route
  const parameters = [
    ...Object.entries(params).map(([name, field]) => parameter('path', name, field)),
    ...(query === undefined ? [] : queryParameters(query)),
    ...Object.entries(headers).map(([name, field]) => parameter('header', name, field)),
  ]
  const trouble = isOpenAiPath(route.path) ? openAiError : problem
  const type = isOpenAiPath(route.path) ? 'application/json' : 'application/problem+json'
  const refused = (description: string): object => ({ description, content: { [type]: { schema: schemaOf(trouble()) } } })
  return {
    operationId,
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBodyOf(route),
    responses: {
      ...responsesOf(answers),
      ...Object.fromEntries(Object.entries(problems).map(([status, description]) => [status, refused(description)])),
      default: refused('What went wrong'),
    },
  }
}

function requestBodyOf({ body, takesFile }: Route): object {
  if (takesFile) return { requestBody: { required: true, content: { 'application/octet-stream': { schema: BYTES } } } }
  if (body === undefined) return {}
  // No body at all counts as `{}`.
  const required = !body.safeParse({}).success
  return { requestBody: { required, content: { 'application/json': { schema: jsonSchema(body) } } } }
}

/** Two answers may have one status, in different media types. */
function responsesOf(answers: readonly RouteAnswer<unknown>[]): Record<string, object> {
  const byStatus = Map.groupBy(answers, ({ status }) => status)
  return Object.fromEntries([...byStatus].map(([status, same]) => [status, responseOf(same)]))
}

function responseOf(answers: readonly RouteAnswer<unknown>[]): object {
  const media = answers.flatMap(({ content }) => Object.entries(content))
  const content = Object.fromEntries(
    media.map(([type, made]) => [type, { schema: made === undefined ? unwritten(type) : schemaOf(made()) }]),
  )
  return {
    description: answers.map(({ description }) => description).join('; '),
    ...(media.length === 0 ? {} : { content }),
  }
}

const BYTES = { type: 'string', format: 'binary' }

/** What is answered as it is, without a schema of ours. */
const unwritten = (type: string): object => (/^text\/|\+xml$/.test(type) ? { type: 'string' } : BYTES)

function schemaOf(given: z.ZodType): object {
  const name = schemaName(given)
  return name === undefined ? jsonSchema(given) : { $ref: refTo(name) }
}

const parameter = (place: 'path' | 'header', name: string, { description, schema: made }: RequestField<unknown>): object => ({
  name,
  in: place,
  description,
  required: place === 'path',
  schema: made === undefined ? { type: 'string' } : jsonSchema(made()),
})

function queryParameters(query: z.ZodType): readonly object[] {
  const { properties = {}, required = [] } = jsonSchema(query) as {
    readonly properties?: Readonly<Record<string, object>>
    readonly required?: readonly string[]
  }
  return Object.entries(properties).map(([name, made]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: made,
  }))
}
