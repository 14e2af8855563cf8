import type { Engine } from '../../engine.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { TelegramSetting } from '../../model/settings/config.ts'
import { type Bot, botOf, TELEGRAM_TOKEN_NAME } from '../workspace/channels.ts'
import { createPorter } from './access-check.ts'
import { type BotApi, createBotApi, type Me } from './bot-api.ts'
import { type Notebook, openNotebook } from './channel-store.ts'
import { closedDoor, type TelegramDoor, type TelegramStatus } from './closed-door.ts'
import { COMMANDS } from './commands.ts'
import { createDeliveries } from './delivery.ts'
import { createIntake, type Intake } from './intake.ts'
import { createCourier } from './outbox.ts'
import { backoff, PACE, type Pace, pause } from './pace.ts'
import { createPairings } from './pairing.ts'
import { poll } from './poll.ts'

export type TelegramOptions = {
  readonly engine: Engine
  readonly setting: TelegramSetting
  /** Told once of everything that an operator should know. */
  readonly onTrouble: (line: string) => void
  readonly onBug: (cause: unknown) => void
  readonly pace?: Partial<Pace>
  readonly clock?: () => number
}

const NO_TOKEN = `Telegram: the bot has no token; set ${TELEGRAM_TOKEN_NAME}, or channels.telegram.botToken`

const STOPPED_BY_BUG = fault('bug', 'a bug of this door has stopped it; start the gateway again')

/** Nothing here keeps the gateway from running: what is wrong is said once, waited out, and gone on from. */
export function createTelegramDoor({
  engine,
  setting,
  onTrouble,
  onBug,
  pace: given,
  clock = Date.now,
}: TelegramOptions): TelegramDoor {
  const bot = botOf(setting)
  if (bot === undefined) return closedDoor(NO_TOKEN, onTrouble)
  const pace = { ...PACE, ...given }
  const [listening, working] = [new AbortController(), new AbortController()]
  const pairings = createPairings(clock)
  let me: Me | undefined
  let notebook: Notebook | undefined
  let isRunning = false
  let trouble: string | undefined
  let closeCourier = async (): Promise<void> => {}
  let life: Promise<void> = Promise.resolve()

  const stands = (found: Fault | undefined): void => {
    const line = found === undefined ? undefined : `Telegram: ${found.message}`
    isRunning = found === undefined
    if (line === trouble) return
    onTrouble(line ?? 'Telegram: all is well again')
    trouble = line
  }
  /** Until it works, or the door closes. */
  const insist = async <Value>(make: () => Promise<Result<Value, Fault>>): Promise<Value | undefined> => {
    for (let failures = 1; !listening.signal.aborted; failures += 1) {
      const made = await make()
      if (made.ok) return made.value
      if (listening.signal.aborted) break
      stands(made.fault)
      await pause(Math.max(made.fault.retryAfterMs ?? 0, backoff(pace, failures)), listening.signal)
    }
    return undefined
  }

  const live = async (): Promise<void> => {
    const asking = createBotApi({ ...bot, abort: listening.signal })
    const api = createBotApi({ ...bot, abort: working.signal })
    notebook = await insist(() => openNotebook(engine, pace, working.signal))
    me = notebook === undefined ? undefined : await insist(() => introduced(asking))
    if (notebook === undefined || me === undefined) return
    const courier = createCourier({
      ...{ api, pace, abort: working.signal, onBug },
      onTrouble: ({ message }, { chat }) => onTrouble(`Telegram: chat ${chat}: ${message}`),
    })
    closeCourier = courier.close
    const deliveries = createDeliveries({ engine, courier, notebook, pace, abort: working.signal, onBug })
    const intake = createIntake({
      ...{ engine, api, notebook, deliveries, clock, pace, onBug },
      ...{ username: me.username, abort: working.signal },
    })
    const take = createPorter({
      ...{ engine, api, notebook, intake, pairings, username: me.username, clock, onBug },
      isAllowed: chat => isAllowed(bot, notebook, chat),
      onStranger: onTrouble,
    })
    await takeUp(notebook, intake)
    stands(undefined)
    announce(asking).catch(onBug)
    await poll({ api: asking, take, pace, abort: listening.signal, onTrouble: stands })
  }

  const takeUp = async (book: Notebook, intake: Intake): Promise<void> => {
    for (const errand of book.open()) await insist(() => intake.takeUp(errand))
  }
  /** A menu that could not be set is set at the next start. */
  const announce = (api: BotApi): Promise<unknown> => api.commands(COMMANDS)

  return {
    start: () => {
      life = live().catch(cause => {
        onBug(cause)
        stands(STOPPED_BY_BUG)
      })
    },
    status: () => ({
      running: isRunning,
      bot: me?.username || null,
      chats: chatsOf(bot, notebook),
      pairings: pairings.count(),
      ...(trouble === undefined ? {} : { trouble }),
    }),
    pair: pairings.make,
    forget: async chat => {
      if (bot.chats.includes(chat))
        return err(fault('conflict', `chat ${chat} is in the settings; take it out of channels.telegram.chats`))
      if (notebook?.paired().includes(chat) !== true) return err(fault('not-found', `chat ${chat} is not paired`))
      return notebook.unpair(chat)
    },
    trouble: () => trouble,
    stop: async (graceMs = 800) => {
      listening.abort()
      isRunning = false
      await Promise.race([life.then(() => closeCourier()), pause(graceMs, working.signal)])
      working.abort()
    },
  }
}

/** A server that does not know this one call may know all the others; whether it knows the bot shows when it is asked for news. */
async function introduced(api: BotApi): Promise<Result<Me, Fault>> {
  const me = await api.me()
  return !me.ok && me.fault.kind === 'not-found' ? ok({ username: '' }) : me
}

const isAllowed = ({ chats }: Bot, notebook: Notebook | undefined, chat: number): boolean =>
  chats.includes(chat) || notebook?.paired().includes(chat) === true

function chatsOf({ chats }: Bot, notebook: Notebook | undefined): TelegramStatus['chats'] {
  const sessionOf = (chat: number): string | null =>
    notebook?.bindings().find(([place]) => place.chat === chat && place.topic === undefined)?.[1].session ?? null
  const paired = (notebook?.paired() ?? []).filter(chat => !chats.includes(chat))
  return [
    ...chats.map(id => ({ id, source: 'settings' as const, session: sessionOf(id) })),
    ...paired.map(id => ({ id, source: 'paired' as const, session: sessionOf(id) })),
  ]
}
