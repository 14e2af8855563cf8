import type { Fault } from '../../model/fault.ts'
import type { Result } from '../../model/result.ts'
import type { BotApi, Place, Sending } from './bot-api.ts'
import type { Formatted } from './format/formatted.ts'
import { backoff, type Pace, pause } from './pace.ts'

/** What a post is to look like now: one message for each piece, the last of them with the buttons. */
export type Look = {
  readonly pieces: readonly Formatted[]
  readonly buttons?: Sending['buttons']
  /** Nothing of it will change any more. */
  readonly isFinal: boolean
}

/** Something to be seen in a chat. How it looks is asked only when there is time to show it, and may take a while to say. */
export type Post = {
  readonly place: Place
  readonly replyTo: number
  /** Messages that show it already, from an earlier life. */
  readonly sent: readonly number[]
  readonly look: () => Look | Promise<Look>
  /** Told of every message right after it was sent, or taken away. */
  readonly onSent: (messages: readonly number[]) => Promise<unknown>
}

/** A post that is being seen to. */
export type Carried = {
  /** It looks different now. */
  readonly touch: () => void
  readonly isSeen: () => boolean
  /** Done when its final look is in the chat, or cannot be brought there. */
  readonly settled: Promise<void>
}

/**
 * Brings chats to look as they should: one call at a time for each chat, at the pace that Telegram allows, whatever happened in
 * between being shown at once. An edit can be made twice and changes nothing; what is sent is written down before anything else is.
 */
export type Courier = {
  readonly carry: (post: Post) => Carried
  readonly typing: (place: Place) => void
  /** Begins nothing any more that is not final; done when nothing final waits and nothing is under way. */
  readonly close: () => Promise<void>
}

export type CourierOptions = {
  readonly api: Pick<BotApi, 'send' | 'edit' | 'remove' | 'typing'>
  readonly pace: Pace
  readonly abort: AbortSignal
  readonly onTrouble: (fault: Fault, place: Place) => void
  readonly onBug: (cause: unknown) => void
}

type Standing = {
  readonly post: Post
  readonly messages: number[]
  /** What each message shows; of an earlier life nobody knows. */
  readonly shown: string[]
  /** Messages that Telegram does not let us change any more, by their place; the last look is sent anew in their stead. */
  readonly fixed: Set<number>
  readonly settle: () => void
  look: Look | undefined
  isTouched: boolean
  since: number
  last: number
}

/** What no second try would change. A call that the server does not know counts too: who does not know the bot says so elsewhere. */
const REFUSALS: ReadonlySet<Fault['kind']> = new Set(['rejected', 'denied', 'not-found'])

type Deed =
  | {
      readonly kind: 'send' | 'edit'
      readonly index: number
      readonly what: Formatted
      readonly sending: Sending
      readonly mark: string
    }
  | { readonly kind: 'remove'; readonly index: number }

type Due = { readonly standing: Standing; readonly deed: Deed; readonly dueAt: number }

