/** Takes messages of allowed chats, each exactly once: says them in their session, one after another, or runs their command. */
import type { Engine, FoldBegun, Session } from '../../engine.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { ok, type Result } from '../../model/result.ts'
import { foldMade } from '../cli/memory/make-fold.ts'
import type { ChannelAdapter, Written } from './adapter.ts'
import { fetchParts } from './attachments.ts'
import { createBindings } from './bindings.ts'
import type { Action, ChannelStore, ChannelTask } from './channel-store.ts'
import { findKey, isKnown, parseCommand, withoutMention } from './commands.ts'
import type { Deliveries } from './delivery.ts'
import { backoff, pauseUnlessAborted } from './pace.ts'
import { createCommandRunner } from './run-command.ts'
import { foldMadeWords } from './text/folds-words.ts'
import { plain } from './text/rich-text.ts'

/** A fault means that the message was not taken: the channel must not acknowledge it, and brings it again. */
export type Inbox = {
  readonly take: (written: Written) => Promise<Result<null, Fault>>
  /** Goes on with a task that was open when the gateway stopped. */
  readonly continueTask: (task: ChannelTask) => Promise<Result<null, Fault>>
  /** Answers a message by a command that it does not name, and does nothing else for it. */
  readonly reply: (written: Written, command: string) => Promise<Result<null, Fault>>
}

export type InboxOptions = {
  readonly engine: Engine
  readonly adapter: Pick<ChannelAdapter, 'name' | 'title' | 'pace' | 'file'>
  readonly store: ChannelStore
  readonly deliveries: Deliveries
  readonly username: string
  readonly clock: () => number
  readonly abort: AbortSignal
  readonly onBug: (cause: unknown) => void
}

type FoldAction = Extract<Action, { kind: 'fold' }>
type SayAction = Extract<Action, { kind: 'say' }>

/** After so long a channel does not bring a message again that was never acknowledged. */
const FORGOTTEN_MS = 48 * 3_600_000
/** How often a file is asked for before its message is given up; all messages behind it wait that long. */
const MOST_TRIES = 5
/** Of the number of a summary. */
const MOST_DIGITS = 6
const MOST_NAME = 64

