/** Runs one channel: connects it, continues what a restart left open, takes what people write and shows what is answered. */
import type { Engine } from '../../engine.ts'
import { type Fault, fault } from '../../model/fault.ts'
import { err, type Result } from '../../model/result.ts'
import { createAccessCheck } from './access-check.ts'
import type { ChannelAdapter, ChannelSignals, Receiver } from './adapter.ts'
import { type ChannelStore, openChannelStore } from './channel-store.ts'
import { type Channel, type ChannelStatus, inSettings, notPaired } from './closed-channel.ts'
import { COMMANDS } from './commands.ts'
import { createDeliveries } from './delivery.ts'
import { createInbox } from './inbox.ts'
import { createOutbox } from './outbox.ts'
import { backoff, pauseUnlessAborted } from './pace.ts'
import { createPairings, type Pairings } from './pairing.ts'

export type ChannelOptions = {
  readonly engine: Engine
  readonly adapter: (signals: ChannelSignals) => ChannelAdapter
  /** Chats that may speak from the start, by the settings. */
  readonly chats: readonly string[]
  /** Gets a line for everything that an operator should know, once. */
  readonly onTrouble: (line: string) => void
  readonly onBug: (cause: unknown) => void
  readonly clock?: () => number
  /** Where several nodes share the channel: whether this one may still act. */
  readonly isMine?: () => boolean
  /** The codes that let chats in, where they are kept beyond this channel's life. */
  readonly pairings?: Pairings
}

const STOPPED_BY_BUG = fault('bug', 'a bug of this door has stopped it; start the gateway again')

/** Trouble of the channel never keeps the gateway from running: it is reported once, and tried again until it passes. */
export function createChannel(options: ChannelOptions): Channel {
  const { engine, chats, onTrouble, onBug, clock = Date.now } = options
  const [receiving, sending] = [new AbortController(), new AbortController()]
  const made = options.adapter({ receiving: receiving.signal, sending: sending.signal })
  const adapter = options.isMine === undefined ? made : whileMine(made, options.isMine)
  const { name, title, pace } = adapter
  const pairings = options.pairings ?? createPairings(clock)
  let username: string | undefined
  let store: ChannelStore | undefined
  let isRunning = false
  let trouble: string | undefined
  let closeOutbox = async (): Promise<void> => {}
  let life: Promise<void> = Promise.resolve()

  const onState = (found: Fault | undefined): void => {
    const line = found === undefined ? undefined : `${title}: ${found.message}`
    isRunning = found === undefined
    if (line === trouble) return
    onTrouble(line ?? `${title}: all is well again`)
    trouble = line
  }
  /** Tries until it works, or the channel stops. */
  const insist = async <Value>(make: () => Promise<Result<Value, Fault>>): Promise<Value | undefined> => {
    for (let failures = 1; !receiving.signal.aborted; failures += 1) {
      const made = await make()
      if (made.ok) return made.value
      if (receiving.signal.aborted) break
      onState(made.fault)
      await pauseUnlessAborted(Math.max(made.fault.retryAfterMs ?? 0, backoff(pace, failures)), receiving.signal)
    }
    return undefined
  }
  const isAllowed = (chat: string): boolean => chats.includes(chat) || store?.paired().includes(chat) === true

  const live = async (): Promise<void> => {
    const abort = sending.signal
    const opened = await insist(() => openChannelStore(engine, { name, pace, abort, onBug }))
    store = opened
    const me = opened === undefined ? undefined : await insist(adapter.connect)
    username = me?.username
    if (opened === undefined || me === undefined) return
    const outbox = createOutbox({
      ...{ adapter, abort, onBug },
      onTrouble: ({ message }, { chat }) => onTrouble(`${title}: chat ${chat}: ${message}`),
    })
    closeOutbox = outbox.close
    const shared = { engine, adapter, store: opened, username: me.username, clock, abort, onBug }
    const deliveries = createDeliveries({ ...shared, outbox })
    const inbox = createInbox({ ...shared, deliveries })
    const take = createAccessCheck({ ...shared, inbox, pairings, isAllowed, onStranger: onTrouble })
    for (const task of opened.open()) await insist(() => inbox.continueTask(task))
    onState(undefined)
    // A menu that could not be set is set at the next start.
    adapter.announce?.(COMMANDS).catch(onBug)
    const takeFresh: Receiver['take'] = async incoming => {
      const read = await opened.readPaired()
      return read.ok ? take(incoming) : read
    }
    await adapter.receive({ take: oneAtATime(options.isMine === undefined ? take : takeFresh), onState })
  }

  return {
    start: () => {
      life = live().catch(cause => {
        onBug(cause)
        onState(STOPPED_BY_BUG)
      })
    },
    status: () => ({
      running: isRunning,
      bot: username || null,
      chats: listedChats(chats, store),
      pairings: pairings.count(),
      ...(trouble === undefined ? {} : { trouble }),
    }),
    pair: pairings.make,
    forget: async chat => {
      if (chats.includes(chat)) return err(inSettings(name, chat))
      if (store?.paired().includes(chat) !== true) return err(notPaired(chat))
      return store.unpair(chat)
    },
    trouble: () => trouble,
    stop: async (graceMs = 800) => {
      receiving.abort()
      isRunning = false
      await Promise.race([life.then(() => closeOutbox()), pauseUnlessAborted(graceMs, sending.signal)])
      sending.abort()
    },
  }
}

const NOT_MINE = fault('cancelled', 'another node runs this channel now')

/** A node that was paused for longer than its lease must not show anything when it wakes: another node has done it. */
function whileMine(adapter: ChannelAdapter, isMine: () => boolean): ChannelAdapter {
  const guarded =
    <Given extends readonly unknown[], Value>(act: (...given: Given) => Promise<Result<Value, Fault>>) =>
    async (...given: Given): Promise<Result<Value, Fault>> =>
      isMine() ? act(...given) : err(NOT_MINE)
  return {
    ...adapter,
    receive: receiver => adapter.receive({ ...receiver, take: guarded(receiver.take) }),
    send: guarded(adapter.send),
    edit: guarded(adapter.edit),
    remove: guarded(adapter.remove),
    typing: guarded(adapter.typing),
    acknowledge: guarded(adapter.acknowledge),
  }
}

/** Two messages that come at once must not both open a session for their chat. */
function oneAtATime(take: Receiver['take']): Receiver['take'] {
  let last: Promise<unknown> = Promise.resolve()
  return incoming => {
    const taken = last.then(() => take(incoming))
    last = taken.catch(() => undefined)
    return taken
  }
}

function listedChats(chats: readonly string[], store: ChannelStore | undefined): ChannelStatus['chats'] {
  const sessionOf = (chat: string): string | null =>
    store?.bindings().find(([place]) => place.chat === chat && place.topic === undefined)?.[1].session ?? null
  const paired = (store?.paired() ?? []).filter(chat => !chats.includes(chat))
  return [
    ...chats.map(id => ({ id, source: 'settings' as const, session: sessionOf(id) })),
    ...paired.map(id => ({ id, source: 'paired' as const, session: sessionOf(id) })),
  ]
}
