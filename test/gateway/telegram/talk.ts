/** A bot on a loopback Telegram and the engine behind it, for the tests of the Telegram channel. */
import assert from 'node:assert/strict'
import type { Channel } from '../../../src/gateway/channel/closed-channel.ts'
import { createTelegramChannel, type TelegramOptions } from '../../../src/gateway/telegram/telegram-channel.ts'
import { createEngine, type Engine, type EngineOptions, type Log, memoryLog, weigh } from '../../../src/index.ts'
import type { Recorded } from '../../../src/model/event.ts'
import type { SessionId } from '../../../src/model/ids.ts'
import {
  FAKE_CHAT,
  type FakeTelegram,
  type ShownMessage,
  startFakeTelegram,
} from '../../../src/testing/telegram/fake-telegram.ts'
import type { Scope } from '../../support/gateway.ts'

/** A bot on a loopback Telegram, and the engine behind it. */
export type Talk = {
  readonly fake: FakeTelegram
  readonly engine: Engine
  readonly door: Channel<number>
  /** What the operator was told. */
  readonly lines: readonly string[]
  /** Waits until something holds of what a chat shows. */
  readonly shows: (
    what: string,
    holds: (messages: readonly ShownMessage[]) => boolean,
    chat?: number,
  ) => Promise<readonly ShownMessage[]>
  /** Says something and waits until the answer is there; gives back the texts of the chat. */
  readonly ask: (text: string, answer: RegExp, chat?: number) => Promise<readonly ShownMessage[]>
}

export type TalkOptions = Partial<EngineOptions> & {
  readonly fake?: FakeTelegram
  readonly chats?: readonly number[]
  readonly pace?: NonNullable<TelegramOptions['pace']>
  readonly token?: string
  readonly clock?: () => number
}

/** Fast, so that nobody waits; what is tested is the order of things and not their time. */
export const QUICK: NonNullable<TelegramOptions['pace']> = {
  chatMs: 5,
  groupMs: 5,
  typingMs: 1000,
  pollSeconds: 1,
  idleMs: 5,
  backoffMs: 5,
  mostBackoffMs: 20,
}

export async function startTalk(t: Scope, options: TalkOptions = {}): Promise<Talk> {
  const { fake: given, chats = [FAKE_CHAT], pace = QUICK, token, ...rest } = options
  const fake = given ?? (await startFakeTelegram())
  if (given === undefined) t.after(fake.close)
  const bugs: unknown[] = []
  const log: Log = rest.log ?? memoryLog({ clock: Date.now, weigh })
  const engine = createEngine({ ...rest, log, observe: seen => (seen.type === 'bug' ? bugs.push(seen.cause) : undefined) })
  assert.ok((await engine.recover()).ok)
  const lines: string[] = []
  const door = createTelegramChannel({
    engine,
    setting: { botToken: token ?? fake.token, apiRoot: fake.root, chats },
    onTrouble: line => lines.push(line),
    onBug: cause => bugs.push(cause),
    pace,
    ...(rest.clock === undefined ? {} : { clock: rest.clock }),
  })
  door.start()
  t.after(async () => {
    await door.stop(0)
    await engine.close(0)
    assert.deepEqual(bugs, [])
  })
  const shows: Talk['shows'] = async (what, holds, chat = FAKE_CHAT) => {
    const seen = (): string => JSON.stringify(fake.shows(chat).map(({ text }) => text))
    await fake.until(
      () => holds(fake.shows(chat)),
      () => `${what}; the chat shows ${seen()}`,
    )
    return fake.shows(chat)
  }
  return {
    ...{ fake, engine, door, lines, shows },
    ask: (text, answer, chat = FAKE_CHAT) => {
      fake.writes({ chat, text })
      return shows(`an answer like ${answer}`, messages => messages.some(message => answer.test(message.text)), chat)
    },
  }
}

/** The session of a chat, once there is one. */
export async function sessionOf({ door, fake }: Talk, chat: number = FAKE_CHAT): Promise<SessionId> {
  const found = (): string | null => door.status().chats.find(({ id }) => id === chat)?.session ?? null
  await fake.until(() => found() !== null, 'a session for the chat')
  return found() as SessionId
}

export async function eventsIn({ engine }: Talk, session: SessionId): Promise<readonly Recorded[]> {
  const read = await engine.read(session)
  assert.ok(read.ok)
  return read.value
}

/** Every task is done, so nothing more will be sent. */
export async function settled({ engine, fake }: Talk): Promise<void> {
  let open = -1
  const look = async (): Promise<void> => {
    const kept = await engine.remembered('telegram', 'update:')
    open = kept.ok ? [...kept.value.values()].filter(value => !(JSON.parse(value) as { isDone: boolean }).isDone).length : -1
  }
  await fake.until(() => {
    void look()
    return open === 0
  }, 'all tasks done')
}

/** The rules of the Bot API that were broken; "not modified" is no offence. */
export const refusals = ({ calls }: FakeTelegram): readonly string[] =>
  calls.flatMap(({ refused }) => (refused === undefined || /not modified/.test(refused) ? [] : [refused]))
