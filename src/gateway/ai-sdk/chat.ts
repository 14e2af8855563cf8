import type { Hono } from 'hono'
import { type Engine, type Signal, type Thread, threadOf } from '../../engine.ts'
import { isHouseVoice } from '../../model/council.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { parseSessionId, type SessionId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { answer, type Exchange, idOf, responseOf } from '../http/answer.ts'
import { type Larger, readBody } from '../http/body.ts'
import type { Env, FrameSource, Streams } from '../http/streams.ts'
import { historyOf } from './history.ts'
import { bringsFiles, chatRequest, newest, spoken } from './ui-message.ts'
import { createUiStream } from './ui-stream.ts'

type Talking = Pick<Engine, 'say' | 'resume' | 'follow' | 'read' | 'session'>

/** A message that brings files may be larger than one that only says something. */
const WITH_FILES: Larger = { bytes: 24 << 20, mayBe: bringsFiles }

const HEADERS = { 'x-vercel-ai-ui-message-stream': 'v1' }

/** How many starts are looked through for one that has not ended; a council has at most so many advisors. */
const MOST_STARTS = 100

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
    if (body.value.trigger === 'regenerate-message') return streams.sendFrames(c.env, abort => again(session.value, abort))
    const message = newest(body.value)
    if (!message.ok) return message
    const inbound = spoken(message.value)
    if (!inbound.ok) return inbound
    return streams.sendFrames(c.env, async abort => {
      const taken = await engine.say({ session: session.value, from: 'person', ...inbound.value })
      if (!taken.ok) return taken
      const { seq, head } = taken.value
      return ok(stream(session.value, seq, threadOf(seq, head), abort))
    })
  }

  /** Whoever comes back hears the message that is being answered from its beginning. */
  async function resumed(c: Exchange): Promise<Result<Response, Fault>> {
    const id = idOf(c)
    if (!id.ok) return id
    const known = await engine.session(id.value)
    if (!known.ok) return known
    const cause = await answering(id.value)
    if (!cause.ok) return cause
    const { value: seq } = cause
    if (seq === undefined) return ok(c.body(null, 204))
    return streams.sendFrames(c.env, async abort => ok(stream(id.value, seq, threadOf(seq), abort)))
  }

  /** Goes on with what failed or was interrupted; an answer that is whole is not given twice. */
  async function again(id: SessionId, abort: AbortSignal): Promise<Result<FrameSource, Fault>> {
    const turns = await engine.resume(id)
    if (!turns.ok) return turns.fault.kind === 'conflict' ? err(fault('conflict', WHOLE)) : turns
    const cause = await answering(id)
    if (!cause.ok) return cause
    const known = await engine.read(id, { newest: true, limit: 1 })
    if (!known.ok) return known
    const seq = cause.value ?? 1
    return ok(stream(id, seq, threadOf(seq, known.value.at(-1)?.seq ?? 0), abort))
  }

  function stream(id: SessionId, seq: number, thread: Thread, abort: AbortSignal): FrameSource {
    return { frames: framesOf(id, engine.follow(id, seq - 1, abort), thread), headers: HEADERS }
  }

  /** The message whose answer is not over; undefined if there is none. */
  async function answering(id: SessionId): Promise<Result<number | undefined, Fault>> {
    const starts = await engine.read(id, { only: 'turn.started', newest: true, limit: MOST_STARTS })
    if (!starts.ok) return starts
    for (const start of starts.value.toReversed()) {
      if (start.type !== 'turn.started' || isHouseVoice(start.voice)) continue
      const last = await engine.read(id, { turn: start.turn, newest: true, limit: 1 })
      if (!last.ok) return last
      if (last.value.at(-1)?.type !== 'turn.ended') return ok(start.cause)
    }
    return ok(undefined)
  }
}

async function* framesOf(id: SessionId, signals: AsyncIterable<Signal>, { belongs, over }: Thread): AsyncGenerator<string> {
  const ui = createUiStream(id)
  for await (const signal of signals) {
    if (!belongs(signal)) continue
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

const WHOLE =
  'the last answer is whole, and nothing that was said is overwritten here; for another answer fork the session before its message and say it there'
