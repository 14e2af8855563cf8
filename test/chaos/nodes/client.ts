/** Someone who has the whole conversation with the nodes, each word and each click on any of them. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Data } from '../../gateway/http/frames.ts'
import { answering, type Message, type SessionName } from '../conversation.ts'
import { WISHES } from '../house.ts'
import { openTurns } from '../person.ts'
import { type Asking, createAsking } from './asking.ts'
import { type Follower, startFollower } from './follower.ts'
import { NODES_SCRIPT, STOPPED, type Ticket, withTicket } from './script.ts'

/** What became of one session of a conversation. */
export type Talked = {
  readonly ticket: Ticket
  readonly session: string
  /** The messages that a node has acknowledged. */
  readonly acknowledged: readonly { readonly key: string; readonly seq: number }[]
  readonly heard: readonly Data[]
  /** How many replies were heard word by word, and compared with what was written down of them. */
  readonly compared: number
  readonly hops: number
  /** From the acknowledgement of each message to the end of its last turn. */
  readonly answeredMs: readonly number[]
  readonly faults: readonly string[]
}

export type TalkOptions = {
  readonly ticket: Ticket
  readonly urls: readonly string[]
  readonly next: () => number
  readonly signal: AbortSignal
  /** Nobody interferes: each summary is waited for, so that there are as many of them in every run. */
  readonly isUndisturbed: boolean
}

const NAMES: readonly SessionName[] = ['agent', 'council', 'told']

/** Has one conversation in three sessions side by side. */
export const talk = (options: TalkOptions): Promise<readonly Talked[]> => Promise.all(NAMES.map(name => talkIn(name, options)))

async function talkIn(name: SessionName, { ticket, urls, next, signal, isUndisturbed }: TalkOptions): Promise<Talked> {
  const asking = createAsking(urls, next, signal)
  const acknowledged: { key: string; seq: number }[] = []
  const answeredMs: number[] = []
  const faults: string[] = []
  let follower: Follower | undefined
  let path = ''
  try {
    const opened = await asking.insist('POST', '/api/sessions', { body: WISHES[name] }, [201])
    path = `/api/sessions/${opened.value.id}`
    follower = startFollower({ pick: asking.pick, path, next })
    for (const message of NODES_SCRIPT.messages.filter(({ session }) => session === name)) {
      acknowledged.push({ key: message.key, seq: await say(asking, path, message, ticket, next) })
      const from = performance.now()
      await untilAnswered(message, { asking, path, follower, next, signal })
      if (isUndisturbed) await untilFolded(message, follower, signal)
      answeredMs.push(performance.now() - from)
    }
  } catch (cause) {
    const last = follower?.hearing.events.at(-1)
    faults.push(
      `${ticket} ${name} ${path}, heard up to ${last?.seq ?? 0} ${last?.type ?? ''}: ${cause instanceof Error ? cause.message : String(cause)}`,
    )
  }
  await follower?.stop()
  const { events = [], faults: misheard = [] } = follower?.hearing ?? {}
  return {
    ...{ ticket, acknowledged, heard: events, answeredMs },
    compared: follower?.hearing.compared() ?? 0,
    hops: follower?.hops() ?? 0,
    session: path.slice(path.lastIndexOf('/') + 1),
    faults: [...faults, ...misheard.map(words => `${ticket} ${name} ${path}: ${words}`)],
  }
}

/** How often the same message is sent to two nodes at once. */
const TWICE = 0.25

async function say(asking: Asking, path: string, message: Message, ticket: Ticket, next: () => number): Promise<number> {
  const { key, text, to } = message
  const body = { text: withTicket(text, ticket), ...(to === undefined ? {} : { to }) }
  const send = () => asking.insist('POST', `${path}/messages`, { body, headers: { 'idempotency-key': key } }, [202])
  const answers = await Promise.all(next() < TWICE ? [send(), send()] : [send()])
  const seqs = new Set(answers.map(({ value }) => value.seq as number))
  const [seq = 0] = seqs
  if (seqs.size > 1) throw new Error(`${key} was acknowledged as ${[...seqs].join(' and ')}`)
  return seq
}

type Waiting = {
  readonly asking: Asking
  readonly path: string
  readonly follower: Follower
  readonly next: () => number
  readonly signal: AbortSignal
}

const LOOK_AGAIN_MS = 500
const LATEST_STOP_MS = 200

/** Waits until all who are meant have answered, and meanwhile does what a person would do: allow, stop, go on. */
async function untilAnswered(message: Message, { asking, path, follower, next, signal }: Waiting): Promise<void> {
  const clicked = new Set<string>()
  const { events } = follower.hearing
  for (; !isOver(message, events); await follower.changed(LOOK_AGAIN_MS)) {
    signal.throwIfAborted()
    // Not found: the node that asked is gone, and what it asked was never kept.
    for (const approval of unanswered(events))
      if (!clicked.has(approval)) {
        clicked.add(approval)
        const { status } = await asking.insist(
          'POST',
          `/api/approvals/${approval}`,
          { body: { answer: 'once' } },
          [200, 404, 409],
        )
        if (status === 404) clicked.delete(approval)
      }
    const begun = message.key === STOPPED ? turnOf(message, events) : undefined
    if (begun !== undefined) {
      await pause(next() * LATEST_STOP_MS)
      // By name: a node that was paused may get to it when the conversation is further on.
      await asking.insist('POST', `${path}/cancel`, { body: { turn: begun } }, [200])
    }
    const left = openTurns(message, events, NODES_SCRIPT).find(({ turn }) => turn !== undefined)?.turn
    if (left !== undefined && message.key !== STOPPED && !clicked.has(left)) {
      clicked.add(left)
      await asking.insist('POST', `${path}/resume`, { body: { turn: left } }, [202, 409])
    }
  }
}

async function untilFolded({ folds = 0 }: Message, { hearing, changed }: Follower, signal: AbortSignal): Promise<void> {
  while (hearing.events.filter(({ type }) => type === 'history.folded').length < folds) {
    signal.throwIfAborted()
    await changed(LOOK_AGAIN_MS)
  }
}

function isOver(message: Message, events: readonly Data[]): boolean {
  const open = openTurns(message, events, NODES_SCRIPT)
  // What was stopped is over, however it ended.
  return message.key === STOPPED ? open.length === 0 || open.every(({ turn }) => turn !== undefined) : open.length === 0
}

/** The turn that answers a message; undefined before it has begun. */
function turnOf(message: Message, events: readonly Data[]): string | undefined {
  const cause = events.find(({ type, key }) => type === 'message.received' && key === message.key)?.seq
  const [voice] = answering(message, NODES_SCRIPT)
  return events.findLast(each => each.type === 'turn.started' && each.cause === cause && each.voice === voice)?.turn
}

const unanswered = (events: readonly Data[]): readonly string[] =>
  events
    .filter(({ type }) => type === 'approval.asked')
    .map(({ approval }) => approval as string)
    .filter(id => !events.some(({ type, approval }) => type === 'approval.answered' && approval === id))