export function createInbox(options: InboxOptions): Inbox {
  const { engine, adapter, store, deliveries, username, clock, abort, onBug } = options
  const bindings = createBindings(engine, store)
  const runCommand = createCommandRunner({ engine, store, bindings, clock })

  /** What to do for a message; nothing for one that is meant for another bot. Ids are minted here, once for each message. */
  const actionFor = async ({
    place,
    text,
    files,
    unsupported,
    isForwarded,
  }: Written): Promise<Result<Action | undefined, Fault>> => {
    const own = (command: string, argument = ''): Result<Action, Fault> =>
      ok({ kind: 'command', command, argument, isDid: false })
    if (isForwarded) return own('forwarded')
    if (unsupported !== undefined) return own('strange', unsupported)
    const command = files.length === 0 ? parseCommand(text, username) : undefined
    if (command === 'for another') return ok(undefined)
    // The message is the bot's name and nothing else.
    if (files.length === 0 && withoutMention(text, username).trim() === '') return own('help')
    const session = await bindings.sessionAt(place)
    if (!session.ok) return session
    if (command === undefined)
      return ok({
        kind: 'say',
        session: session.value?.id ?? engine.mintSession(),
        isFresh: session.value === undefined,
        isInstead: session.value === undefined && store.binding(place) !== undefined,
      })
    const { name, argument } = command
    const minted = { kind: 'command', command: name, session: engine.mintSession(), isDid: false } as const
    if (name === 'new') return ok({ ...minted, argument: '' })
    if (name === 'agent' || name === 'council') {
      if (argument === '') return own(`${name}s`)
      return ok({ ...minted, argument: findKey(name === 'agent' ? engine.agents() : engine.councils(), argument) })
    }
    if (name === 'resume' && session.value !== undefined) return atHead(session.value.id, 'resume')
    if (name === 'compact' && session.value !== undefined) return foldAction(session.value, argument)
    if (name === 'folds') return own(name, argument.slice(0, MOST_DIGITS))
    return own(isKnown(name) ? name : 'unknown')
  }

  const atHead = async (session: SessionId, kind: 'resume' | 'fold'): Promise<Result<Action, Fault>> => {
    const last = await engine.read(session, { newest: true, limit: 1 })
    return last.ok ? ok({ kind, session, head: last.value.at(-1)?.seq ?? 0 }) : last
  }

  /** In a council each advisor has its own view, so a summary is made for one of them. */
  const foldAction = async ({ id, council }: Session, argument: string): Promise<Result<Action, Fault>> => {
    const action = await atHead(id, 'fold')
    if (!action.ok || argument === '') return action
    const advisors = engine.councils().find(({ key }) => key === council)?.advisors ?? []
    const voice = findKey(
      advisors.map(advisor => ({ key: advisor.id, name: advisor.name })),
      argument.replace(/^@/, ''),
    )
    return ok({ ...action.value, voice: voice === '' ? argument.slice(0, MOST_NAME) : voice } as Action)
  }

  const begin = async ({ update, place, message }: Written, action: Action): Promise<Result<ChannelTask, Fault>> => {
    const task: ChannelTask = { update, place, message, at: clock(), task: action, posts: {}, isDone: false }
    const kept = await store.keep(task)
    return kept.ok ? ok(task) : kept
  }

  const advance = async (task: ChannelTask, action: Action): Promise<Result<ChannelTask, Fault>> => {
    const next = { ...(store.task(task.update) ?? task), task: action }
    const kept = await store.keep(next)
    return kept.ok ? ok(next) : kept
  }

  const perform = async (task: ChannelTask, written: Written | undefined): Promise<Result<null, Fault>> => {
    const action = task.task
    switch (action.kind) {
      case 'say':
        return action.seq === undefined ? say(task, action, written ?? action.waits) : follow(task, action)
      case 'resume':
        return resume(task, action)
      case 'fold':
        return fold(task, action)
      case 'command': {
        const answer = await runCommand(task.place, action)
        if (!answer.ok) return answer.fault.retryable ? answer : refuse(task, answer.fault)
        const done = await advance(task, { ...action, isDid: true })
        if (!done.ok) return done
        deliveries.show(done.value, answer.value)
        return ok(null)
      }
    }
  }

  const follow = (task: ChannelTask, { session }: Pick<SayAction, 'session'>): Result<null, Fault> => {
    deliveries.follow(task, () => void sayNext(session).catch(onBug))
    return ok(null)
  }

  /** Whether an earlier message of the session is being answered or waits itself: each message has its own turn and reply. */
  const isBusy = ({ update }: ChannelTask, session: SessionId): boolean => {
    const inSession = store
      .open()
      .filter(({ task }) => (task.kind === 'say' || task.kind === 'resume') && task.session === session)
    const own = inSession.findIndex(other => other.update === update)
    return inSession.some((other, index) => {
      if (other.update === update) return false
      return (isAnswered(other) && deliveries.isAnswering(other)) || (index < own && doesWait(other))
    })
  }

  /** Says the messages that waited for an answer to end. While the log is away, it tries again. */
  const sayNext = async (session: SessionId): Promise<void> => {
    while (!abort.aborted) {
      const next = store.open().find(each => each.task.kind === 'say' && each.task.session === session && doesWait(each))
      if (next === undefined || isBusy(next, session)) return
      for (let failures = 1; !abort.aborted; failures += 1) {
        if ((await perform(store.task(next.update) ?? next, undefined)).ok) break
        await pauseUnlessAborted(backoff(adapter.pace, failures), abort)
      }
    }
  }

  const say = async (task: ChannelTask, action: SayAction, words: SayAction['waits']): Promise<Result<null, Fault>> => {
    // It was never said, so it was never acknowledged: the channel will bring its words again.
    if (words === undefined) return task.at < clock() - FORGOTTEN_MS ? store.keep({ ...task, isDone: true }) : ok(null)
    const { text, files } = words
    if (isBusy(task, action.session)) {
      const kept = action.waits === undefined ? await advance(task, { ...action, waits: { text, files } }) : ok(null)
      return kept.ok ? ok(null) : kept
    }
    const { place, update } = task
    const opened = action.isFresh ? await bindings.openAt(place, action.session) : ok(null)
    if (!opened.ok) return opened.fault.retryable ? opened : refuse(task, opened.fault)
    const parts = await fetchParts(adapter, files)
    if (!parts.ok) return mayComeLater(update, parts.fault) ? parts : refuse(task, parts.fault)
    tries.delete(update)
    const said = await engine.say({
      session: action.session,
      text: withoutMention(text, username),
      ...(parts.value.length === 0 ? {} : { parts: parts.value }),
      from: 'person',
      key: `${adapter.name}:${update}`,
    })
    if (!said.ok && said.fault.kind === 'not-found' && !(await engine.session(action.session)).ok)
      return sayInstead(task, { text, files })
    if (!said.ok) return said.fault.retryable ? said : refuse(task, said.fault)
    const { waits: _, ...rest } = action
    const { seq, head, turns } = said.value
    const next = await advance(task, { ...rest, seq, head, isAnswered: turns.length > 0 })
    return next.ok ? follow(next.value, action) : next
  }

  /** Says it in another session, because its own was deleted in between. */
  const sayInstead = async (task: ChannelTask, waits: NonNullable<SayAction['waits']>): Promise<Result<null, Fault>> => {
    const now = await bindings.sessionAt(task.place)
    if (!now.ok) return now
    const isFresh = now.value === undefined
    const session = now.value?.id ?? engine.mintSession()
    const action: SayAction = { kind: 'say', session, isFresh, isInstead: isFresh, waits }
    const again = await advance(task, action)
    return again.ok ? say(again.value, action, waits) : again
  }

  const tries = new Map<string, number>()
  /** A gateway that stops says nothing about a file; trouble of the network may pass, but is waited for only so often. */
  const mayComeLater = (update: string, { kind, retryable }: Fault): boolean => {
    if (kind === 'cancelled') return true
    const count = (tries.get(update) ?? 0) + 1
    tries.set(update, count)
    return retryable && count < MOST_TRIES
  }

  const resume = async (task: ChannelTask, action: Extract<Action, { kind: 'resume' }>): Promise<Result<null, Fault>> => {
    if (action.turns !== undefined) return follow(task, action)
    // Turns that began after the task was written down come from an earlier try.
    const begun = await engine.read(action.session, { after: action.head, only: 'turn.started' })
    if (!begun.ok) return begun.fault.retryable ? begun : refuse(task, begun.fault)
    const before = begun.value.flatMap(event => (event.type === 'turn.started' ? [event.turn] : []))
    const turns = before.length > 0 ? ok(before) : await engine.resume(action.session)
    if (!turns.ok) return turns.fault.retryable ? turns : refuse(task, turns.fault)
    const next = await advance(task, { ...action, turns: turns.value })
    return next.ok ? follow(next.value, action) : next
  }

  /** Has a summary made and says when it is there. Messages do not wait for it. */
  const fold = async (task: ChannelTask, action: FoldAction): Promise<Result<null, Fault>> => {
    const { session, head, voice } = action
    if (action.turn !== undefined) return awaitFold(task, action, { turn: action.turn })
    // A turn that began after the task was written down comes from an earlier try.
    const started = await engine.read(session, { after: head, only: 'turn.started' })
    if (!started.ok) return started.fault.retryable ? started : refuse(task, started.fault)
    const before = started.value.find(event => event.type === 'turn.started' && event.fold?.asked === true)
    const begun =
      before?.type === 'turn.started'
        ? ok({ turn: before.turn })
        : await engine.fold(session, voice === undefined ? {} : { voice })
    if (!begun.ok) return begun.fault.retryable ? begun : refuse(task, begun.fault)
    const { turn } = begun.value
    const next = turn === undefined ? ok(task) : await advance(task, { ...action, turn })
    return next.ok ? awaitFold(next.value, action, begun.value) : next
  }

  const awaitFold = (task: ChannelTask, { session, head }: FoldAction, begun: FoldBegun): Result<null, Fault> => {
    deliveries.showLater(
      task,
      foldMade(engine, session, begun, head, abort).then(made => plain(made.ok ? foldMadeWords(made.value) : made.fault.message)),
    )
    return ok(null)
  }

  /** Says why it cannot be done; the store keeps only the kind of the reason. */
  const refuse = async (task: ChannelTask, fault: Fault): Promise<Result<null, Fault>> => {
    const next = await advance(task, { kind: 'command', command: 'refused', argument: fault.kind, isDid: true })
    if (!next.ok) return next
    deliveries.show(next.value, plain(fault.message))
    return ok(null)
  }

  return {
    take: async written => {
      const known = store.task(written.update)
      if (known !== undefined) return known.isDone || deliveries.isUnderWay(known) ? ok(null) : perform(known, written)
      const action = await actionFor(written)
      if (!action.ok) return action
      if (action.value === undefined) return ok(null)
      const task = await begin(written, action.value)
      return task.ok ? perform(task.value, written) : task
    },
    continueTask: task => perform(task, undefined),
    reply: async (written, command) => {
      const known = store.task(written.update)
      if (known !== undefined) return known.isDone ? ok(null) : perform(known, written)
      const task = await begin(written, { kind: 'command', command, argument: '', isDid: true })
      return task.ok ? perform(task.value, written) : task
    },
  }
}

const doesWait = ({ task }: ChannelTask): boolean => task.kind === 'say' && task.waits !== undefined
/** A message that began no turn may never be answered, so no other message waits for it. */
const isAnswered = ({ task }: ChannelTask): boolean => task.kind !== 'say' || task.isAnswered === true
