import type { Hono } from 'hono'
import type { AsSent, Engine, SentContext } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import { parseReceiptId, parseTurnId, type SessionId } from '../../../model/ids.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import { answer, type Exchange, idOf, then, withId } from '../answer.ts'
import { parseAs } from '../body.ts'
import { contextQuery, dryRun, eventPath, presenceQuery, timelineQuery } from '../schemas.ts'
import type { Env } from '../streams.ts'

type Looking = Pick<Engine, 'asSent' | 'wouldSend' | 'presence' | 'timeline' | 'receipt'>

const PRESENCE_PAGE = 50
const TIMELINE_PAGE = 200

/** What was sent and what would be: nothing here writes anything. */
export function inspectRoutes(app: Hono<Env>, { engine }: { readonly engine: Looking }): void {
  app.get('/api/sessions/:id/turns/:turn/context', c => answer(c, 200, idOf(c), id => asSent(engine, c, id)))
  app.post('/api/sessions/:id/context', c =>
    withId(c, 200, dryRun, async (id, wish) => withoutOutline(await engine.wouldSend(id, wish))),
  )
  app.get('/api/sessions/:id/events/:seq/presence', c =>
    answer(c, 200, idOf(c), id =>
      then(parseAs(c.req.param(), eventPath), ({ seq }) =>
        then(parseAs(c.req.query(), presenceQuery), range => engine.presence(id, seq, { limit: PRESENCE_PAGE, ...range })),
      ),
    ),
  )
  app.get('/api/receipts/:id', c => answer(c, 200, parseReceiptId(c.req.param('id')), engine.receipt))
  app.get('/api/sessions/:id/timeline', c =>
    answer(c, 200, idOf(c), id =>
      then(parseAs(c.req.query(), timelineQuery), range => engine.timeline(id, { limit: TIMELINE_PAGE, ...range })),
    ),
  )
}

async function asSent(engine: Looking, c: Exchange, id: SessionId): Promise<Result<Shown<AsSent>, Fault>> {
  const turn = parseTurnId(c.req.param('turn') ?? '')
  if (!turn.ok) return turn
  const query = parseAs(c.req.query(), contextQuery)
  if (!query.ok) return query
  const { step, voice, items = false } = query.value
  const sent = withoutOutline(await engine.asSent(id, turn.value, step, { items }))
  if (sent.ok && voice !== undefined && sent.value.receipt.voice !== voice)
    return err(fault('not-found', `that turn is not of "${voice}" but of "${sent.value.receipt.voice}"`))
  return sent
}

/** A context in the contract's shape. */
type Shown<Context extends SentContext> = Omit<Context, 'outline'>

function withoutOutline<Context extends SentContext>(found: Result<Context, Fault>): Result<Shown<Context>, Fault> {
  if (!found.ok) return found
  const { outline: _, ...context } = found.value
  return ok(context)
}
