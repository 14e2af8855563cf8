/** Routes for `useChat` clients of the AI SDK. */
import { z } from 'zod'
import type { Engine, Signal, Thread } from '../../engine.ts'
import type { Fault } from '../../model/fault.ts'
import { parseSessionId, type SessionId, type TurnId } from '../../model/ids.ts'
import { ok, type Result } from '../../model/result.ts'
import { threadOf } from '../../turn/schedule/message-thread.ts'
import type { Larger } from '../http/body.ts'
import { type HttpExchange, jsonRouteAnswer, noContent, type Route, route, stream } from '../http/route.ts'
import { sessionId } from '../http/schemas/fields.ts'
import { type Schema, schema, text } from '../http/schemas/schema.ts'
import type { StreamPlace, Streams } from '../http/streams.ts'
import { type History, historyOf } from './history.ts'
import { bringsFiles, type ChatRequest, chatRequest, newest, spoken } from './ui-message.ts'
import { createUiStream } from './ui-stream.ts'
import { goOn, type MessageUnderWay, underWay } from './under-way.ts'

type Talking = Pick<Engine, 'say' | 'resume' | 'follow' | 'read' | 'session'>

/** A message that brings files may be larger than one that only says something. */
const WITH_FILES: Larger = { bytes: 24 << 20, mayBe: bringsFiles }

const HEADERS = { 'x-vercel-ai-ui-message-stream': 'v1' }

/** A UI message as it is answered; its parts are those of the AI SDK. */
const history: Schema<History> = schema('Chat', () =>
  z.object({
    id: text<SessionId>(),
    messages: z.array(
      z.object({
        id: z.string(),
        role: z.enum(['user', 'assistant']),
        parts: z.array(z.looseObject({ type: z.string() })),
        metadata: z.looseObject({}),
      }),
    ),
  }),
)

/** Routes of `useChat` clients: a UI message in, a UI message stream out. A chat's id is a session's. */
export function chatRoutes({ engine, streams }: { readonly engine: Talking; readonly streams: Streams }): readonly Route[] {
  return [
    route({
      method: 'post',
      path: '/api/chat',
      operationId: 'sendChat',
      summary: 'A UI message in, a UI message stream out, for useChat clients; the id is a session',
      body: chatRequest,
      larger: WITH_FILES,
      answers: [stream('A UI message stream, v1')],
      handle: ({ body, c }) => said(c, body),
    }),
    route({
      method: 'get',
      path: '/api/chat/:id',
      operationId: 'getChat',
      summary: 'What was said, as UI messages; an answer that is being given is not among them',
      params: { id: sessionId },
      answers: [jsonRouteAnswer(200, history, 'The newest messages, oldest first')],
      handle: ({ params: { id } }) => historyOf(engine, id),
    }),
    route({
      method: 'get',
      path: '/api/chat/:id/stream',
      operationId: 'resumeChat',
      summary: 'Go on reading the answer that is being given, from its beginning',
      params: { id: sessionId },
      answers: [stream('A UI message stream, v1'), noContent('Nothing is being answered')],
      handle: ({ params: { id }, c }) => resumed(c, id),
    }),
  ]

  async function said(c: HttpExchange, body: ChatRequest): Promise<Result<Response, Fault>> {
    const session = parseSessionId(body.id)
    if (!session.ok) return session
    if (body.trigger === 'regenerate-message') return regenerated(c, session.value)
    const message = newest(body)
    if (!message.ok) return message
    const inbound = spoken(message.value)
    if (!inbound.ok) return inbound
    const taken = streams.take(c.env)
    if (!taken.ok) return taken
    using place = taken.value
    const answering = await engine.say({ session: session.value, from: 'person', ...inbound.value })
    return answering.ok ? ok(answerOn(place, session.value, answering.value)) : answering
  }

  /** A client that comes back reads the message that is being answered from its beginning. */
  async function resumed(c: HttpExchange, id: SessionId): Promise<Result<Response, Fault>> {
    const known = await engine.session(id)
    if (!known.ok) return known
    const answering = await underWay(engine, id)
    if (!answering.ok) return answering
    if (answering.value === undefined) return ok(c.body(null, 204))
    const taken = streams.take(c.env)
    if (!taken.ok) return taken
    using place = taken.value
    return ok(answerOn(place, id, answering.value))
  }

  async function regenerated(c: HttpExchange, id: SessionId): Promise<Result<Response, Fault>> {
    const taken = streams.take(c.env)
    if (!taken.ok) return taken
    using place = taken.value
    const answering = await goOn(engine, id)
    return answering.ok ? ok(answerOn(place, id, answering.value)) : answering
  }

  function answerOn(place: StreamPlace, id: SessionId, { seq, head }: MessageUnderWay): Response {
    const thread = threadOf(seq, head)
    return place.send(framesOf(id, heard(id, engine.follow(id, seq - 1, place.signal), thread), thread), HEADERS)
  }

  /** What belongs to a message. A turn that was running when it came began before it, so its start is given when it reads it. */
  async function* heard(id: SessionId, signals: AsyncIterable<Signal>, { belongs }: Thread): AsyncGenerator<Signal> {
    const begun = new Set<TurnId>()
    for await (const signal of signals) {
      if (!belongs(signal)) continue
      const event = signal.type === 'event' ? signal.event : undefined
      if (event?.type === 'context.planned' && !begun.has(event.turn)) {
        const start = await engine.read(id, { turn: event.turn, limit: 1 })
        if (!start.ok) return yield { type: 'fault', fault: start.fault }
        for (const first of start.value) yield { type: 'event', event: first }
      }
      if (event?.type === 'turn.started' || event?.type === 'context.planned') begun.add(event.turn)
      yield signal
    }
  }
}

async function* framesOf(id: SessionId, signals: AsyncIterable<Signal>, { over }: Thread): AsyncGenerator<string> {
  const ui = createUiStream(id)
  for await (const signal of signals) {
    for (const chunk of ui.hear(signal)) yield frameOf(chunk)
    if (signal.type === 'fault') return
    if (over()) break
  }
  // A stream that merely stops, as when the gateway does, must not look like the end of an answer.
  if (!over()) return
  for (const chunk of ui.end()) yield frameOf(chunk)
  yield 'data: [DONE]\n\n'
}

const frameOf = (chunk: object): string => `data: ${JSON.stringify(chunk)}\n\n`
