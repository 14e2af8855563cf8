/** Reads the messages that people pinned in other chats for this one. */
import { PERSON_NAME } from '../../context/recall/recall-block.ts'
import type { EventLog, KeptPin, Log } from '../../log/ports.ts'
import type { Recorded } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { isReply } from '../../model/message/spoken.ts'
import type { Material } from '../../model/plan.ts'
import type { RecallQuote } from '../../model/recall.ts'
import type { Receipt } from '../../model/receipt.ts'
import { ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import type { VoiceId } from '../../model/voice.ts'
import { excludedBy } from '../inspect/excluded-messages.ts'

/** Messages of other chats, with the events they are made of. */
export type PinnedElsewhere = NonNullable<Material['pinned']>

/** More pins than this are no help to a model. */
const MOST_PINS = 100

/** How the voices of a session are called. */
type NamesIn = (session: Session) => Readonly<Record<VoiceId, string>>

/** What is pinned for a session elsewhere; undefined if nothing is. */
export async function pinnedFor(
  log: Pick<Log, 'memory' | 'session' | 'read'>,
  id: SessionId,
  namesIn: NamesIn,
): Promise<Result<PinnedElsewhere | undefined, Fault>> {
  const pins = await log.memory.pinsFor(id, MOST_PINS)
  if (!pins.ok) return pins
  const found = await Promise.all(pins.value.map(pin => pinnedMessage(log, pin, namesIn)))
  const readable = found.flatMap(pin => pin ?? [])
  if (readable.length === 0) return ok(undefined)
  return ok({ quotes: readable.map(({ quote }) => quote), events: readable.flatMap(({ events }) => events) })
}

type PinnedMessage = { readonly quote: RecallQuote; readonly events: readonly Recorded[] }

/** Undefined if its chat has just been deleted, or nothing of it can be read: that costs no more than this pin. */
async function pinnedMessage(
  log: Pick<Log, 'session' | 'read'>,
  { session, target }: KeptPin,
  namesIn: NamesIn,
): Promise<PinnedMessage | undefined> {
  const [chat, found] = await Promise.all([log.session(session), log.read(session, { seqs: [target] })])
  const [event] = found.ok ? found.value : []
  if (!chat.ok || event === undefined) return undefined
  // A chat without a title is not named by its first message: that may be excluded.
  const source = { session, title: chat.value.title ?? '' }
  if (event.type === 'message.received') return { quote: { seqs: [target], author: PERSON_NAME, chat: source }, events: [event] }
  if (!isReply(event)) return undefined
  const [turn, marks] = await Promise.all([
    log.read(session, { turn: event.turn }),
    log.read(session, { only: 'message.marked' }),
  ])
  if (!turn.ok || !marks.ok) return undefined
  const all = turn.value.filter(isReply)
  // A reply of several steps is one message: if a person excluded one of them, nothing of it is sent.
  const excluded = excludedBy(marks.value)
  if (all.some(({ seq }) => excluded.has(seq))) return undefined
  const replies = all.filter(({ parts }) => parts.some(({ type }) => type === 'text'))
  const started = turn.value.find(each => each.type === 'turn.started')
  const { voice = '', name = voice } = started?.type === 'turn.started' ? started : {}
  const author = namesIn(chat.value)[voice] ?? name
  return replies.length === 0
    ? undefined
    : { quote: { seqs: replies.map(({ seq }) => seq), author, chat: source }, events: replies }
}

/** What a recorded request had of other chats; events of a chat that was deleted since are not among it. */
export async function pinnedAgain(
  log: Pick<EventLog, 'read'>,
  { window, inputs }: Pick<Receipt, 'window' | 'inputs'>,
): Promise<Result<PinnedElsewhere | undefined, Fault>> {
  const quotes = window.pinned ?? []
  const wanted = [...quotes, ...(inputs.last?.pinned ?? [])]
  if (wanted.length === 0) return ok(undefined)
  const chats = Map.groupBy(wanted, ({ chat }) => chat?.session)
  const events: Recorded[] = []
  for (const [session, own] of chats) {
    if (session === undefined) continue
    const seqs = [...new Set(own.flatMap(quote => quote.seqs))].sort((a, b) => a - b)
    const read = await log.read(session, { seqs })
    if (!read.ok && read.fault.kind !== 'not-found') return read
    if (read.ok) events.push(...read.value)
  }
  return ok({ quotes, events })
}

/** Whether a request quotes a chat that is gone since. */
export function quotesGoneChat(
  { window }: Pick<Receipt, 'window'>,
  { pinned, recall }: Pick<Material, 'pinned' | 'recall'>,
): boolean {
  const isThere = (events: readonly Recorded[], { chat, seqs }: RecallQuote): boolean =>
    chat === undefined || seqs.every(seq => events.some(event => event.seq === seq && event.session === chat.session))
  return (
    (window.pinned ?? []).some(quote => !isThere(pinned?.events ?? [], quote)) ||
    (window.recalled ?? []).some(quote => !isThere(recall?.elsewhere ?? [], quote))
  )
}
