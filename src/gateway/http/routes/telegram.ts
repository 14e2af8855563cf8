/** Routes of the Telegram channel: its status, codes that let one more chat in, and chats taken off the list. */
import { z } from 'zod'
import { fault } from '../../../model/fault.ts'
import { err, ok } from '../../../model/result.ts'
import { type Channel, closedChannel } from '../../channel/closed-channel.ts'
import { jsonRouteAnswer, noContent, type Route, route } from '../route.ts'
import { nothingSaid, type RequestField } from '../schemas/fields.ts'
import { type Schema, schema } from '../schemas/schema.ts'

const status: Schema<ReturnType<Channel<number>['status']>> = schema('TelegramStatus', () =>
  z.object({
    running: z.boolean(),
    bot: z.string().nullable(),
    chats: z.array(z.object({ id: z.int(), source: z.enum(['settings', 'paired']), session: z.string().nullable() })),
    pairings: z.int(),
    trouble: z.string().exactOptional(),
  }),
)

const pairing: Schema<{ readonly code: string; readonly expiresAt: string }> = schema('TelegramPairing', () =>
  z.object({ code: z.string(), expiresAt: z.string() }),
)

const chatId: RequestField<number> = {
  description: 'The id of a chat',
  read: text => (/^-?\d{1,16}$/.test(text) ? ok(Number(text)) : err(fault('not-found', 'there is no chat of that id'))),
  schema: () => z.int(),
}

const NOT_SET = 'Telegram is not set up: turnwise.json has no channels.telegram; docs/telegram.md says how'

type Needs = { readonly telegram: Channel<number> | undefined }

export const telegramRoutes = ({ telegram = closedChannel<number>(NOT_SET) }: Needs): readonly Route[] => [
  route({
    method: 'get',
    path: '/api/telegram',
    operationId: 'getTelegram',
    summary: 'The state of the Telegram channel: whether it listens, the bot, the chats on its list',
    answers: [jsonRouteAnswer(200, status, 'Its status')],
    handle: () => ok(telegram.status()),
  }),
  route({
    method: 'post',
    path: '/api/telegram/pairings',
    operationId: 'pairTelegram',
    summary: 'Make a code that lets one more chat in, for ten minutes and one use',
    body: nothingSaid,
    answers: [jsonRouteAnswer(201, pairing, 'The code, and when it expires')],
    problems: { 409: 'Telegram is not set up, or three codes wait already' },
    handle: () => telegram.pair(),
  }),
  route({
    method: 'delete',
    path: '/api/telegram/chats/:id',
    operationId: 'forgetTelegramChat',
    summary: 'Take a paired chat off the list',
    params: { id: chatId },
    answers: [noContent('Gone')],
    problems: { 404: 'It is not paired', 409: 'It is in the settings' },
    handle: ({ params: { id } }) => telegram.forget(id),
  }),
]
