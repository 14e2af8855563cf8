/** Routes of what is said in a session: say something, stop what runs, continue what failed. */
import { z } from 'zod'
import type { Engine, Inbound, InboundPart } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import { parseTurnId, type TurnId } from '../../../model/ids.ts'
import { MOST_PARTS } from '../../../model/message/attachment.ts'
import { ok, type Result } from '../../../model/result.ts'
import { SYNTHESIS_MODES } from '../../../model/settings/council.ts'
import { maxTokensSchema, samplingSchema } from '../../../model/settings/sampling-schema.ts'
import { threadOf } from '../../../turn/schedule/message-thread.ts'
import type { Larger } from '../body.ts'
import { type HttpExchange, jsonRouteAnswer, type Route, route, stream } from '../route.ts'
import { addressees, idempotencyKey, sessionId } from '../schemas/fields.ts'
import { taken, turns } from '../schemas/session.ts'
import { signalFrames } from '../sse.ts'
import { type Streams, wantsStream } from '../streams.ts'

/** The engine looks at the bytes of a file when it takes them in. */
const part: z.ZodType<InboundPart> = z.strictObject({
  type: z.enum(['image', 'file']),
  name: z.string(),
  mediaType: z.string(),
  data: z.string(),
})

const newMessage: z.ZodType<Pick<Inbound, 'text' | 'parts' | 'to' | 'synthesis' | 'sampling' | 'maxTokens'>> = z
  .strictObject({
    text: z.string(),
    parts: z.array(part).max(MOST_PARTS).exactOptional(),
    to: addressees.exactOptional(),
    synthesis: z.enum(SYNTHESIS_MODES).nullable().exactOptional(),
    sampling: samplingSchema.exactOptional(),
    maxTokens: maxTokensSchema.exactOptional(),
  })
  .refine(({ text, parts = [] }) => text.trim() !== '' || parts.length > 0, { path: ['text'], message: 'must not be empty' })

/** A message that brings files may be larger than one that only says something. */
const WITH_PARTS: Larger = { bytes: 24 << 20, mayBe: message => hasParts(message) }

function hasParts(message: unknown): boolean {
  const parts = typeof message === 'object' && message !== null && 'parts' in message ? message.parts : undefined
  return Array.isArray(parts) && parts.length > 0
}

const someTurn: z.ZodType<{ readonly turn?: string }> = z.strictObject({ turn: z.string().exactOptional() })

type Needs = { readonly engine: Pick<Engine, 'say' | 'follow' | 'cancel' | 'resume'>; readonly streams: Streams }

export const messageRoutes = ({ engine, streams }: Needs): readonly Route[] => [
  route({
    method: 'post',
    path: '/api/sessions/:id/messages',
    operationId: 'sayMessage',
    summary: 'Say something; files and images go with it as parts, in base64',
    params: { id: sessionId },
    headers: { 'idempotency-key': idempotencyKey },
    body: newMessage,
    larger: WITH_PARTS,
    answers: [
      jsonRouteAnswer(202, taken, 'Taken: its seq and the turns known to answer it'),
      stream('With Accept: text/event-stream, the signals of this message until every turn it caused has ended'),
    ],
    problems: { 422: 'No model that answers takes a setting of this message' },
    handle: async ({ params: { id }, headers: { 'idempotency-key': key }, body, c }) => {
      const inbound = { session: id, ...body, from: 'person', ...(key === undefined ? {} : { key }) }
      if (wantsStream(c)) return sayAndFollow(c, { engine, streams }, inbound)
      const said = await engine.say(inbound)
      return said.ok ? ok({ seq: said.value.seq, turns: said.value.turns }) : said
    },
  }),
  route({
    method: 'post',
    path: '/api/sessions/:id/cancel',
    operationId: 'cancelTurns',
    summary: 'Stop running turns; partial text is kept',
    params: { id: sessionId },
    body: someTurn,
    answers: [jsonRouteAnswer(200, turns, 'The turns that were stopped')],
    handle: ({ params: { id }, body }) => turnsOf(body.turn, turn => engine.cancel(id, turn)),
  }),
  route({
    method: 'post',
    path: '/api/sessions/:id/resume',
    operationId: 'resumeTurns',
    summary: 'Continue what failed or was interrupted in the last round, or one turn; answer an unanswered message',
    params: { id: sessionId },
    body: someTurn,
    answers: [jsonRouteAnswer(202, turns, 'The turns that were started')],
    problems: { 409: 'There is nothing to continue' },
    handle: ({ params: { id }, body }) => turnsOf(body.turn, turn => engine.resume(id, turn)),
  }),
]

/** Answers with the stream of everything that a message causes. Hanging up stops nothing. */
async function sayAndFollow(c: HttpExchange, { engine, streams }: Needs, inbound: Inbound): Promise<Result<Response, Fault>> {
  const place = streams.take(c.env)
  if (!place.ok) return place
  using reader = place.value
  const said = await engine.say(inbound)
  if (!said.ok) return said
  const { seq, head } = said.value
  const signals = engine.follow(inbound.session, seq - 1, reader.signal)
  return ok(reader.send(signalFrames(inbound.session, signals, threadOf(seq, head))))
}

async function turnsOf(
  wanted: string | undefined,
  use: (turn: TurnId | undefined) => Promise<Result<readonly TurnId[], Fault>>,
): Promise<Result<{ readonly turns: readonly TurnId[] }, Fault>> {
  const turn = wanted === undefined ? ok(undefined) : parseTurnId(wanted)
  const found = turn.ok ? await use(turn.value) : turn
  return found.ok ? ok({ turns: found.value }) : found
}
