import { z } from 'zod'
import { approvalAnswer, cancelled, dryRun, marked, newMessage, newSession, sessionChange } from './schemas.ts'

type Operation = {
  readonly method: 'get' | 'post' | 'patch' | 'delete'
  readonly path: string
  readonly summary: string
  readonly body?: z.ZodType
  readonly query?: readonly string[]
  readonly headers?: readonly string[]
  readonly answers: Readonly<Record<number, string>>
  readonly streams?: true
}

/** The contract's table of routes; a test holds it equal to the routes there are. */
export const OPERATIONS: readonly Operation[] = [
  { method: 'get', path: '/healthz', summary: 'The process can answer', answers: { 200: 'Alive' } },
  { method: 'get', path: '/readyz', summary: 'Ready, or degraded with its reasons', answers: { 200: 'Status and reasons' } },
  { method: 'get', path: '/metrics', summary: 'Measurements as Prometheus text', answers: { 200: 'Prometheus text' } },
  { method: 'get', path: '/openapi.json', summary: 'This document', answers: { 200: 'OpenAPI 3.1' } },
  { method: 'get', path: '/api/agents', summary: 'The agents there are', answers: { 200: 'Agents' } },
  { method: 'get', path: '/api/policies', summary: 'The policies there are', answers: { 200: 'Policies' } },
  { method: 'get', path: '/api/models', summary: 'The models there are', answers: { 200: 'Models' } },
  {
    method: 'get',
    path: '/api/usage',
    summary: 'What was used and what it cost, by day and model',
    query: ['session', 'since'],
    answers: { 200: 'Rows and their total' },
  },
  {
    method: 'get',
    path: '/api/skills',
    summary: 'The skills, with their price in tokens in both modes',
    answers: { 200: 'The skills' },
  },
  { method: 'get', path: '/api/tools', summary: 'What agents may use, and what asks first', answers: { 200: 'The tools' } },
  { method: 'get', path: '/api/projects', summary: 'The projects there are', answers: { 200: 'Projects' } },
  { method: 'post', path: '/api/sessions', summary: 'Open a session', body: newSession, answers: { 201: 'The session' } },
  {
    method: 'get',
    path: '/api/sessions',
    summary: 'List sessions, newest first, or search titles and messages',
    query: ['query', 'project', 'cursor', 'limit'],
    answers: { 200: 'A page of sessions' },
  },
  { method: 'get', path: '/api/sessions/{id}', summary: 'Show a session', answers: { 200: 'The session' } },
  {
    method: 'patch',
    path: '/api/sessions/{id}',
    summary: 'Rename, archive, change the agent, policy or model',
    body: sessionChange,
    answers: { 200: 'The session' },
  },
  { method: 'delete', path: '/api/sessions/{id}', summary: 'Delete for good', answers: { 204: 'Gone' } },
  {
    method: 'post',
    path: '/api/sessions/{id}/messages',
    summary: 'Say something; files and images go with it as parts, in base64',
    body: newMessage,
    headers: ['Idempotency-Key'],
    answers: { 202: 'Taken: its seq and the turns known to answer it' },
    streams: true,
  },
  {
    method: 'get',
    path: '/api/sessions/{id}/events',
    summary: 'Read the events after a cursor, or follow them',
    query: ['after', 'limit'],
    headers: ['Last-Event-ID'],
    answers: { 200: 'A page of events' },
    streams: true,
  },
  {
    method: 'post',
    path: '/api/sessions/{id}/cancel',
    summary: 'Stop running turns; partial text is kept',
    body: cancelled,
    answers: { 200: 'The turns that were stopped' },
  },
  { method: 'get', path: '/api/approvals', summary: 'Tool calls that wait for a person', answers: { 200: 'The calls' } },
  {
    method: 'post',
    path: '/api/approvals/{id}',
    summary: 'Answer such a call; the first answer counts',
    body: approvalAnswer,
    answers: { 200: 'Answered', 409: 'Answered already' },
  },
  {
    method: 'post',
    path: '/api/sessions/{id}/marks',
    summary: 'Pin a message into, or keep it out of, every context from the next turn on',
    body: marked,
    answers: { 200: 'Marked' },
  },
  {
    method: 'get',
    path: '/api/sessions/{id}/turns/{turn}/context',
    summary: 'What was sent, rebuilt from the log and compared with its digest',
    query: ['step'],
    answers: { 200: 'Receipt and request' },
  },
  {
    method: 'post',
    path: '/api/sessions/{id}/context',
    summary: 'What would be sent; nothing is stored',
    body: dryRun,
    answers: { 200: 'Receipt and request' },
  },
]

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
      schemas: { Problem: PROBLEM },
    },
    security: [{ token: [] }, {}],
  }
}

function describe({ path, summary, body, query = [], headers = [], answers, streams }: Operation): object {
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
    responses: {
      ...responses,
      ...(streams
        ? { 200: { description: 'With Accept: text/event-stream, signals', content: { 'text/event-stream': {} } } }
        : {}),
      default: {
        description: 'A problem',
        content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  }
}

const parameter = (place: 'path' | 'query' | 'header', name: string): object => ({
  name,
  in: place,
  required: place === 'path',
  schema: { type: 'string' },
})

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