export function createCourier({ api, pace, abort, onTrouble, onBug }: CourierOptions): Courier {
  const lanes = new Map<number, ReturnType<typeof createLane>>()
  let isClosing = false
  const laneOf = (chat: number): ReturnType<typeof createLane> => {
    const lane = lanes.get(chat) ?? createLane(chat)
    lanes.set(chat, lane)
    return lane
  }
  return {
    carry: post => laneOf(post.place.chat).carry(post),
    typing: place => laneOf(place.chat).typing(place),
    close: async () => {
      isClosing = true
      await Promise.all([...lanes.values()].map(lane => lane.looking()))
      await Promise.all([...lanes.values()].flatMap(lane => lane.unfinished()))
    },
  }

  function createLane(chat: number) {
    const standings = new Set<Standing>()
    const settled = new WeakMap<Standing, Promise<void>>()
    let readyAt = 0
    let failures = 0
    let isWorking = false
    let underWay: Promise<void> = Promise.resolve()
    let looking: Promise<unknown> = Promise.resolve()

    const work = async (): Promise<void> => {
      if (isWorking) return
      isWorking = true
      try {
        while (!abort.aborted) {
          const next = await earliest()
          // While one was looked at, another may have changed.
          if (next === undefined && [...standings].some(({ isTouched }) => isTouched)) continue
          if (next === undefined) return
          const waitMs = Math.max(next.dueAt, readyAt) - Date.now()
          // While it waits something may be due earlier, or look different.
          if (waitMs > 0) await pause(Math.min(waitMs, Math.max(pace.chatMs, readyAt - Date.now())), abort)
          else {
            underWay = perform(next.standing, next.deed)
            await underWay
          }
        }
      } finally {
        isWorking = false
      }
    }

    /** Of everything that is not as it should be, what has waited longest. */
    const earliest = async (): Promise<Due | undefined> => {
      let found: Due | undefined
      looking = Promise.all([...standings].map(lookAt))
      await looking
      for (const standing of [...standings]) {
        const deed = deedOf(standing)
        if (deed === undefined) {
          if (standing.look?.isFinal === true) finish(standing)
          continue
        }
        if (isClosing && standing.look?.isFinal !== true) continue
        // The first words wait a moment for more, so that a short answer is one message and its notification says something.
        const isFirst = standing.messages.length === 0 && standing.look?.isFinal !== true
        const dueAt = isFirst ? standing.since + pace.chatMs : standing.last
        if (found === undefined || dueAt < found.dueAt) found = { standing, deed, dueAt }
      }
      return found
    }

    const perform = async (standing: Standing, deed: Deed): Promise<void> => {
      const { post, messages, shown, fixed } = standing
      const before = messages[deed.index]
      const done = await call(post, before ?? 0, deed)
      // Also a call that is refused is one that Telegram counts.
      readyAt = Date.now() + (chat < 0 ? pace.groupMs : pace.chatMs)
      if (done.ok) {
        failures = 0
        standing.last = Date.now()
        if (deed.kind === 'remove') takeAway(standing)
        else shown[deed.index] = deed.mark
        if (deed.kind === 'send' && done.value !== null) messages[deed.index] = done.value
        if (deed.kind !== 'edit') await post.onSent([...messages])
        // Only now that the other is written down; where this one cannot be taken away, both stay.
        if (deed.kind === 'send' && fixed.delete(deed.index) && before !== undefined) api.remove(post.place, before).catch(onBug)
        return
      }
      const { fault } = done
      if (fault.kind === 'throttled') bePatient(fault)
      else if (REFUSALS.has(fault.kind)) giveUp(standing, deed, fault)
      else if (fault.kind !== 'cancelled') {
        failures += 1
        readyAt = Date.now() + backoff(pace, failures)
      }
    }

    const call = (post: Post, message: number, deed: Deed): Promise<Result<number | null, Fault>> => {
      if (deed.kind === 'remove') return api.remove(post.place, message)
      return deed.kind === 'send'
        ? api.send(post.place, deed.what, deed.sending)
        : api.edit(post.place, message, deed.what, deed.sending)
    }

    const bePatient = ({ retryAfterMs = 0 }: Fault): void => {
      readyAt = Math.max(readyAt, Date.now() + Math.max(retryAfterMs, pace.chatMs))
    }

    /** A message that a person deleted stays deleted; a chat that takes nothing is left alone. */
    const giveUp = (standing: Standing, deed: Deed, fault: Fault): void => {
      const isDeleted = /not found|MESSAGE_ID_INVALID/i.test(fault.message)
      if (!isDeleted || deed.kind === 'send') onTrouble(fault, standing.post.place)
      if (deed.kind === 'send') finish(standing)
      else if (deed.kind === 'remove') takeAway(standing)
      else if (fault.kind === 'denied' || isDeleted) standing.shown[deed.index] = deed.mark
      else standing.fixed.add(deed.index)
    }

    const finish = (standing: Standing): void => {
      standings.delete(standing)
      standing.settle()
    }

    return {
      carry: (post: Post): Carried => {
        const { promise, resolve } = Promise.withResolvers<void>()
        const standing: Standing = {
          ...{ post, messages: [...post.sent], shown: [], fixed: new Set<number>(), settle: resolve },
          ...{ look: undefined, isTouched: true, since: Date.now(), last: 0 },
        }
        settled.set(standing, promise)
        standings.add(standing)
        work().catch(onBug)
        return {
          touch: () => {
            standing.isTouched = true
            work().catch(onBug)
          },
          isSeen: () => standing.messages.length > 0,
          settled: promise,
        }
      },
      typing: (place: Place): void => {
        if (Date.now() < readyAt) return
        api
          .typing(place)
          .then(done => (!done.ok && done.fault.kind === 'throttled' ? bePatient(done.fault) : undefined))
          .catch(onBug)
      },
      looking: () => looking.catch(() => {}),
      unfinished: () => [
        underWay,
        ...[...standings].flatMap(standing => (standing.look?.isFinal === true ? [settled.get(standing)] : [])),
      ],
    }
  }
}

function takeAway({ messages, shown }: Standing): void {
  messages.pop()
  shown.length = Math.min(shown.length, messages.length)
}

/** Asks how a post is to look now, if that has changed. */
async function lookAt(standing: Standing): Promise<void> {
  if (!standing.isTouched && standing.look !== undefined) return
  // Before it is asked: what changes meanwhile is a change again.
  standing.isTouched = false
  standing.look = await standing.post.look()
}

/** The next thing that is not as it should be, if there is one. */
function deedOf(standing: Standing): Deed | undefined {
  const { post, messages, shown, fixed } = standing
  if (standing.look === undefined) return undefined
  const { pieces, buttons, isFinal } = standing.look
  for (const [index, what] of pieces.entries()) {
    const isLast = index === pieces.length - 1
    const sending = { ...(index === 0 ? { replyTo: post.replyTo } : {}), ...(isLast && buttons !== undefined ? { buttons } : {}) }
    const mark = JSON.stringify([what, sending.buttons ?? []])
    const isFixed = fixed.has(index)
    if (messages[index] === undefined) return { kind: 'send', index, what, sending, mark }
    if (shown[index] === mark || (isFixed && !isFinal)) continue
    if (isFixed) return { kind: 'send', index, what, sending, mark }
    return { kind: 'edit', index, what, sending, mark }
  }
  // As long as nothing is to be seen at all, what was seen stays.
  return pieces.length > 0 && messages.length > pieces.length ? { kind: 'remove', index: messages.length - 1 } : undefined
}
