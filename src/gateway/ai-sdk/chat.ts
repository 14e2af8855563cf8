import type { Hono } from 'hono'
import type { Engine, Signal, Thread } from '../../engine.ts'
import type { Fault } from '../../model/fault.ts'
import { parseSessionId, type SessionId, type TurnId } from '../../model/ids.ts'
import { ok, type Result } from '../../model/result.ts'
import { threadOf } from '../../turn/schedule/message-thread.ts'
import { answer, type Exchange, idOf, responseOf } from '../http/answer.ts'
import { type Larger, readBody } from '../http/body.ts'
import type { Env, Place, Streams } from '../http/streams.ts'
import { historyOf } from './history.ts'
import { bringsFiles, chatRequest, newest, spoken } from './ui-message.ts'
import { createUiStream } from './ui-stream.ts'
import { type Answering, goOn, underWay } from './under-way.ts'

type Talking = Pick<Engine, 'say' | 'resume' | 'follow' | 'read' | 'session'>

/** A message that brings files may be larger than one that only says something. */
const WITH_FILES: Larger = { bytes: 24 << 20, mayBe: bringsFiles }

const HEADERS = { 'x-vercel-ai-ui-message-stream': 'v1' }

/** The door of `useChat` clients: a UI message in, a UI message stream out. A chat's id is a session's. */
export function chatRoutes(app: Hono<Env>, { engine, streams }: { readonly engine: Talking; readonly streams: Streams }): void {
  app.post('/api/chat', c => said(c).then(responseOf))
  app.get('/api/chat/:id', c => answer(c, 200, idOf(c), id => historyOf(engine, id)))
  app.get('/api/chat/:id/stream', c => resumed(c).then(responseOf))

  async function said(c: Exchange): Promise<Result<Response, Fault>> {
    const body = await readBody(c.env.incoming, chatRequest, WITH_FILES)
    if (!body.ok) return body
    const session = parseSessionId(body.value.id)
    if (!session.ok) return session
    if (body.value.trigger === 'regenerate-message') return regenerated(c, session.value)
    const message = newest(body.value)
    if (!message.ok) return message
    const inbound = spoken(message.value)
    if (!inbound.ok) return inbound
    const taken = streams.take(c.env)
    if (!taken.ok) return taken
    using place = taken.value
    const answering = await engine.say({ session: session.value, from: 'person', ...inbound.value })
    return answering.ok ? ok(stream(session.value, answering.value, place)) : answering
  }

  /** A client that comes back reads the message that is being answered from its beginning. */
  async function resumed(c: Exchange): Promise<Result<Response, Fault>> {
    const id = idOf(c)
    if (!id.ok) return id
    const known = await engine.session(id.value)
    if (!known.ok) return known
    const answering = await underWay(engine, id.value)
    if (!answering.ok) return answering
    if (answering.value === undefined) return ok(c.body(null, 204))
    const taken = streams.take(c.env)
    if (!taken.ok) return taken
    using place = taken.value
    return ok(stream(id.value, answering.value, place))
  }

  async function regenerated(c: Exchange, id: SessionId): Promise<Result<Response, Fault>> {
    const taken = streams.take(c.env)
    if (!taken.ok) return taken
    using place = taken.value
    const answering = await goOn(engine, id)
    return answering.ok ? ok(stream(id, answering.value, place)) : answering
  }

  function stream(id: SessionId, { seq, head }: Answering, place: Place): Response {
    const thread = threadOf(seq, head)
    return place.send(framesOf(id, heard(id, engine.follow(id, seq - 1, place.signal), thread), thread), HEADERS)
  }

  /** What belongs to a message. A turn that was under way when it came has begun before it, which is told when it hears it. */
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
