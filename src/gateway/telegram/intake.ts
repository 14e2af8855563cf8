import type { Engine } from '../../engine.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { ok, type Result } from '../../model/result.ts'
import { fetchParts } from './attachments.ts'
import type { BotApi } from './bot-api.ts'
import type { Errand, Notebook, Task } from './channel-store.ts'
import { isKnown, keyMeant, parseCommand, withoutMention } from './commands.ts'
import type { Deliveries } from './delivery.ts'
import { plain } from './format/formatted.ts'
import { backoff, type Pace, pause } from './pace.ts'
import { createPlaces } from './places.ts'
import { createChores } from './short-commands.ts'
import type { Written } from './update.ts'

/** Takes what an allowed chat writes. What comes back as a fault is not acknowledged, so Telegram brings it again. */
export type Intake = {
  readonly take: (written: Written) => Promise<Result<null, Fault>>
  /** Goes on with everything that an earlier life left undone. */
  readonly takeUp: (errand: Errand) => Promise<Result<null, Fault>>
  /** The door has something to say for an update, and nothing else is done for it. */
  readonly tell: (written: Written, command: string) => Promise<Result<null, Fault>>
}

export type IntakeOptions = {
  readonly engine: Engine
  readonly api: Pick<BotApi, 'file'>
  readonly notebook: Notebook
  readonly deliveries: Deliveries
  readonly username: string
  readonly clock: () => number
  readonly pace: Pace
  readonly abort: AbortSignal
  readonly onBug: (cause: unknown) => void
}

type Saying = Extract<Task, { kind: 'say' }>

/** After so long Telegram has forgotten an update itself, and will not bring it again. */
const FORGOTTEN_MS = 48 * 3_600_000
/** How often a file is asked for before its message is given up; everything behind it waits so long. */
const MOST_TRIES = 5

