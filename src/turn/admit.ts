import type { Appended, Log } from '../log/log.ts'
import type { Fact } from '../model/event.ts'
import { type Fault, fault } from '../model/fault.ts'
import type { SessionId, TurnId } from '../model/ids.ts'
import { err, ok, type Result } from '../model/result.ts'
import type { VoiceId } from '../model/voice.ts'
import type { Attached, InboundPart } from './attach.ts'

/** Something said to a session, parsed at the door. */
export type Inbound = {
  readonly session: SessionId
  readonly text: string
  readonly parts?: readonly InboundPart[]
  readonly from: string
  readonly key?: string
}

type Message = Extract<Fact, { type: 'message.received' }>

/** A message that is safe, and the turn that was started with it. */
export type Admitted = { readonly seq: number; readonly turns: readonly TurnId[]; readonly appended: Appended }

const TRIES = 10

/** The turn that will answer, and the last seq its writer has seen. */
export type Opening = { readonly id: TurnId; readonly voice: VoiceId; readonly head: number }

/**
 * Makes a message durable, once per key; the same key again finds the same event.
 * With `turn`, the turn that will answer starts in the same breath, so that no crash can fall between the two.
 */
export async function admit(
  log: Log,
  inbound: Inbound,
  { attachments: parts, texts }: Attached,
  turn: Opening | undefined,
): Promise<Result<Admitted, Fault>> {
  const { session, text, from, key } = inbound
  const message: Message = {
    type: 'message.received',
    text,
    ...(parts.length === 0 ? {} : { parts }),
    from,
    ...(key === undefined ? {} : { key }),
  }
  for (let attempt = 1, head = turn?.head; attempt <= TRIES; attempt += 1) {
    const started: Fact[] =
      turn === undefined || head === undefined
        ? []
        : [{ type: 'turn.started', turn: turn.id, voice: turn.voice, cause: head + 1 }]
    const appended = await log.append(session, [message, ...started], {
      ...(head === undefined ? {} : { expect: head }),
      ...(key === undefined ? {} : { key }),
      texts,
    })
    if (appended.ok) return admitted(appended.value, message)
    if (appended.fault.kind !== 'conflict') return appended
    const standing = await log.standing(session)
    if (!standing.ok) return standing
    head = standing.value.head
  }
  return err(fault('conflict', 'the session changes too fast; send the message again'))
}

function admitted(appended: Appended, { text, parts = [] }: Message): Result<Admitted, Fault> {
  const [message] = appended.events
  if (message?.type !== 'message.received') return err(fault('store', 'the message with this key can no longer be read'))
  if (message.text !== text) return err(fault('conflict', 'this Idempotency-Key was used for another text; use a new key'))
  if (JSON.stringify(message.parts ?? []) !== JSON.stringify(parts))
    return err(fault('conflict', 'this Idempotency-Key was used with other files; use a new key'))
  const turns = appended.events.flatMap(event => (event.type === 'turn.started' ? [event.turn] : []))
  return ok({ seq: message.seq, turns, appended })
}
