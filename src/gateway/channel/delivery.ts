/** Shows the answer to a task in its chat: follows the session and posts every turn, until it does not change any more. */
import type { Engine, Signal } from '../../engine.ts'
import type { Event } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { isInternalVoice } from '../../model/settings/council.ts'
import { threadOf } from '../../turn/schedule/message-thread.ts'
import type { ChannelAdapter } from './adapter.ts'
import { type AnswerOptions, createAnswer, type SessionPosts } from './answer.ts'
import type { ChannelStore, ChannelTask } from './channel-store.ts'
import type { Outbox, OutboxPost, PostContent } from './outbox.ts'
import { backoff, pauseUnlessAborted } from './pace.ts'
import { plain, type RichText } from './text/rich-text.ts'

export type Deliveries = {
  /** Follows the session of a task and shows its answer. Asked again for a task that is under way, it does nothing. */
  readonly follow: (task: ChannelTask, onOver: () => void) => void
  readonly isUnderWay: (task: ChannelTask) => boolean
  /** Under way, and not waiting for a person. */
  readonly isAnswering: (task: ChannelTask) => boolean
  /** Shows a text of the layer itself, which is the whole answer. */
  readonly show: (task: ChannelTask, text: RichText) => void
  /** Shows such a text once it is known. */
  readonly showLater: (task: ChannelTask, text: Promise<RichText>) => void
}

export type DeliveriesOptions = {
  readonly engine: Engine
  readonly adapter: Pick<ChannelAdapter, 'format' | 'pace'>
  readonly outbox: Outbox
  readonly store: ChannelStore
  readonly abort: AbortSignal
  readonly onBug: (cause: unknown) => void
}

/** Which signals of a session belong to a task, and when there will be no more. */
type Story = {
  readonly session: SessionId
  readonly after: number
  readonly isOwn: AnswerOptions['isOwn']
  readonly hear: (signal: Signal) => boolean
  readonly isOver: () => boolean
}

/** Everything of one task that its chat shows. */
type TaskPosts = {
  readonly show: (key: string, content: () => Promise<PostContent>) => void
  readonly isSeen: () => boolean
  /** Leaves every post as it is, without its buttons. */
  readonly end: () => void
  readonly settled: () => Promise<void>
}

const GONE = plain('The session that was answering here was deleted.')
const INSTEAD = plain('The session that was here is gone; this is a fresh one.')