export function createIntake(options: IntakeOptions): Intake {
  const { engine, api, notebook, deliveries, username, clock, pace, abort, onBug } = options
  const places = createPlaces(engine, notebook)
  const chores = createChores({ engine, notebook, places, clock })

  /** What is to be done for a message; nothing for one that is meant for another bot. Everything minted here is minted once. */
  const taskFor = async ({ place, text, files, strange, isForwarded }: Written): Promise<Result<Task | undefined, Fault>> => {
    const own = (command: string, argument = ''): Result<Task, Fault> => ok({ kind: 'command', command, argument, isDid: false })
    if (isForwarded) return own('forwarded')
    if (strange !== undefined) return own('strange', strange)
    const command = files.length === 0 ? parseCommand(text, username) : undefined
    if (command === 'for another') return ok(undefined)
    // Somebody called the bot by its name, and said nothing else.
    if (files.length === 0 && withoutMention(text, username).trim() === '') return own('help')
    const session = await places.sessionAt(place)
    if (!session.ok) return session
    if (command === undefined)
      return ok({
        kind: 'say',
        session: session.value?.id ?? engine.mintSession(),
        isFresh: session.value === undefined,
        isInstead: session.value === undefined && notebook.binding(place) !== undefined,
      })
    const { name, argument } = command
    const minted = { kind: 'command', command: name, session: engine.mintSession(), isDid: false } as const
    if (name === 'new') return ok({ ...minted, argument: '' })
    if (name === 'agent' || name === 'council') {
      if (argument === '') return own(`${name}s`)
      return ok({ ...minted, argument: keyMeant(name === 'agent' ? engine.agents() : engine.councils(), argument) })
    }
    if (name === 'resume' && session.value !== undefined) return resumeTask(session.value.id)
    return own(isKnown(name) ? name : 'unknown')
  }

  const resumeTask = async (session: SessionId): Promise<Result<Task, Fault>> => {
    const last = await engine.read(session, { newest: true, limit: 1 })
    return last.ok ? ok({ kind: 'resume', session, head: last.value.at(-1)?.seq ?? 0 }) : last
  }

  const begin = async ({ update, place, message }: Written, task: Task): Promise<Result<Errand, Fault>> => {
    const errand: Errand = { update, place, message, at: clock(), task, posts: {}, isDone: false }
    const kept = await notebook.keep(errand)
    return kept.ok ? ok(errand) : kept
  }

  const advance = async (errand: Errand, task: Task): Promise<Result<Errand, Fault>> => {
    const next = { ...(notebook.errand(errand.update) ?? errand), task }
    const kept = await notebook.keep(next)
    return kept.ok ? ok(next) : kept
  }

  const perform = async (errand: Errand, written: Written | undefined): Promise<Result<null, Fault>> => {
    const { task } = errand
    switch (task.kind) {
      case 'say':
        return task.seq === undefined ? say(errand, task, written ?? task.waits) : follow(errand, task)
      case 'resume':
        return resume(errand, task)
      case 'command': {
        const done = await chores.perform(errand.place, task)
        if (!done.ok) return done.fault.retryable ? done : refuse(errand, done.fault)
        const did = await advance(errand, { ...task, isDid: true })
        if (!did.ok) return did
        deliveries.tell(did.value, done.value)
        return ok(null)
      }
    }
  }

  const follow = (errand: Errand, { session }: Pick<Saying, 'session'>): Result<null, Fault> => {
    deliveries.follow(errand, () => void sayNext(session).catch(onBug))
    return ok(null)
  }

  /** Whether an earlier message of the session is being answered, or waits for that itself: each has a turn and a reply of its own. */
  const isBusy = ({ update }: Errand, session: SessionId): boolean => {
    const inSession = notebook.open().filter(({ task }) => task.kind !== 'command' && task.session === session)
    const own = inSession.findIndex(other => other.update === update)
    return inSession.some((other, index) => {
      if (other.update === update) return false
      return (isAnswered(other) && deliveries.isAnswering(other)) || (index < own && doesWait(other))
    })
  }

  /** Says what waited for an answer to be over; a store that is away is waited for. */
  const sayNext = async (session: SessionId): Promise<void> => {
    while (!abort.aborted) {
      const next = notebook.open().find(each => each.task.kind === 'say' && each.task.session === session && doesWait(each))
      if (next === undefined || isBusy(next, session)) return
      for (let failures = 1; !abort.aborted; failures += 1) {
        if ((await perform(notebook.errand(next.update) ?? next, undefined)).ok) break
        await pause(backoff(pace, failures), abort)
      }
    }
  }

  const say = async (errand: Errand, task: Saying, words: Saying['waits']): Promise<Result<null, Fault>> => {
    // It was never said, so it was never acknowledged: Telegram will bring its words again.
    if (words === undefined) return errand.at < clock() - FORGOTTEN_MS ? notebook.keep({ ...errand, isDone: true }) : ok(null)
    const { text, files } = words
    if (isBusy(errand, task.session)) {
      const kept = task.waits === undefined ? await advance(errand, { ...task, waits: { text, files } }) : ok(null)
      return kept.ok ? ok(null) : kept
    }
    const { place, update } = errand
    const opened = task.isFresh ? await places.openAt(place, task.session) : ok(null)
    if (!opened.ok) return opened.fault.retryable ? opened : refuse(errand, opened.fault)
    const parts = await fetchParts(api, files)
    if (!parts.ok) return mayComeLater(update, parts.fault) ? parts : refuse(errand, parts.fault)
    tries.delete(update)
    const said = await engine.say({
      session: task.session,
      text: withoutMention(text, username),
      ...(parts.value.length === 0 ? {} : { parts: parts.value }),
      from: 'person',
      key: `telegram:${update}`,
    })
    if (!said.ok && said.fault.kind === 'not-found' && !(await engine.session(task.session)).ok)
      return sayInstead(errand, { text, files })
    if (!said.ok) return said.fault.retryable ? said : refuse(errand, said.fault)
    const { waits: _, ...rest } = task
    const { seq, head, turns } = said.value
    const next = await advance(errand, { ...rest, seq, head, isAnswered: turns.length > 0 })
    return next.ok ? follow(next.value, task) : next
  }

  /** Its session was deleted between two breaths, or while it waited. */
  const sayInstead = async (errand: Errand, waits: NonNullable<Saying['waits']>): Promise<Result<null, Fault>> => {
    const now = await places.sessionAt(errand.place)
    if (!now.ok) return now
    const isFresh = now.value === undefined
    const task: Saying = { kind: 'say', session: now.value?.id ?? engine.mintSession(), isFresh, isInstead: isFresh, waits }
    const again = await advance(errand, task)
    return again.ok ? say(again.value, task, waits) : again
  }

  const tries = new Map<number, number>()
  /** The end of this process is no word on a file, and trouble of the network only so often. */
  const mayComeLater = (update: number, { kind, retryable }: Fault): boolean => {
    if (kind === 'cancelled') return true
    const count = (tries.get(update) ?? 0) + 1
    tries.set(update, count)
    return retryable && count < MOST_TRIES
  }

  const resume = async (errand: Errand, task: Extract<Task, { kind: 'resume' }>): Promise<Result<null, Fault>> => {
    if (task.turns !== undefined) return follow(errand, task)
    // Nothing was begun after this was written down, unless by an earlier try of it.
    const begun = await engine.read(task.session, { after: task.head, only: 'turn.started' })
    if (!begun.ok) return begun.fault.retryable ? begun : refuse(errand, begun.fault)
    const before = begun.value.flatMap(event => (event.type === 'turn.started' ? [event.turn] : []))
    const turns = before.length > 0 ? ok(before) : await engine.resume(task.session)
    if (!turns.ok) return turns.fault.retryable ? turns : refuse(errand, turns.fault)
    const next = await advance(errand, { ...task, turns: turns.value })
    return next.ok ? follow(next.value, task) : next
  }

  /** What cannot be done is said; of the reason only its kind is remembered. */
  const refuse = async (errand: Errand, fault: Fault): Promise<Result<null, Fault>> => {
    const next = await advance(errand, { kind: 'command', command: 'refused', argument: fault.kind, isDid: true })
    if (!next.ok) return next
    deliveries.tell(next.value, plain(fault.message))
    return ok(null)
  }

  return {
    take: async written => {
      const known = notebook.errand(written.update)
      if (known !== undefined) return known.isDone || deliveries.isUnderWay(known) ? ok(null) : perform(known, written)
      const task = await taskFor(written)
      if (!task.ok) return task
      if (task.value === undefined) return ok(null)
      const errand = await begin(written, task.value)
      return errand.ok ? perform(errand.value, written) : errand
    },
    takeUp: errand => perform(errand, undefined),
    tell: async (written, command) => {
      const known = notebook.errand(written.update)
      if (known !== undefined) return known.isDone ? ok(null) : perform(known, written)
      const errand = await begin(written, { kind: 'command', command, argument: '', isDid: true })
      return errand.ok ? perform(errand.value, written) : errand
    },
  }
}

const doesWait = ({ task }: Errand): boolean => task.kind === 'say' && task.waits !== undefined
/** What nobody has begun to answer may never be answered, and nothing waits for it. */
const isAnswered = ({ task }: Errand): boolean => task.kind !== 'say' || task.isAnswered === true
