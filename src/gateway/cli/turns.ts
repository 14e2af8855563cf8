import type { DryRun, Engine, SentContext } from '../../engine.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'

/** A turn as people count them, from 1. */
export type Turn = { readonly id: TurnId; readonly number: number; readonly cause: number; readonly at: string }

/** What was sent in a turn. */
export type SentInTurn = { readonly turn: Turn; readonly context: SentContext }

export async function turnsOf(engine: Engine, id: SessionId): Promise<Result<readonly Turn[], Fault>> {
  const started = await engine.read(id, { only: 'turn.started' })
  if (!started.ok) return started
  const turns = started.value.flatMap(event => (event.type === 'turn.started' ? [event] : []))
  return ok(turns.map(({ turn, cause, at }, index) => ({ id: turn, number: index + 1, cause, at })))
}

export function turnNumbered(turns: readonly Turn[], number: number): Result<Turn, Fault> {
  const turn = turns[number - 1]
  return turn === undefined ? err(fault('not-found', `there is no turn ${number}; this session has ${turns.length}`)) : ok(turn)
}

/** What was sent in the turn that was asked for, or in the newest one: a turn may have ended before anything was. */
export async function sentIn(
  engine: Engine,
  id: SessionId,
  turns: readonly Turn[],
  { turn: number, step, raw = false }: { readonly turn?: number; readonly step?: number; readonly raw?: boolean },
): Promise<Result<SentInTurn, Fault>> {
  const asked = number === undefined ? undefined : turnNumbered(turns, number)
  if (asked?.ok === false) return asked
  for (const turn of asked === undefined ? turns.toReversed() : [asked.value]) {
    const context = await engine.asSent(id, turn.id, step, { whole: raw })
    if (context.ok) return ok({ turn, context: context.value })
    if (context.fault.kind !== 'not-found' || asked !== undefined) return context
  }
  return err(fault('not-found', 'nothing was sent in this session yet; say something with "turnwise ask -s"'))
}

/** A turn again, from before its message was said. */
export async function momentOf(engine: Engine, id: SessionId, { cause }: Turn): Promise<Result<DryRun, Fault>> {
  const read = await engine.read(id, { after: cause - 1, through: cause })
  if (!read.ok) return read
  const [message] = read.value
  return message?.type === 'message.received'
    ? ok({ at: cause - 1, text: message.text, ...(message.parts === undefined ? {} : { attachments: message.parts }) })
    : err(fault('not-found', `the message at seq ${cause} can no longer be read`))
}
