import { Hono } from 'hono'
import type { Engine } from '../../engine.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { parseApprovalId, parseSessionId, parseTurnId, type TurnId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { usageSum } from '../../model/usage.ts'
import { chatRoutes } from '../ai-sdk/chat.ts'
import type { Channel } from '../channel/closed-channel.ts'
import { errorResponse, isOpenAiPath } from '../openai/errors.ts'
import { openAiRoutes } from '../openai/routes.ts'
import type { ListedDefaults } from '../usual.ts'
import { type Agents, NO_AGENTS } from '../workspace/agents.ts'
import { type Councils, NO_COUNCILS } from '../workspace/councils.ts'
import { shownModels, shownProviders } from '../workspace/models.ts'
import { NO_PROJECTS, type Projects } from '../workspace/projects.ts'
import { answer, type Exchange, idOf, responseOf, then, withId } from './answer.ts'
import { parseAs, readBody } from './body.ts'
import { openApi } from './openapi.ts'
import { problemResponse } from './problem.ts'
import { agentRoutes } from './routes/agents.ts'
import { councilRoutes } from './routes/councils.ts'
import { eventsPage } from './routes/events-page.ts'
import { exportRoutes } from './routes/export.ts'
import { fileRoutes } from './routes/files.ts'
import { importRoutes } from './routes/import.ts'
import { inspectRoutes } from './routes/inspect.ts'
import { projectRoutes } from './routes/projects.ts'
import { say } from './routes/say.ts'
import { telegramRoutes } from './routes/telegram.ts'
import {
  approvalAnswer,
  eventsQuery,
  exchange,
  forked,
  marked,
  newSession,
  noWish,
  quoted,
  quotedFirst,
  sessionChange,
  sessionsQuery,
  someTurn,
  suggested,
  synthesis,
  usageQuery,
} from './schemas.ts'
import { signalFrames } from './sse.ts'
import { type Env, type Streams, wantsStream } from './streams.ts'

/** What the doors need besides the engine. */
export type AppOptions = {
  readonly engine: Engine
  /** Where agents, councils and projects are kept; without a workspace, nowhere. */
  readonly agents?: Agents
  readonly councils?: Councils
  readonly projects?: Projects
  readonly usual?: ListedDefaults
  /** The door to Telegram, where there is one. */
  readonly telegram?: Channel<number>
  readonly streams: Streams
  readonly metrics: () => string
  /** Why the gateway is not at its best; empty when it is. */
  readonly troubles: () => Promise<readonly string[]>
  readonly onBug: (cause: unknown) => void
}

const PAGE = 50
const EVENTS_PAGE = 500