export function createDeliveries({ engine, adapter, outbox, store, abort, onBug }: DeliveriesOptions): Deliveries {
  const { format, pace } = adapter
  const begun = new Map<string, { answer?: SessionPosts }>()
  const closed = new Promise<void>(resolve => abort.addEventListener('abort', () => resolve(), { once: true }))

  const once = (task: ChannelTask, deliver: (posts: TaskPosts) => Promise<void>, onOver = (): void => {}): void => {
    if (begun.has(task.update)) return
    begun.set(task.update, {})
    const posts = postsOf(task)
    deliver(posts)
      .then(posts.settled)
      .then(() => (abort.aborted ? undefined : finish(task.update)))
      .catch(onBug)
      .finally(() => {
        begun.delete(task.update)
        onOver()
      })
  }
  const finish = async (update: string): Promise<void> => {
    const task = store.task(update)
    if (task !== undefined) await store.keep({ ...task, isDone: true })
  }

  const finalText = (text: RichText) => async (): Promise<PostContent> => ({ pieces: await format.text(text), isFinal: true })

  const postsOf = ({ update, place, message }: ChannelTask): TaskPosts => {
    const posts = new Map<string, { content: () => Promise<PostContent>; readonly post: OutboxPost }>()
    return {
      show: (key, content) => {
        const known = posts.get(key)
        if (known !== undefined) {
          known.content = content
          known.post.changed()
          return
        }
        const current = { content }
        const post = outbox.post({
          ...{ place, replyTo: message, sent: store.task(update)?.posts[key] ?? [] },
          content: () => current.content(),
          onSent: messages => {
            const task = store.task(update)
            return task === undefined
              ? Promise.resolve()
              : store.keep({ ...task, posts: { ...task.posts, [key]: [...messages] } })
          },
        })
        posts.set(key, Object.assign(current, { post }))
      },
      isSeen: () => [...posts.values()].some(({ post }) => post.isSeen()),
      end: () => {
        for (const each of posts.values()) {
          const { content, post } = each
          each.content = async () => ({ pieces: (await content()).pieces, isFinal: true })
          post.changed()
        }
      },
      settled: async () => {
        await Promise.race([closed, Promise.all([...posts.values()].map(({ post }) => post.settled))])
      },
    }
  }

  const followed = async (task: ChannelTask, { show, isSeen, end }: TaskPosts): Promise<void> => {
    if (task.task.kind === 'say' && task.task.isInstead) show('instead', finalText(INSTEAD))
    for (let failures = 0; !abort.aborted; ) {
      const story = storyOf(task)
      if (story === undefined) return
      const session = await engine.session(story.session)
      const fault = session.ok ? await hearOut(story, session.value.council !== null, task, { show, isSeen }) : session.fault
      if (fault === undefined) return
      if (fault.kind === 'not-found') {
        end()
        return show('gone', finalText(GONE))
      }
      failures += 1
      await pauseUnlessAborted(backoff(pace, failures), abort)
    }
  }

  /** Reads the story from its beginning, also after a failure: posts that are shown already are only compared. */
  const hearOut = async (
    story: Story,
    isNamed: boolean,
    { place, update }: ChannelTask,
    { show, isSeen }: Pick<TaskPosts, 'show' | 'isSeen'>,
  ): Promise<Fault | undefined> => {
    const answer = createAnswer({ format, isOwn: story.isOwn, isNamed, show })
    begun.set(update, { answer })
    const type = (): void => {
      if (!isSeen() && !answer.isWaiting()) outbox.typing(place)
    }
    const typing = setInterval(type, pace.typingMs)
    const stop = new AbortController()
    try {
      type()
      for await (const signal of engine.follow(story.session, story.after, AbortSignal.any([abort, stop.signal]))) {
        if (signal.type === 'fault') return signal.fault
        if (story.hear(signal)) answer.hear(signal)
        if (story.isOver()) return undefined
      }
      return undefined
    } finally {
      clearInterval(typing)
      stop.abort()
    }
  }

  return {
    isUnderWay: ({ update }) => begun.has(update),
    isAnswering: ({ update }) => begun.has(update) && begun.get(update)?.answer?.isWaiting() !== true,
    follow: (task, onOver) => once(task, posts => followed(task, posts), onOver),
    show: (task, text) => once(task, async ({ show }) => show('words', finalText(text))),
    showLater: (task, text) =>
      once(task, async ({ show }) => {
        const words = await Promise.race([text, closed])
        if (words !== undefined) show('words', finalText(words))
      }),
  }
}

function storyOf({ task }: ChannelTask): Story | undefined {
  if (task.kind === 'say' && task.seq !== undefined) {
    const { session, seq, head } = task
    const thread = threadOf(seq, head)
    return {
      ...{ session, after: seq - 1, hear: thread.belongs, isOver: thread.over },
      // A turn that only read this message too is shown under the message that caused it, and a resumed one under its /resume.
      isOwn: ({ cause, voice, resumes }) => cause === seq && !isInternalVoice(voice) && resumes === undefined,
    }
  }
  if (task.kind !== 'resume' || task.turns === undefined) return undefined
  const { session, head, turns } = task
  const open = new Set<string>(turns)
  return {
    ...{ session, after: head },
    isOwn: ({ turn }) => turns.includes(turn),
    hear: signal => {
      if (signal.type === 'event' && isEnd(signal.event)) open.delete(signal.event.turn)
      return true
    },
    isOver: () => open.size === 0,
  }
}

const isEnd = (event: { readonly type: string }): event is Extract<Event, { type: 'turn.ended' }> => event.type === 'turn.ended'
