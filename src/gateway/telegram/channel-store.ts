import { z } from 'zod'
import type { Engine } from '../../engine.ts'
import type { Fault } from '../../model/fault.ts'
import { parseSessionId, parseTurnId, type SessionId, type TurnId } from '../../model/ids.ts'
import { ok, type Result } from '../../model/result.ts'
import type { Place } from './bot-api.ts'
import type { Pace } from './pace.ts'
import type { Written } from './update.ts'

/** What is to be done for an update: something is said, gone on with, or answered by the door itself. */
export type Task =
  | {
      readonly kind: 'say'
      readonly session: SessionId
      /** The session was minted for this. */
      readonly isFresh: boolean
      /** The one before was deleted. */
      readonly isInstead: boolean
      /** What is to be said when the answer before it is over; gone as soon as it is said. */
      readonly waits?: Pick<Written, 'text' | 'files'>
      /** Once it is said: its place, and how far the log had come. */
      readonly seq?: number
      readonly head?: number
      /** A turn began with it. */
      readonly isAnswered?: boolean
    }
  | {
      readonly kind: 'resume'
      readonly session: SessionId
      /** How far the log had come before. */
      readonly head: number
      readonly turns?: readonly TurnId[]
    }
  /** `argument` is the key of an agent or a council, or the kind of a fault; `session` is minted for it. */
  | {
      readonly kind: 'command'
      readonly command: string
      readonly argument: string
      readonly session?: SessionId
      readonly isDid: boolean
    }

/** An update that was taken, and how far its answer has come. Ids and numbers alone: words that do not wait are in the session. */
export type Errand = {
  readonly update: number
  readonly place: Place
  /** The message that is answered. */
  readonly message: number
  readonly at: number
  readonly task: Task
  /** What was sent, by what it shows: messages of Telegram in their order. */
  readonly posts: Readonly<Record<string, readonly number[]>>
  readonly isDone: boolean
}

/** Which session a chat, or a topic of it, talks to, and who was chosen there. */
export type Binding = { readonly session: SessionId; readonly agent: string | null; readonly council: string | null }

/** What this door remembers, beyond its own life. */
export type Notebook = {
  readonly errand: (update: number) => Errand | undefined
  /** Those that are not done, oldest first. */
  readonly open: () => readonly Errand[]
  /** The errand is as given from now on; where the store does not take it, it is tried again until it does. */
  readonly keep: (errand: Errand) => Promise<Result<null, Fault>>
  readonly binding: (place: Place) => Binding | undefined
  readonly bindings: () => readonly (readonly [place: Place, binding: Binding])[]
  readonly bind: (place: Place, binding: Binding) => Promise<Result<null, Fault>>
  readonly paired: () => readonly number[]
  readonly pair: (chat: number) => Promise<Result<null, Fault>>
  readonly unpair: (chat: number) => Promise<Result<null, Fault>>
}

const DOOR = 'telegram'
/** Updates that were answered are remembered so that they are not answered again; Telegram itself forgets them after a day. */
const MOST_DONE = 1000

export async function openNotebook(
  engine: Engine,
  { backoffMs }: Pick<Pace, 'backoffMs'>,
  abort: AbortSignal,
): Promise<Result<Notebook, Fault>> {
  const kept = await engine.remembered(DOOR, '')
  if (!kept.ok) return kept
  const errands = new Map<number, Errand>()
  const bindings = new Map<string, Binding>()
  const paired = new Set<number>()
  for (const [key, value] of kept.value) {
    const [kind, ...rest] = key.split(':')
    if (kind === 'update') read(errandSchema, value, errand => errands.set(errand.update, errand))
    else if (kind === 'chat') read(bindingSchema, value, binding => bindings.set(rest.join(':'), binding))
    else if (kind === 'paired') paired.add(Number(rest[0]))
  }
  const unsaved = new Set<number>()
  const save = (update: number): Promise<Result<null, Fault>> => {
    const errand = errands.get(update)
    return engine.remember(DOOR, `update:${update}`, errand === undefined ? null : JSON.stringify(errand))
  }
  const saveAgain = (update: number): void => {
    if (unsaved.has(update) || abort.aborted) return
    unsaved.add(update)
    setTimeout(async () => {
      unsaved.delete(update)
      if (!abort.aborted && !(await save(update)).ok) saveAgain(update)
    }, backoffMs).unref()
  }
  const forgetOld = async (): Promise<void> => {
    const done = [...errands.values()].filter(({ isDone }) => isDone).sort((one, other) => other.at - one.at)
    // A few more than are kept, so that not every update has to clear away another.
    if (done.length < MOST_DONE * 1.1) return
    for (const { update } of done.slice(MOST_DONE)) {
      errands.delete(update)
      await save(update)
    }
  }

  return ok({
    errand: update => errands.get(update),
    open: () =>
      [...errands.values()].filter(({ isDone }) => !isDone).sort((one, other) => one.at - other.at || one.update - other.update),
    keep: async errand => {
      const before = errands.get(errand.update)
      errands.set(errand.update, errand)
      const saved = await save(errand.update)
      if (saved.ok) {
        if (errand.isDone) await forgetOld()
        return saved
      }
      // What was never written is not known: the update comes again. What was sent since is known only here.
      if (before === undefined) errands.delete(errand.update)
      else saveAgain(errand.update)
      return saved
    },
    binding: place => bindings.get(placeKey(place)),
    bindings: () => [...bindings].map(([key, binding]) => [placeAt(key), binding] as const),
    bind: async (place, binding) => {
      const saved = await engine.remember(DOOR, `chat:${placeKey(place)}`, JSON.stringify(binding))
      if (saved.ok) bindings.set(placeKey(place), binding)
      return saved
    },
    paired: () => [...paired],
    pair: async chat => {
      const saved = await engine.remember(DOOR, `paired:${chat}`, '1')
      if (saved.ok) paired.add(chat)
      return saved
    },
    unpair: async chat => {
      const saved = await engine.remember(DOOR, `paired:${chat}`, null)
      if (saved.ok) paired.delete(chat)
      return saved
    },
  })
}

const placeKey = ({ chat, topic }: Place): string => (topic === undefined ? String(chat) : `${chat}:${topic}`)

function placeAt(key: string): Place {
  const [chat, topic] = key.split(':').map(Number)
  return { chat: chat ?? 0, ...(topic === undefined ? {} : { topic }) }
}

/** What can no longer be read is as if it had never been remembered. */
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

const session = idOf(parseSessionId)
const sentFile = z.object({ id: z.string(), name: z.string(), mediaType: z.string(), bytes: z.number() })
const taskSchema: z.ZodType<Task, unknown> = z.discriminatedUnion('kind', [
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
    kind: z.literal('command'),
    command: z.string(),
    argument: z.string(),
    session: session.exactOptional(),
    isDid: z.boolean(),
  }),
])
const errandSchema: z.ZodType<Errand, unknown> = z.object({
  update: z.int(),
  place: z.object({ chat: z.int(), topic: z.int().exactOptional() }),
  message: z.int(),
  at: z.number(),
  task: taskSchema,
  posts: z.record(z.string(), z.array(z.int())),
  isDone: z.boolean(),
})
const bindingSchema: z.ZodType<Binding, unknown> = z.object({
  session,
  agent: z.string().nullable(),
  council: z.string().nullable(),
})
