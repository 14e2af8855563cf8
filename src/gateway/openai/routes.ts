/** Routes for OpenAI's clients. */
import { z } from 'zod'
import type { Engine } from '../../engine.ts'
import type { Fault } from '../../model/fault.ts'
import { ok, type Result } from '../../model/result.ts'
import type { Larger } from '../http/body.ts'
import { type HttpExchange, jsonRouteAnswer, type Route, route, stream } from '../http/route.ts'
import { idempotencyKey, plainText } from '../http/schemas/fields.ts'
import { type Schema, schema } from '../http/schemas/schema.ts'
import type { StreamPlace, Streams } from '../http/streams.ts'
import { blockLabels, blocksIn, type Labels } from './blocks.ts'
import { type Answering, completion, streamedCompletion, wholeCompletion } from './completion.ts'
import { errorOf, errorResponse } from './errors.ts'
import { bringsImages } from './messages.ts'
import { type ListedModel, listedModel, listedModels } from './models.ts'
import { type CompletionRequest, chatCompletion } from './request.ts'
import { denying, namedSession, saidIn } from './session.ts'

type Talking = Pick<Engine, 'answerOnce' | 'say' | 'follow' | 'session' | 'modelIn' | 'answer' | 'agents' | 'councils' | 'models'>

const WITH_IMAGES: Larger = { bytes: 24 << 20, mayBe: bringsImages }

/** What was sent, on every answer. */
const RECEIPT = 'x-turnwise-context'

/** How long a stream waits for its first word before it begins: until then a fault has a status of its own. */
const HEAD_PATIENCE_MS = 15_000

type OpenAiRoutes = { readonly engine: Talking; readonly streams: Streams; readonly onBug: (cause: unknown) => void }

const model: Schema<ListedModel> = schema('OpenAiModel', () =>
  z.object({ id: z.string(), object: z.literal('model'), created: z.int(), owned_by: z.string() }),
)

const models: Schema<{ readonly object: 'list'; readonly data: readonly ListedModel[] }> = schema('OpenAiModelList', () =>
  z.object({ object: z.literal('list'), data: z.array(model()) }),
)

/** Routes of OpenAI's clients: agents, councils and models as models. Nothing is kept unless a session is named. */
export function openAiRoutes({ engine, streams, onBug }: OpenAiRoutes): readonly Route[] {
  const created = Math.floor(Date.now() / 1000)
  return [
    route({
      method: 'get',
      path: '/v1/models',
      operationId: 'listOpenAiModels',
      summary: 'Agents, councils and the models that could be asked now, as OpenAI lists models',
      answers: [jsonRouteAnswer(200, models, 'The list')],
      handle: async () => ok({ object: 'list' as const, data: await listedModels(engine, created) }),
    }),
    route({
      method: 'get',
      path: '/v1/models/:id{.+}',
      operationId: 'getOpenAiModel',
      summary: 'One of them',
      params: { id: plainText('The name of an agent, council or model') },
      answers: [jsonRouteAnswer(200, model, 'The model')],
      handle: async ({ params: { id } }) => {
        const found = await listedModel(engine, created, id)
        return ok(found.ok ? found.value : errorResponse({ fault: found.fault, about: 'model' }))
      },
    }),
    route({
      method: 'post',
      path: '/v1/chat/completions',
      operationId: 'createChatCompletion',
      summary: "A chat completion for OpenAI's clients; kept only where metadata.session names a session",
      headers: { 'idempotency-key': idempotencyKey },
      body: chatCompletion,
      larger: WITH_IMAGES,
      answers: [jsonRouteAnswer(200, completion, 'A chat completion'), stream('with "stream": true, its chunks')],
      handle: async ({ headers, body, c }) => ok(await completed(c, body, headers['idempotency-key'])),
    }),
  ]

  async function completed(c: HttpExchange, asked: CompletionRequest, key: string | undefined): Promise<Response> {
    const taken = streams.take(c.env)
    if (!taken.ok) return errorResponse({ fault: taken.fault })
    using place = taken.value
    const answering = await begin(asked, key, place.signal)
    if (!answering.ok) return errorResponse({ fault: answering.fault, about: asked.session === undefined ? 'model' : 'session' })
    const answered = asked.stream ? await streamed(answering.value, place) : await whole(answering.value)
    return answered.ok ? answered.value : errorResponse({ fault: answered.fault, about: 'answer' })
  }

  /** In the session that is named, or without one. */
  async function begin(
    asked: CompletionRequest,
    key: string | undefined,
    signal: AbortSignal,
  ): Promise<Result<Answering, Fault>> {
    const { model, tools, includesUsage } = asked
    const manner = { model, includesUsage, passesCalls: tools !== undefined }
    if (asked.session !== undefined) {
      const session = await namedSession(engine, asked.session)
      if (!session.ok) return session
      const begun = await saidIn(engine, session.value, asked, key, signal)
      if (!begun.ok) return begun
      return ok({ ...begun.value, ...manner, ...labelled(session.value.council), onHeard: denying(engine, onBug) })
    }
    const named = labelled(model.startsWith('council:') ? model.slice('council:'.length) : null)
    const begun = await engine.answerOnce({ ...asked, messages: messagesFor(asked, named.labels) }, signal)
    return begun.ok ? ok({ ...begun.value, ...manner, ...named }) : begun
  }

  function labelled(council: string | null): { readonly labels?: Labels } {
    const found = engine.councils().find(({ key }) => key === council)
    return found === undefined ? {} : { labels: blockLabels(found) }
  }
}

/** Takes apart a council's answer that a client sends back, so that each advisor sees only its own words as its own. */
const messagesFor = ({ messages }: CompletionRequest, labels: Labels | undefined): CompletionRequest['messages'] =>
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
async function streamed(answering: Answering, place: StreamPlace): Promise<Result<Response, Fault>> {
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
