/** What a channel remembers beyond a restart, in the log's channel state: open tasks, which chat is which session, paired chats. */
import { z } from 'zod'
import type { Engine } from '../../engine.ts'
import type { Fault } from '../../model/fault.ts'
import { parseSessionId, parseTurnId, type SessionId, type TurnId } from '../../model/ids.ts'
import { ok, type Result } from '../../model/result.ts'
import type { VoiceId } from '../../model/voice.ts'
import type { Pace, Place, Written } from './adapter.ts'

/** What to do for an update: say something in a session, resume or summarize one, or answer a command. Stored, so names and values stay. */
export type Action =
  | {
      readonly kind: 'say'
      readonly session: SessionId
      /** The session does not exist yet; its id was minted for this. */
      readonly isFresh: boolean
      /** The session before it was deleted. */
      readonly isInstead: boolean
      /** The message itself, as long as it waits for the answer before it to end. */
      readonly waits?: Pick<Written, 'text' | 'files'>
      /** Once it is said: its seq, and the newest seq then. */
      readonly seq?: number
      readonly head?: number
      /** A turn began with it. */
      readonly isAnswered?: boolean
    }
  | {
      readonly kind: 'resume'
      readonly session: SessionId
      /** The newest seq before it. */
      readonly head: number
      readonly turns?: readonly TurnId[]
    }
  | {
      readonly kind: 'fold'
      readonly session: SessionId
      /** The newest seq before it. */
      readonly head: number
      /** In a council: whose view of the conversation. */
      readonly voice?: VoiceId
      /** The turn in which a model is asked for the summary. */
      readonly turn?: TurnId
    }
  /** `argument` is the key of an agent or a council, a number in a list, or the kind of a fault; `session` is minted for it. */
  | {
      readonly kind: 'command'
      readonly command: string
      readonly argument: string
      readonly session?: SessionId
      readonly isDid: boolean
    }

/** An update that was taken, and how far its answer has come. It has ids alone: words that do not wait are in the session. */
export type ChannelTask = {
  readonly update: string
  readonly place: Place
  /** The message that is answered. */
  readonly message: string
  readonly at: number
  readonly task: Action
  /** The messages that were sent, in order, by what they show: a turn, an approval, a few words. */
  readonly posts: Readonly<Record<string, readonly string[]>>
  readonly isDone: boolean
}

/** The session that a chat or topic talks to, and the agent or council that was chosen there. */
export type Binding = { readonly session: SessionId; readonly agent: string | null; readonly council: string | null }

export type ChannelStore = {
  readonly task: (update: string) => ChannelTask | undefined
  /** Those that are not done, oldest first. */
  readonly open: () => readonly ChannelTask[]
  /** The task is as given from now on. Where the log does not take a change, the store tries again until it does. */
  readonly keep: (task: ChannelTask) => Promise<Result<null, Fault>>
  readonly binding: (place: Place) => Binding | undefined
  readonly bindings: () => readonly (readonly [place: Place, binding: Binding])[]
  readonly bind: (place: Place, binding: Binding) => Promise<Result<null, Fault>>
  readonly paired: () => readonly string[]
  /** Reads the paired chats again: another node may have taken one off the list. */
  readonly readPaired: () => Promise<Result<null, Fault>>
  readonly pair: (chat: string) => Promise<Result<null, Fault>>
  readonly unpair: (chat: string) => Promise<Result<null, Fault>>
}

/** So many answered updates are remembered, so that one that comes again is not answered again. */
const MOST_DONE = 1000

export type ChannelStoreOptions = {
  /** The channel's name, under which the log keeps its state. */
  readonly name: string
  readonly pace: Pick<Pace, 'backoffMs'>
  readonly abort: AbortSignal
  readonly onBug: (cause: unknown) => void
}

