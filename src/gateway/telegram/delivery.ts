import type { Engine, Signal } from '../../engine.ts'
import type { Event } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { TITLE } from '../../model/settings/council.ts'
import { threadOf } from '../../turn/schedule/message-thread.ts'
import { type Answer, type AnswerOptions, createAnswer } from './answer.ts'
import type { Errand, Notebook } from './channel-store.ts'
import { type Formatted, plain } from './format/formatted.ts'
import { pieces } from './format/split.ts'
import type { Carried, Courier, Look } from './outbox.ts'
import { backoff, type Pace, pause } from './pace.ts'

/** Sees errands through: what is said in a session is shown in its chat, until nothing of it changes any more. */
export type Deliveries = {
  /** Follows the session of an errand from its place; once for each errand, however often it is asked for. */
  readonly follow: (errand: Errand, onOver: () => void) => void
  readonly isUnderWay: (errand: Errand) => boolean
  /** Under way, and not because a person is waited for. */
  readonly isAnswering: (errand: Errand) => boolean
  /** Shows a few words of the door itself, which are all there is to say. */
  readonly tell: (errand: Errand, words: Formatted) => void
}

export type DeliveriesOptions = {
  readonly engine: Engine
  readonly courier: Courier
  readonly notebook: Notebook
  readonly pace: Pace
  readonly abort: AbortSignal
  readonly onBug: (cause: unknown) => void
}

/** Which signals are of an errand, and when there will be no more of them. */
type Story = {
  readonly session: SessionId
  readonly after: number
  readonly isOwn: AnswerOptions['isOwn']
  readonly hear: (signal: Signal) => boolean
  readonly isOver: () => boolean
}

const GONE = plain('The session that was answering here was deleted.')
const INSTEAD = plain('The session that was here is gone; this is a fresh one.')

export function createDeliveries({ engine, courier, notebook, pace, abort, onBug }: DeliveriesOptions): Deliveries {
  const begun = new Map<number, { answer?: Answer }>()
  const closed = new Promise<void>(resolve => abort.addEventListener('abort', () => resolve(), { once: true }))

  const once = (
    errand: Errand,
    deliver: (hands: ReturnType<typeof handsFor>) => Promise<void>,
    onOver = (): void => {},
  ): void => {
    if (begun.has(errand.update)) return
    begun.set(errand.update, {})
    const hands = handsFor(errand)
    deliver(hands)
      .then(hands.settled)
      .then(() => (abort.aborted ? undefined : finish(errand.update)))
      .catch(onBug)
      .finally(() => {
        begun.delete(errand.update)
        onOver()
      })
  }
  const finish = async (update: number): Promise<void> => {
    const errand = notebook.errand(update)
    if (errand !== undefined) await notebook.keep({ ...errand, isDone: true })
  }

  /** Everything of one errand that is to be seen. */
  const handsFor = ({ update, place, message }: Errand) => {
    const posts = new Map<string, { look: () => Look | Promise<Look>; readonly carried: Carried }>()
    return {
      show: (key: string, look: () => Look | Promise<Look>): void => {
        const known = posts.get(key)
        if (known !== undefined) {
          known.look = look
          known.carried.touch()
          return
        }
        const post = { look }
        const carried = courier.carry({
          ...{ place, replyTo: message, sent: notebook.errand(update)?.posts[key] ?? [] },
          look: () => post.look(),
          onSent: messages => {
            const errand = notebook.errand(update)
            return errand === undefined
              ? Promise.resolve()
              : notebook.keep({ ...errand, posts: { ...errand.posts, [key]: [...messages] } })
          },
        })
        posts.set(key, Object.assign(post, { carried }))
      },
      isSeen: (): boolean => [...posts.values()].some(({ carried }) => carried.isSeen()),
      /** Whatever there is stays as it is, without its buttons. */
      end: (): void => {
        for (const post of posts.values()) {
          const { look, carried } = post
          post.look = async () => ({ pieces: (await look()).pieces, isFinal: true })
          carried.touch()
        }
      },
      settled: async (): Promise<void> => {
        await Promise.race([closed, Promise.all([...posts.values()].map(({ carried }) => carried.settled))])
      },
    }
  }

  const followed = async (errand: Errand, { show, isSeen, end }: ReturnType<typeof handsFor>): Promise<void> => {
    if (errand.task.kind === 'say' && errand.task.isInstead) show('instead', words(INSTEAD))
    for (let failures = 0; !abort.aborted; ) {
      const story = storyOf(errand)
      if (story === undefined) return
      const session = await engine.session(story.session)
      const fault = session.ok ? await hearOut(story, session.value.council !== null, errand, { show, isSeen }) : session.fault
      if (fault === undefined) return
      if (fault.kind === 'not-found') {
        end()
        return show('gone', words(GONE))
      }
      failures += 1
      await pause(backoff(pace, failures), abort)
    }
  }

  /** Everything from the beginning, again if need be: what is shown already is only compared. */
  const hearOut = async (
    story: Story,
    isNamed: boolean,
    { place, update }: Errand,
    { show, isSeen }: Pick<ReturnType<typeof handsFor>, 'show' | 'isSeen'>,
  ): Promise<Fault | undefined> => {
    const answer = createAnswer({ isOwn: story.isOwn, isNamed, show })
    begun.set(update, { answer })
    const type = (): void => {
      if (!isSeen() && !answer.isWaiting()) courier.typing(place)
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
    follow: (errand, onOver) => once(errand, hands => followed(errand, hands), onOver),
    tell: (errand, formatted) => once(errand, async ({ show }) => show('words', words(formatted))),
  }
}

const words =
  (formatted: Formatted): (() => Look) =>
  () => ({ pieces: pieces(formatted), isFinal: true })

function storyOf({ task }: Errand): Story | undefined {
  if (task.kind === 'say' && task.seq !== undefined) {
    const { session, seq, head } = task
    const thread = threadOf(seq, head)
    return {
      ...{ session, after: seq - 1, hear: thread.belongs, isOver: thread.over },
      // A turn that also heard it answers the message that caused it, and one that is resumed answers whoever asked for that.
      isOwn: ({ cause, voice, resumes }) => cause === seq && voice !== TITLE && resumes === undefined,
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