/** Every route of the contract; what each does is the engine's business. */
export function createApp(options: AppOptions): Hono<Env> {
  const { engine, agents = NO_AGENTS, councils = NO_COUNCILS, projects = NO_PROJECTS } = options
  const { streams, metrics, troubles, onBug, usual } = options
  const app = new Hono<Env>()

  app.get('/healthz', c => c.json({ status: 'ok' }))
  app.get('/readyz', async c => {
    const reasons = await troubles()
    return c.json({ status: reasons.length === 0 ? 'ready' : 'degraded', reasons })
  })
  app.get('/metrics', c => c.text(metrics(), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }))
  app.get('/openapi.json', c => c.json(openApi()))

  agentRoutes(app, { engine, agents })
  councilRoutes(app, { councils })
  app.get('/api/policies', c => c.json({ items: engine.policies, default: usual?.policy }))
  app.get('/api/models', async c =>
    c.json({ ...shownModels(await engine.models()), providers: shownProviders(await engine.providers()) }),
  )
  app.get('/api/usage', c => answer(c, 200, parseAs(c.req.query(), usageQuery), usage))
  app.get('/api/skills', async c =>
    c.json({ items: await engine.skills(), ...usual?.skills, troubles: await engine.equipmentTroubles() }),
  )
  telegramRoutes(app, { telegram: options.telegram })
  app.get('/api/tools', async c => c.json({ items: await engine.tools() }))
  projectRoutes(app, { engine, projects })
  app.post('/api/quote', c =>
    answer(c, 200, readBody(c.env.incoming, quotedFirst), ({ text, to, ...wish }) => engine.quoteFirst(wish, text, to)),
  )

  app.post('/api/sessions', c => answer(c, 201, readBody(c.env.incoming, newSession), engine.open))
  app.get('/api/sessions', c =>
    answer(c, 200, parseAs(c.req.query(), sessionsQuery), query => engine.sessions({ limit: PAGE, ...query })),
  )
  app.get('/api/sessions/:id', c => answer(c, 200, idOf(c), engine.session))
  app.patch('/api/sessions/:id', c => withId(c, 200, sessionChange, engine.change))
  app.delete('/api/sessions/:id', async c => {
    const removed = await then(idOf(c), engine.remove)
    return removed.ok ? c.body(null, 204) : problemResponse({ fault: removed.fault })
  })

  app.post('/api/sessions/:id/fork', c => withId(c, 201, forked, (id, { at, unheard }) => engine.fork(id, at, unheard)))
  app.post('/api/sessions/:id/title', c =>
    withId(c, 202, noWish, async id => {
      const turn = await engine.title(id)
      return turn.ok ? ok({ turns: [turn.value] }) : turn
    }),
  )

  app.post('/api/sessions/:id/messages', c => then(idOf(c), id => say(c, engine, streams, id)).then(responseOf))
  app.get('/api/sessions/:id/events', c => events(c).then(responseOf))
  fileRoutes(app, { engine })
  exportRoutes(app, engine, onBug)
  importRoutes(app, engine, onBug)
  app.post('/api/sessions/:id/cancel', c =>
    withId(c, 200, someTurn, async (id, { turn }) => turnsOf(optionalTurn(turn), wanted => engine.cancel(id, wanted))),
  )
  app.post('/api/sessions/:id/resume', c =>
    withId(c, 202, someTurn, async (id, { turn }) => turnsOf(optionalTurn(turn), wanted => engine.resume(id, wanted))),
  )
  app.post('/api/sessions/:id/rounds', c =>
    withId(c, 202, exchange, async (id, { rounds }) => {
      const begun = await engine.exchange(id, rounds)
      return begun.ok ? ok({ seq: begun.value.seq, turns: begun.value.turns }) : begun
    }),
  )
  app.post('/api/sessions/:id/synthesis', c =>
    withId(c, 202, synthesis, async (id, { mode, round }) => {
      const turn = await engine.synthesize(id, mode, round)
      return turn.ok ? ok({ turns: [turn.value] }) : turn
    }),
  )
  app.post('/api/sessions/:id/quote', c => withId(c, 200, quoted, (id, { text, to }) => engine.quote(id, text, to)))
  app.get('/api/sessions/:id/turns/:turn/sources', c =>
    answer(c, 200, idOf(c), id => then(parseTurnId(c.req.param('turn') ?? ''), turn => engine.attribution(id, turn))),
  )
  app.post('/api/councils/:key/suggestions', c =>
    answer(c, 200, readBody(c.env.incoming, suggested), ({ question }) => engine.suggest(c.req.param('key'), question)),
  )
  app.get('/api/approvals', c => c.json({ items: engine.approvals() }))
  app.post('/api/approvals/:id', c =>
    answer(c, 200, parseApprovalId(c.req.param('id') ?? ''), id =>
      then(readBody(c.env.incoming, approvalAnswer), async ({ answer: word, reason }) => {
        const done = await engine.answer(id, word, reason)
        return done.ok ? ok({}) : done
      }),
    ),
  )
  app.get('/api/grants', c => answer(c, 200, engine.grants(), async items => ok({ items })))
  app.delete('/api/grants/:id', async c => {
    const revoked = await engine.revoke(c.req.param('id'))
    return revoked.ok ? c.body(null, 204) : problemResponse({ fault: revoked.fault })
  })
  app.post('/api/sessions/:id/marks', c =>
    withId(c, 200, marked, async (id, { seq, mark }) => {
      const done = await engine.mark(id, seq, mark)
      return done.ok ? ok({}) : done
    }),
  )
  inspectRoutes(app, { engine })
  openAiRoutes(app, { engine, streams, onBug })
  chatRoutes(app, { engine, streams })

  /** Each door is refused in the words that its clients read. */
  const refused = (path: string, trouble: Fault): Response =>
    (isOpenAiPath(path) ? errorResponse : problemResponse)({ fault: trouble })
  app.notFound(c => refused(c.req.path, fault('not-found', `there is nothing at ${c.req.method} ${c.req.path}`)))
  app.onError((cause, c) => {
    onBug(cause)
    return refused(c.req.path, fault('bug', 'something went wrong inside Turnwise; its log says what'))
  })
  return app

  async function events(c: Exchange): Promise<Result<Response, Fault>> {
    const id = idOf(c)
    if (!id.ok) return id
    const query = parseAs(c.req.query(), eventsQuery)
    if (!query.ok) return query
    const lastSeen = c.req.header('last-event-id')
    if (lastSeen !== undefined && !/^\d{1,15}$/.test(lastSeen))
      return err(fault('invalid', 'Last-Event-ID: must be a whole number'))
    const known = await engine.session(id.value)
    if (!known.ok) return known
    const after = lastSeen === undefined ? (query.value.after ?? 0) : Number(lastSeen)
    if (wantsStream(c)) {
      const taken = streams.take(c.env)
      if (!taken.ok) return taken
      using place = taken.value
      return ok(place.send(signalFrames(id.value, engine.follow(id.value, after, place.signal))))
    }
    const page = await eventsPage(engine, id.value, after, query.value.limit ?? EVENTS_PAGE)
    return page.ok ? ok(c.body(page.value, 200, { 'content-type': 'application/json' })) : page
  }

  async function usage({ session, since }: { session?: string; since?: string }): Promise<Result<object, Fault>> {
    const id = session === undefined ? ok(undefined) : parseSessionId(session)
    if (!id.ok) return id
    const rows = await engine.usage({
      ...(id.value === undefined ? {} : { session: id.value }),
      ...(since === undefined ? {} : { since }),
    })
    return rows.ok ? ok({ items: rows.value, total: usageSum(rows.value) }) : rows
  }
}

const optionalTurn = (turn: string | undefined): Result<TurnId | undefined, Fault> =>
  turn === undefined ? ok(undefined) : parseTurnId(turn)

async function turnsOf(
  wanted: Result<TurnId | undefined, Fault>,
  use: (turn: TurnId | undefined) => Promise<Result<readonly TurnId[], Fault>>,
): Promise<Result<object, Fault>> {
  const turns = await then(wanted, use)
  return turns.ok ? ok({ turns: turns.value }) : turns
}
