import type { Hono } from 'hono'
import type { Engine } from '../../engine.ts'
import type { Fault } from '../../model/fault.ts'
import { ok, type Result } from '../../model/result.ts'
import type { Exchange } from '../http/answer.ts'
import { type Larger, parseAs, readBody } from '../http/body.ts'
import { idempotencyKey } from '../http/schemas.ts'
import type { Env, Place, Streams } from '../http/streams.ts'
import { blocksIn, type Labels, labelsOf } from './blocks.ts'
import { type Answering, streamedCompletion, wholeCompletion } from './completion.ts'
import { errorOf, errorResponse } from './errors.ts'
import { bringsImages } from './messages.ts'
import { listedModel, listedModels } from './models.ts'
import { type Asked, chatCompletion } from './request.ts'
import { denying, namedSession, saidIn } from './session.ts'

type Talking = Pick<Engine, 'answerOnce' | 'say' | 'follow' | 'session' | 'modelIn' | 'answer' | 'agents' | 'councils' | 'models'>

const WITH_IMAGES: Larger = { bytes: 24 << 20, mayBe: bringsImages }

/** What was sent, on every answer. */
const RECEIPT = 'x-turnwise-context'

/** How long an answer is waited for before its stream begins without one: until then whatever goes wrong has its own status. */
const HEAD_PATIENCE_MS = 15_000

type OpenAiRoutes = { readonly engine: Talking; readonly streams: Streams; readonly onBug: (cause: unknown) => void }

/** The door of OpenAI's clients: agents, councils and models as models. Nothing is kept unless a session is named. */
export function openAiRoutes(app: Hono<Env>, { engine, streams, onBug }: OpenAiRoutes): void {
  const created = Math.floor(Date.now() / 1000)
  app.get('/v1/models', async c => c.json({ object: 'list', data: await listedModels(engine, created) }))
  app.get('/v1/models/:id{.+}', async c => {
    const found = await listedModel(engine, created, c.req.param('id'))
    return found.ok ? c.json(found.value) : errorResponse({ fault: found.fault, about: 'model' })
  })
  app.post('/v1/chat/completions', completed)

  async function completed(c: Exchange): Promise<Response> {
    const key = c.req.header('idempotency-key')
    const given = key === undefined ? ok(undefined) : parseAs(key, idempotencyKey)
    if (!given.ok) return errorResponse({ fault: given.fault })
    const body = await readBody(c.env.incoming, chatCompletion, WITH_IMAGES)
    if (!body.ok) return errorResponse({ fault: body.fault })
    const taken = streams.take(c.env)
    if (!taken.ok) return errorResponse({ fault: taken.fault })
    using place = taken.value
    const answering = await begin(body.value, given.value, place.signal)
    if (!answering.ok)
      return errorResponse({ fault: answering.fault, about: body.value.session === undefined ? 'model' : 'session' })
    const answered = body.value.stream ? await streamed(answering.value, place) : await whole(answering.value)
    return answered.ok ? answered.value : errorResponse({ fault: answered.fault, about: 'answer' })
  }

  /** In the session that is named, or in passing. */
  async function begin(asked: Asked, key: string | undefined, signal: AbortSignal): Promise<Result<Answering, Fault>> {
    const { model, tools, includesUsage } = asked
    const manner = { model, includesUsage, passesCalls: tools !== undefined }
    if (asked.session !== undefined) {
      const session = await namedSession(engine, asked.session)
      if (!session.ok) return session
      const overheard = await saidIn(engine, session.value, asked, key, signal)
      if (!overheard.ok) return overheard
      return ok({ ...overheard.value, ...manner, ...labelled(session.value.council), onHeard: denying(engine, onBug) })
    }
    const named = labelled(model.startsWith('council:') ? model.slice('council:'.length) : null)
    const overheard = await engine.answerOnce({ ...asked, messages: toldBy(asked, named.labels) }, signal)
    return overheard.ok ? ok({ ...overheard.value, ...manner, ...named }) : overheard
  }

  function labelled(council: string | null): { readonly labels?: Labels } {
    const found = engine.councils().find(({ key }) => key === council)
    return found === undefined ? {} : { labels: labelsOf(found) }
  }
}

/** A council's answer that is told back is taken apart: each advisor knows its own words alone as its own. */
const toldBy = ({ messages }: Asked, labels: Labels | undefined): Asked['messages'] =>
  messages.map(message => {
    const blocks = message.role === 'assistant' && labels !== undefined ? blocksIn(message.text, labels) : undefined
    return message.role === 'assistant' && blocks !== undefined ? { ...message, blocks } : message
  })

async function whole(answering: Answering): Promise<Result<Response, Fault>> {
  const completion = await wholeCompletion(answering)
  return completion.ok
    ? ok(Response.json(completion.value.body, { headers: { [RECEIPT]: completion.value.receipt } }))
    : completion
}

/** The stream begins with the first word, so that what goes wrong before it is an error of its own. */
async function streamed(answering: Answering, place: Place): Promise<Result<Response, Fault>> {
  const { frames, planned, receipt } = streamedCompletion(answering)
  const first = frames.next()
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = planned.then(
    () =>
      new Promise<undefined>(resolve => {
        timer = setTimeout(() => resolve(undefined), HEAD_PATIENCE_MS)
      }),
  )
  const begun = await Promise.race([first, late]).finally(() => clearTimeout(timer))
  if (begun?.done === true && begun.value !== undefined) return { ok: false, fault: begun.value }
  return ok(place.send(toItsEnd(first, frames), { [RECEIPT]: receipt() }))
}

/** A stream that breaks off says why, and does not look as if it were whole. */
async function* toItsEnd(
  first: Promise<IteratorResult<string, Fault | undefined>>,
  frames: AsyncGenerator<string, Fault | undefined>,
): AsyncGenerator<string> {
  let next = await first
  for (; next.done !== true; next = await frames.next()) yield next.value
  if (next.value !== undefined) yield `data: ${JSON.stringify(errorOf({ fault: next.value, about: 'answer' }))}\n\n`
}
