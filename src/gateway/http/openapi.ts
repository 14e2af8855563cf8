import { z } from 'zod'
import { isOpenAiPath } from '../openai/errors.ts'
import { OPERATIONS, type Operation } from './operations.ts'

export function openApi(): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const operation of OPERATIONS) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describe(operation) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Turnwise', version: '1', description: 'Know exactly what your model knows.' },
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: PROBLEM, OpenAiError: OPENAI_ERROR },
    },
    security: [{ token: [] }, {}],
  }
}

function describe({ path, summary, body, query = [], headers = [], answers, streams, takesFile }: Operation): object {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => parameter('path', name ?? ''))
  const parameters = [
    ...inPath,
    ...query.map(name => parameter('query', name)),
    ...headers.map(name => parameter('header', name)),
  ]
  const responses = Object.fromEntries(Object.entries(answers).map(([status, description]) => [status, { description }]))
  return {
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { content: { 'application/json': { schema: z.toJSONSchema(body, { io: 'input' }) } } } }),
    ...(takesFile ? { requestBody: { required: true, content: { 'application/octet-stream': {} } } } : {}),
    responses: {
      ...responses,
      ...(streams
        ? { 200: { description: 'With Accept: text/event-stream, signals', content: { 'text/event-stream': {} } } }
        : {}),
      default: isOpenAiPath(path) ? OPENAI_TROUBLE : TROUBLE,
    },
  }
}

const parameter = (place: 'path' | 'query' | 'header', name: string): object => ({
  name,
  in: place,
  required: place === 'path',
  schema: { type: 'string' },
})

const TROUBLE = {
  description: 'A problem',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
}

const OPENAI_TROUBLE = {
  description: "An error in OpenAI's shape",
  content: { 'application/json': { schema: { $ref: '#/components/schemas/OpenAiError' } } },
}

const OPENAI_ERROR = {
  type: 'object',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'type', 'param', 'code'],
      properties: {
        message: { type: 'string' },
        type: { type: 'string' },
        param: { type: ['string', 'null'] },
        code: { type: ['string', 'null'] },
      },
    },
  },
}

const PROBLEM = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'fault'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    fault: { type: 'string' },
  },
}
