/** Keeps chats up to date: sends, edits and removes messages until every post shows its newest content. */
import type { Fault } from '../../model/fault.ts'
import type { Result } from '../../model/result.ts'
import type { ChannelAdapter, Place, SendOptions } from './adapter.ts'
import { backoff, pauseUnlessAborted } from './pace.ts'
import type { RichText } from './text/rich-text.ts'

/** What a post says now: one message for each piece. The last message has the buttons. */
export type PostContent = {
  readonly pieces: readonly RichText[]
  readonly buttons?: SendOptions['buttons']
  /** It will not change any more. */
  readonly isFinal: boolean
}

/** Something that a chat shows. The outbox asks for its content only when there is time to show it. */
export type Post = {
  readonly place: Place
  readonly replyTo: string
  /** Messages that show it already, sent before a restart. */
  readonly sent: readonly string[]
  readonly content: () => Promise<PostContent>
  /** Gets all messages of the post right after one was sent or removed, to write them down. */
  readonly onSent: (messages: readonly string[]) => Promise<unknown>
}

/** A post that the outbox has taken. */
export type OutboxPost = {
  /** Its content has changed. */
  readonly changed: () => void
  readonly isSeen: () => boolean
  /** Done when the chat shows its final content, or refuses it. */
  readonly settled: Promise<void>
}

export type Outbox = {
  readonly post: (post: Post) => OutboxPost
  readonly typing: (place: Place) => void
  /** Shows only final content from now on; done when no final content waits and no call is under way. */
  readonly close: () => Promise<void>
}

export type OutboxOptions = {
  readonly adapter: Pick<ChannelAdapter, 'send' | 'edit' | 'remove' | 'typing' | 'pace'>
  readonly abort: AbortSignal
  readonly onTrouble: (fault: Fault, place: Place) => void
  readonly onBug: (cause: unknown) => void
}

type OpenPost = {
  readonly post: Post
  readonly messages: string[]
  /** What each message shows; unknown of those sent before a restart. */
  readonly shown: string[]
  /** Messages that the channel refuses to edit, by index; their final content is sent as a new message instead. */
  readonly fixed: Set<number>
  readonly settle: () => void
  content: PostContent | undefined
  isChanged: boolean
  since: number
  last: number
}

/** Faults that another try would not change. This includes a call that the server does not know. */
const REFUSALS: ReadonlySet<Fault['kind']> = new Set(['rejected', 'denied', 'not-found'])

type Call =
  | {
      readonly kind: 'send' | 'edit'
      readonly index: number
      readonly text: RichText
      readonly sending: SendOptions
      /** Tells whether a message shows this already. */
      readonly mark: string
    }
  | { readonly kind: 'remove'; readonly index: number }

type Due = { readonly open: OpenPost; readonly call: Call; readonly dueAt: number }

/**
 * One call at a time for each chat, at the channel's pace; what changed between two calls is shown with the next. An edit can be made
 * twice and changes nothing. What was sent is written down before the next call.
 */
