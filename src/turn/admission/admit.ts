/** Takes a message into the log, once per key, together with the starts of the turns that will answer it. */
import { isDeepStrictEqual } from 'node:util'
import { isStaleFence } from '../../log/append-rules.ts'
import type { Appended } from '../../log/ports.ts'
import type { Exchange, Fact } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { MessageSettings } from '../../model/sampling.ts'
import type { SynthesisMode } from '../../model/settings/council.ts'
import type { VoiceId } from '../../model/voice.ts'
import type { Services } from '../services.ts'
import type { Attached, InboundPart } from './attach.ts'
import { messageSettings } from './reply-settings.ts'

/** A message to a session, parsed at the door. */
export type Inbound = MessageSettings & {
  readonly session: SessionId
  readonly text: string
  readonly parts?: readonly InboundPart[]
  readonly from: string
  /** The voices it is for, by id, name or group. No other voice hears it. */
  readonly to?: readonly string[]
  /** The synthesis of its round. Null means none, even if the council's settings ask for one. */
  readonly synthesis?: SynthesisMode | null
  readonly key?: string
}

/** Who is to hear a message and to answer it, as its session says. */
export type Address = {
  readonly to?: readonly VoiceId[]
  readonly voices?: readonly VoiceId[]
  readonly synthesis?: SynthesisMode
  readonly exchange?: Exchange
  readonly replyLimit?: number
}

type Message = Extract<Fact, { type: 'message.received' }>

/** A message that is safe, and the turn that was started with it. */
export type Admitted = { readonly seq: number; readonly turns: readonly TurnId[]; readonly appended: Appended }

const TRIES = 10

/** A turn that will answer. */
export type Opening = { readonly turn: TurnId; readonly voice: VoiceId; readonly name?: string }

/**
 * Makes a message durable, once per key; the same key again finds the same event.
 * The turns that will answer start in the same write, so that a crash cannot separate them. `head` is the last seq
 * seen, and `fence` that of the tenure in which they run.
 */
export async function admit(
  { log, mint }: Pick<Services, 'log' | 'mint'>,
  inbound: Inbound,
  { attachments: parts, texts }: Attached,
  address: Address,
  openings: readonly Opening[],
  { head, fence }: { readonly head: number; readonly fence: number | undefined },
): Promise<Result<Admitted, Fault>> {
  const { session, text, from, key } = inbound
  const message: Message = {
    type: 'message.received',
    text,
    ...(parts.length === 0 ? {} : { parts }),
    from,
    ...address,
    ...messageSettings(inbound),
    ...(key === undefined ? {} : { key }),
  }
  const ids = [message, ...openings].map(() => mint('evt'))
  for (let attempt = 1, seen = head; attempt <= TRIES; attempt += 1) {
    const started = openings.map((opening): Fact => ({ type: 'turn.started', ...opening, cause: seen + 1 }))
    const appended = await log.append(session, [message, ...started], {
      ...(openings.length === 0 ? {} : { expect: seen, fence }),
      ...(key === undefined ? {} : { key }),
      ids,
      texts,
    })
    if (appended.ok) return admitted(appended.value, message)
    if (appended.fault.kind !== 'conflict' || isStaleFence(appended.fault)) return appended
    const standing = await log.standing(session)
    if (!standing.ok) return standing
    seen = standing.value.head
  }
  return err(fault('conflict', 'the session changes too fast; send the message again'))
}

function admitted(appended: Appended, { text, parts = [], to = [], ...rest }: Message): Result<Admitted, Fault> {
  const [message] = appended.events
  if (message?.type !== 'message.received') return err(fault('store', 'the message with this key can no longer be read'))
  if (message.text !== text) return err(fault('conflict', 'this Idempotency-Key was used for another text; use a new key'))
  if (JSON.stringify(message.parts ?? []) !== JSON.stringify(parts))
    return err(fault('conflict', 'this Idempotency-Key was used with other files; use a new key'))
  if (JSON.stringify(message.to ?? []) !== JSON.stringify(to))
    return err(fault('conflict', 'this Idempotency-Key was used for other advisors; use a new key'))
  if (!isDeepStrictEqual(messageSettings(message), messageSettings(rest)))
    return err(fault('conflict', 'this Idempotency-Key was used with other settings; use a new key'))
  const turns = appended.events.flatMap(event => (event.type === 'turn.started' ? [event.turn] : []))
  return ok({ seq: message.seq, turns, appended })
}
