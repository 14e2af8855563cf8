/** The routes of the Telegram channel: its status, codes that let one more chat in, and taking a paired chat off the list. */
import type { Hono } from 'hono'
import { fault } from '../../../model/fault.ts'
import { err, ok } from '../../../model/result.ts'
import { type Channel, closedChannel } from '../../channel/closed-channel.ts'
import { answer, then } from '../answer.ts'
import { readBody } from '../body.ts'
import { problemResponse } from '../problem.ts'
import { noWish } from '../schemas.ts'
import type { Env } from '../streams.ts'

const NOT_SET = 'Telegram is not set up: turnwise.json has no channels.telegram; docs/telegram.md says how'

export function telegramRoutes(app: Hono<Env>, options: { readonly telegram: Channel<number> | undefined }): void {
  const telegram = options.telegram ?? closedChannel<number>(NOT_SET)
  app.get('/api/telegram', c => c.json(telegram.status()))
  app.post('/api/telegram/pairings', c => answer(c, 201, readBody(c.env.incoming, noWish), async () => telegram.pair()))
  app.delete('/api/telegram/chats/:id', async c => {
    const id = c.req.param('id')
    const chat = /^-?\d{1,16}$/.test(id) ? ok(Number(id)) : err(fault('not-found', 'there is no chat of that id'))
    const forgotten = await then(chat, telegram.forget)
    return forgotten.ok ? c.body(null, 204) : problemResponse({ fault: forgotten.fault })
  })
}
