/** Telegram as a channel: its Bot API, polling, limits and format behind the interface that every channel gives. */
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { ChannelAdapter, ChannelSignals } from '../channel/adapter.ts'
import type { Bot } from '../workspace/channels.ts'
import { messagesOf, textPieces } from './answer-pieces.ts'
import { type BotApi, createBotApi } from './bot-api.ts'
import type { TelegramPace } from './pace.ts'
import { poll } from './poll.ts'

/** Telegram gives larger files to no bot. */
const MOST_BYTES = 20_000_000
const TOO_LARGE = fault('too-large', 'a bot may fetch files of 20 MB at most')

export function createTelegramAdapter(bot: Bot, pace: TelegramPace, { receiving, sending }: ChannelSignals): ChannelAdapter {
  const incoming = createBotApi({ ...bot, abort: receiving })
  const outgoing = createBotApi({ ...bot, abort: sending })
  return {
    name: 'telegram',
    title: 'Telegram',
    pace: { ...pace, restMs: chat => (isGroup(chat) ? pace.groupMs : pace.chatMs) },
    connect: () => connect(incoming),
    announce: incoming.commands,
    receive: receiver => poll({ ...receiver, api: incoming, pace, abort: receiving }),
    send: outgoing.send,
    edit: async (...given) => goneIsDone(await outgoing.edit(...given)),
    remove: async (...given) => goneIsDone(await outgoing.remove(...given)),
    typing: outgoing.typing,
    acknowledge: outgoing.pressed,
    file: ({ id, bytes }) => fetchFile(outgoing, id, bytes),
    format: { answer: messagesOf, text: textPieces },
  }
}

const isGroup = (chat: string): boolean => chat.startsWith('-')

/** A server that does not know this call may know all others. One that does not know the bot says so when it is asked for updates. */
async function connect(api: BotApi): Promise<Result<{ readonly username: string }, Fault>> {
  const me = await api.me()
  return !me.ok && me.fault.kind === 'not-found' ? ok({ username: '' }) : me
}

/** A message that a person deleted needs no change any more. Telegram says so only in words. */
const goneIsDone = (result: Result<null, Fault>): Result<null, Fault> =>
  !result.ok && GONE_KINDS.has(result.fault.kind) && /not found|MESSAGE_ID_INVALID/i.test(result.fault.message)
    ? ok(null)
    : result
const GONE_KINDS: ReadonlySet<Fault['kind']> = new Set(['rejected', 'denied'])

async function fetchFile(api: BotApi, id: string, bytes: number): Promise<Result<Buffer, Fault>> {
  if (bytes > MOST_BYTES) return err(TOO_LARGE)
  const fetched = await api.file(id, MOST_BYTES)
  return !fetched.ok && fetched.fault.kind === 'too-large' ? err(TOO_LARGE) : fetched
}
