/** The route that compares policies over chosen sessions. No model is asked. */
import { z } from 'zod'
import type { BenchProgress, BenchReport, BenchRow, Engine, QuestionPair } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import { parseSessionId, type SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { progressFrames } from '../progress.ts'
import { jsonRouteAnswer, type Route, route, stream } from '../route.ts'
import { nonEmpty } from '../schemas/fields.ts'
import { type Schema, schema, text } from '../schemas/schema.ts'
import { type Streams, wantsStream } from '../streams.ts'

/** Every request of every session is planned under every policy, on the thread that also answers. */
const MOST_SESSIONS = 50
const MOST_POLICIES = 20
const MOST_PAIRS = 500

type AskedBench = {
  readonly sessions?: readonly string[]
  readonly policies?: readonly string[]
  readonly budget?: number
  readonly pairs?: readonly { readonly session: string; readonly question: string; readonly evidence: readonly number[] }[]
  readonly withoutMemory?: boolean
}

const askedBench: z.ZodType<AskedBench> = z.strictObject({
  sessions: z.array(z.string()).min(1).max(MOST_SESSIONS).exactOptional(),
  policies: z.array(z.string()).min(1).max(MOST_POLICIES).exactOptional(),
  budget: z.int().min(1).exactOptional(),
  pairs: z
    .array(z.strictObject({ session: z.string(), question: nonEmpty, evidence: z.array(z.int().min(1)).min(1).max(100) }))
    .min(1)
    .max(MOST_PAIRS)
    .exactOptional(),
  withoutMemory: z.boolean().exactOptional(),
})

const contender = () => ({
  policy: z.string(),
  budget: z.number().nullable(),
  withoutMemory: z.literal(true).exactOptional(),
})

const benchRow = (): z.ZodType<BenchRow> =>
  z.object({
    ...contender(),
    recall: z.number().nullable(),
    evidence: z.int(),
    found: z.int(),
    inPart: z.int(),
    requests: z.int(),
    tooLong: z.int(),
    units: z.number(),
    tokens: z.number(),
    cached: z.number(),
    used: z.int(),
    visible: z.int(),
    folds: z.int(),
    foldUnits: z.number(),
    foldTokens: z.number(),
  })

const benchReport: Schema<BenchReport> = schema('BenchReport', () =>
  z.object({
    sessions: z.int(),
    questions: z.int(),
    isMade: z.boolean(),
    skipped: z.array(z.object({ session: text<SessionId>(), why: z.string() })),
    rows: z.array(benchRow()),
  }),
)

type Needs = { readonly engine: Pick<Engine, 'bench' | 'policies' | 'sessions' | 'session'>; readonly streams: Streams }

export const benchRoutes = ({ engine, streams }: Needs): readonly Route[] => {
  let isRunning = false
  return [
    route({
      method: 'post',
      path: '/api/policies/bench',
      operationId: 'benchPolicies',
      summary:
        'Compare policies over sessions: what each would have sent, at what price, and what that would have shown; no model is asked, and hanging up stops it',
      body: askedBench,
      answers: [
        jsonRouteAnswer(200, benchReport, 'The comparison'),
        stream('with Accept: text/event-stream, progress while it is made'),
      ],
      problems: { 404: 'There is no such session', 409: 'Another comparison is running' },
      handle: async ({ body, c }) => {
        if (isRunning) return err(fault('conflict', 'another comparison is running; wait until it is done'))
        isRunning = true
        let isHandedOn = false
        try {
          const wish = await wishOf(engine, body)
          if (!wish.ok) return wish
          const place = streams.take(c.env)
          if (!place.ok) return place
          using reader = place.value
          const asked = { ...wish.value, abort: reader.signal }
          if (!wantsStream(c)) return await engine.bench(asked)
          isHandedOn = true
          const work = (progress: (done: BenchProgress) => void): Promise<Result<BenchReport, Fault>> =>
            engine.bench(asked, progress).finally(() => {
              isRunning = false
            })
          return ok(reader.send(progressFrames(work)))
        } finally {
          if (!isHandedOn) isRunning = false
        }
      },
    }),
  ]
}

type Wish = Parameters<Engine['bench']>[0]

/** Without sessions those of the questions are meant, else the ones that were used last. */
async function wishOf(engine: Needs['engine'], asked: AskedBench): Promise<Result<Wish, Fault>> {
  const pairs: QuestionPair[] = []
  for (const pair of asked.pairs ?? []) {
    const session = await known(engine, pair.session)
    if (!session.ok) return session
    pairs.push({ ...pair, session: session.value })
  }
  const sessions: SessionId[] = []
  for (const given of asked.sessions ?? []) {
    const session = await known(engine, given)
    if (!session.ok) return session
    sessions.push(session.value)
  }
  if (asked.sessions === undefined && pairs.length > 0) sessions.push(...pairs.map(({ session }) => session))
  if (asked.sessions === undefined && pairs.length === 0) {
    const page = await engine.sessions({ limit: MOST_SESSIONS, archived: false })
    if (!page.ok) return page
    sessions.push(...page.value.items.map(({ id }) => id))
  }
  const each = [...new Set(sessions)]
  if (each.length > MOST_SESSIONS) return err(fault('invalid', `pairs: they name more than ${MOST_SESSIONS} sessions`))
  return ok({
    sessions: each,
    policies: [...new Set(asked.policies ?? engine.policies.map(({ name }) => name))],
    ...(asked.budget === undefined ? {} : { budgets: [asked.budget] }),
    ...(asked.pairs === undefined ? {} : { pairs }),
    ...(asked.withoutMemory === undefined ? {} : { withoutMemory: asked.withoutMemory }),
  })
}

async function known(engine: Needs['engine'], given: string): Promise<Result<SessionId, Fault>> {
  const id = parseSessionId(given)
  if (!id.ok) return id
  const session = await engine.session(id.value)
  return session.ok ? id : session
}