export function createOutbox({ adapter, abort, onTrouble, onBug }: OutboxOptions): Outbox {
  const { pace } = adapter
  const lanes = new Map<string, ReturnType<typeof createLane>>()
  let isClosing = false
  const laneOf = (chat: string): ReturnType<typeof createLane> => {
    const lane = lanes.get(chat) ?? createLane(chat)
    lanes.set(chat, lane)
    return lane
  }
  return {
    post: post => laneOf(post.place.chat).post(post),
    typing: place => laneOf(place.chat).typing(place),
    close: async () => {
      isClosing = true
      await Promise.all([...lanes.values()].map(lane => lane.reading()))
      await Promise.all([...lanes.values()].flatMap(lane => lane.unfinished()))
    },
  }

  function createLane(chat: string) {
    const openPosts = new Set<OpenPost>()
    const settled = new WeakMap<OpenPost, Promise<void>>()
    let readyAt = 0
    let failures = 0
    let isWorking = false
    let underWay: Promise<void> = Promise.resolve()
    let reading: Promise<unknown> = Promise.resolve()

    const work = async (): Promise<void> => {
      if (isWorking) return
      isWorking = true
      try {
        while (!abort.aborted) {
          const next = await earliest()
          // While one was read, another may have changed.
          if (next === undefined && [...openPosts].some(({ isChanged }) => isChanged)) continue
          if (next === undefined) return
          const waitMs = Math.max(next.dueAt, readyAt) - Date.now()
          // During the wait another call may become due earlier, or this one change.
          if (waitMs > 0) await pauseUnlessAborted(Math.min(waitMs, Math.max(pace.chatMs, readyAt - Date.now())), abort)
          else {
            underWay = perform(next.open, next.call)
            await underWay
          }
        }
      } finally {
        isWorking = false
      }
    }

    /** Of all calls that are needed, the one that has waited longest. */
    const earliest = async (): Promise<Due | undefined> => {
      let found: Due | undefined
      reading = Promise.all([...openPosts].map(readContent))
      await reading
      for (const open of [...openPosts]) {
        const call = nextCall(open)
        if (call === undefined) {
          if (open.content?.isFinal === true) finish(open)
          continue
        }
        if (isClosing && open.content?.isFinal !== true) continue
        // The first words wait a moment for more, so that a short answer is one message and its notification says something.
        const isFirst = open.messages.length === 0 && open.content?.isFinal !== true
        const dueAt = isFirst ? open.since + pace.chatMs : open.last
        if (found === undefined || dueAt < found.dueAt) found = { open, call, dueAt }
      }
      return found
    }

    const perform = async (open: OpenPost, call: Call): Promise<void> => {
      const { post, messages, shown, fixed } = open
      const before = messages[call.index]
      const done = await make(post, before ?? '', call)
      // A refused call counts too: the channel has seen it.
      readyAt = Date.now() + pace.restMs(chat)
      if (done.ok) {
        failures = 0
        open.last = Date.now()
        if (call.kind === 'remove') dropLast(open)
        else shown[call.index] = call.mark
        if (call.kind === 'send' && done.value !== null) messages[call.index] = done.value
        if (call.kind !== 'edit') await post.onSent([...messages])
        // Only now that the new message is written down. Where the old one cannot be removed, both stay.
        if (call.kind === 'send' && fixed.delete(call.index) && before !== undefined)
          adapter.remove(post.place, before).catch(onBug)
        return
      }
      const { fault } = done
      if (fault.kind === 'throttled') bePatient(fault)
      else if (REFUSALS.has(fault.kind)) giveUp(open, call, fault)
      else if (fault.kind !== 'cancelled') {
        failures += 1
        readyAt = Date.now() + backoff(pace, failures)
      }
    }

    const make = ({ place }: Post, message: string, call: Call): Promise<Result<string | null, Fault>> => {
      if (call.kind === 'remove') return adapter.remove(place, message)
      return call.kind === 'send'
        ? adapter.send(place, call.text, call.sending)
        : adapter.edit(place, message, call.text, call.sending)
    }

    const bePatient = ({ retryAfterMs = 0 }: Fault): void => {
      readyAt = Math.max(readyAt, Date.now() + Math.max(retryAfterMs, pace.chatMs))
    }

    /** A chat that takes no message gets no more of this post; a message that cannot be edited is sent anew at the end. */
    const giveUp = (open: OpenPost, call: Call, fault: Fault): void => {
      onTrouble(fault, open.post.place)
      if (call.kind === 'send') finish(open)
      else if (call.kind === 'remove') dropLast(open)
      else if (fault.kind === 'denied') open.shown[call.index] = call.mark
      else open.fixed.add(call.index)
    }

    const finish = (open: OpenPost): void => {
      openPosts.delete(open)
      open.settle()
    }

    return {
      post: (post: Post): OutboxPost => {
        const { promise, resolve } = Promise.withResolvers<void>()
        const open: OpenPost = {
          ...{ post, messages: [...post.sent], shown: [], fixed: new Set<number>(), settle: resolve },
          ...{ content: undefined, isChanged: true, since: Date.now(), last: 0 },
        }
        settled.set(open, promise)
        openPosts.add(open)
        work().catch(onBug)
        return {
          changed: () => {
            open.isChanged = true
            work().catch(onBug)
          },
          isSeen: () => open.messages.length > 0,
          settled: promise,
        }
      },
      typing: (place: Place): void => {
        if (Date.now() < readyAt) return
        adapter
          .typing(place)
          .then(done => (!done.ok && done.fault.kind === 'throttled' ? bePatient(done.fault) : undefined))
          .catch(onBug)
      },
      // Bugs in both are reported by `work`; closing only waits for them.
      reading: () => reading.catch(() => {}),
      unfinished: () => [
        underWay.catch(() => {}),
        ...[...openPosts].flatMap(open => (open.content?.isFinal === true ? [settled.get(open)] : [])),
      ],
    }
  }
}

function dropLast({ messages, shown }: OpenPost): void {
  messages.pop()
  shown.length = Math.min(shown.length, messages.length)
}

/** Asks for the content of a post, if it has changed. */
async function readContent(open: OpenPost): Promise<void> {
  if (!open.isChanged && open.content !== undefined) return
  // Before asking: a change that comes meanwhile must be read again.
  open.isChanged = false
  open.content = await open.post.content()
}

/** The next call that brings a post closer to its content, if one is needed. */
function nextCall({ post, messages, shown, fixed, content }: OpenPost): Call | undefined {
  if (content === undefined) return undefined
  const { pieces, buttons, isFinal } = content
  for (const [index, text] of pieces.entries()) {
    const isLast = index === pieces.length - 1
    const sending = { ...(index === 0 ? { replyTo: post.replyTo } : {}), ...(isLast && buttons !== undefined ? { buttons } : {}) }
    const mark = JSON.stringify([text, sending.buttons ?? []])
    const isFixed = fixed.has(index)
    if (messages[index] === undefined) return { kind: 'send', index, text, sending, mark }
    if (shown[index] === mark || (isFixed && !isFinal)) continue
    if (isFixed) return { kind: 'send', index, text, sending, mark }
    return { kind: 'edit', index, text, sending, mark }
  }
  // Content that is empty for now removes nothing: the messages that are there stay until there is more.
  return pieces.length > 0 && messages.length > pieces.length ? { kind: 'remove', index: messages.length - 1 } : undefined
}