export async function openChannelStore(
  engine: Pick<Engine, 'remember' | 'remembered'>,
  { name, pace, abort, onBug }: ChannelStoreOptions,
): Promise<Result<ChannelStore, Fault>> {
  const kept = await engine.remembered(name, '')
  if (!kept.ok) return kept
  const tasks = new Map<string, ChannelTask>()
  const bindings = new Map<string, Binding>()
  const paired = new Set<string>()
  for (const [key, value] of kept.value) {
    const [kind, ...rest] = key.split(':')
    if (kind === 'update') read(channelTaskSchema, value, task => tasks.set(task.update, task))
    else if (kind === 'chat') read(bindingSchema, value, binding => bindings.set(rest.join(':'), binding))
    else if (kind === 'paired') paired.add(unescapeId(rest.join(':')))
  }
  const unsaved = new Set<string>()
  const save = (update: string): Promise<Result<null, Fault>> => {
    const task = tasks.get(update)
    return engine.remember(name, `update:${update}`, task === undefined ? null : JSON.stringify(task))
  }
  const saveAgain = (update: string): void => {
    if (unsaved.has(update) || abort.aborted) return
    unsaved.add(update)
    const retry = async (): Promise<void> => {
      unsaved.delete(update)
      if (!abort.aborted && !(await save(update)).ok) saveAgain(update)
    }
    setTimeout(() => retry().catch(onBug), pace.backoffMs).unref()
  }
  const forgetOld = async (): Promise<void> => {
    const done = [...tasks.values()].filter(({ isDone }) => isDone).sort((one, other) => other.at - one.at)
    // A tenth more than that may pile up, so that not every update has to delete another.
    if (done.length < MOST_DONE * 1.1) return
    for (const { update } of done.slice(MOST_DONE)) {
      tasks.delete(update)
      await save(update)
    }
  }

  return ok({
    task: update => tasks.get(update),
    open: () =>
      [...tasks.values()]
        .filter(({ isDone }) => !isDone)
        .sort((one, other) => one.at - other.at || BY_NUMBER.compare(one.update, other.update)),
    keep: async task => {
      const before = tasks.get(task.update)
      tasks.set(task.update, task)
      const saved = await save(task.update)
      if (saved.ok) {
        if (task.isDone) await forgetOld()
        return saved
      }
      // A task that was never written is forgotten, for its update comes again. A change of one is known only here.
      if (before === undefined) tasks.delete(task.update)
      else saveAgain(task.update)
      return saved
    },
    binding: place => bindings.get(placeKey(place)),
    bindings: () => [...bindings].map(([key, binding]) => [placeAt(key), binding] as const),
    bind: async (place, binding) => {
      const saved = await engine.remember(name, `chat:${placeKey(place)}`, JSON.stringify(binding))
      if (saved.ok) bindings.set(placeKey(place), binding)
      return saved
    },
    paired: () => [...paired],
    readPaired: async () => {
      const kept = await engine.remembered(name, PAIRED)
      if (!kept.ok) return kept
      paired.clear()
      for (const key of kept.value.keys()) paired.add(unescapeId(key.slice(PAIRED.length)))
      return ok(null)
    },
    pair: async chat => {
      const saved = await engine.remember(name, `paired:${escapeId(chat)}`, '1')
      if (saved.ok) paired.add(chat)
      return saved
    },
    unpair: async chat => {
      const saved = await unpairIn(engine, name, chat)
      if (saved.ok) paired.delete(chat)
      return saved
    },
  })
}

/** Takes a chat off the list, also from a node that does not run the channel. */
export const unpairIn = (engine: Pick<Engine, 'remember'>, channel: string, chat: string): Promise<Result<null, Fault>> =>
  engine.remember(channel, `${PAIRED}${escapeId(chat)}`, null)

/** Whether a chat is on the list. */
export async function isPairedIn(
  engine: Pick<Engine, 'remembered'>,
  channel: string,
  chat: string,
): Promise<Result<boolean, Fault>> {
  const kept = await engine.remembered(channel, PAIRED)
  return kept.ok ? ok(kept.value.has(`${PAIRED}${escapeId(chat)}`)) : kept
}

const PAIRED = 'paired:'

/** Ids that are numbers, in their order. */
const BY_NUMBER = new Intl.Collator('en', { numeric: true })

/** A colon separates the parts of a key, so none may be in an id. */
const escapeId = (id: string): string => id.replaceAll('%', '%25').replaceAll(':', '%3A')
const unescapeId = (text: string): string => text.replaceAll('%3A', ':').replaceAll('%25', '%')

const placeKey = ({ chat, topic }: Place): string =>
  topic === undefined ? escapeId(chat) : `${escapeId(chat)}:${escapeId(topic)}`

function placeAt(key: string): Place {
  const [chat = '', topic] = key.split(':').map(unescapeId)
  return { chat, ...(topic === undefined ? {} : { topic }) }
}

/** A value that cannot be read counts as if it had never been stored. */
function read<Value>(schema: z.ZodType<Value>, text: string, use: (value: Value) => void): void {
  try {
    const parsed = schema.safeParse(JSON.parse(text))
    if (parsed.success) use(parsed.data)
  } catch {
    // Not even JSON.
  }
}

/** An id that fails to be one fails the whole line. */
const idOf = <Id>(parse: (text: string) => Result<Id, Fault>): z.ZodType<Id, unknown> =>
  z.string().transform((text, context) => {
    const id = parse(text)
    if (id.ok) return id.value
    context.addIssue(id.fault.message)
    return z.NEVER
  })

/** An id of the channel. Earlier versions stored Telegram's as numbers. */
const channelId = z.union([z.string(), z.int()]).transform(String)
const session = idOf(parseSessionId)
const sentFile = z.object({ id: z.string(), name: z.string(), mediaType: z.string(), bytes: z.number() })
const actionSchema: z.ZodType<Action, unknown> = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('say'),
    session,
    isFresh: z.boolean(),
    isInstead: z.boolean(),
    waits: z.object({ text: z.string(), files: z.array(sentFile) }).exactOptional(),
    seq: z.int().exactOptional(),
    head: z.int().exactOptional(),
    isAnswered: z.boolean().exactOptional(),
  }),
  z.object({ kind: z.literal('resume'), session, head: z.int(), turns: z.array(idOf(parseTurnId)).exactOptional() }),
  z.object({
    kind: z.literal('fold'),
    session,
    head: z.int(),
    voice: z.string().exactOptional(),
    turn: idOf(parseTurnId).exactOptional(),
  }),
  z.object({
    kind: z.literal('command'),
    command: z.string(),
    argument: z.string(),
    session: session.exactOptional(),
    isDid: z.boolean(),
  }),
])
const channelTaskSchema: z.ZodType<ChannelTask, unknown> = z.object({
  update: channelId,
  place: z.object({ chat: channelId, topic: channelId.exactOptional() }),
  message: channelId,
  at: z.number(),
  task: actionSchema,
  posts: z.record(z.string(), z.array(channelId)),
  isDone: z.boolean(),
})
const bindingSchema: z.ZodType<Binding, unknown> = z.object({
  session,
  agent: z.string().nullable(),
  council: z.string().nullable(),
})
