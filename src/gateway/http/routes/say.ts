import type { Context } from 'hono'
import type { Engine } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { ok, type Result } from '../../../model/result.ts'
import { threadOf } from '../../../turn/schedule/message-thread.ts'
import { type Larger, parseAs, readBody } from '../body.ts'
import { idempotencyKey, newMessage } from '../schemas.ts'
import { signalFrames } from '../sse.ts'
import { type Env, type Streams, wantsStream } from '../streams.ts'

/** A message that brings files may be larger than one that only says something. */
const WITH_PARTS: Larger = { bytes: 24 << 20, mayBe: message => hasParts(message) }

function hasParts(message: unknown): boolean {
  const parts = typeof message === 'object' && message !== null && 'parts' in message ? message.parts : undefined
  return Array.isArray(parts) && parts.length > 0
}

/** Takes a message; answers with its place, or with the stream of everything it causes. Hanging up stops nothing. */
export async function say(
  c: Context<Env>,
  engine: Engine,
  streams: Streams,
  session: SessionId,
): Promise<Result<Response, Fault>> {
  const header = c.req.header('idempotency-key')
  const key = header === undefined ? ok(undefined) : parseAs(header, idempotencyKey)
  if (!key.ok) return key
  const body = await readBody(c.env.incoming, newMessage, WITH_PARTS)
  if (!body.ok) return body
  const inbound = { session, ...body.value, from: 'person', ...(key.value === undefined ? {} : { key: key.value }) }
  if (!wantsStream(c)) {
    const said = await engine.say(inbound)
    if (!said.ok) return said
    const { seq, turns } = said.value
    return ok(c.json({ seq, turns }, 202))
  }
  const taken = streams.take(c.env)
  if (!taken.ok) return taken
  using place = taken.value
  const said = await engine.say(inbound)
  if (!said.ok) return said
  const { seq, head } = said.value
  return ok(place.send(signalFrames(session, engine.follow(session, seq - 1, place.signal), threadOf(seq, head))))
}
