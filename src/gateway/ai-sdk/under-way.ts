/** Finds the message that is being answered, and goes on with an answer that is not whole. */
import type { Engine } from '../../engine.ts'
import type { Recorded } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { isHouseVoice, isInternalVoice } from '../../model/settings/council.ts'

/** A message that is being answered, and how far the log had come when the last turn that answers it began. */
export type MessageUnderWay = { readonly seq: number; readonly head: number }

type Looking = Pick<Engine, 'read' | 'resume'>
type Event<Type extends Recorded['type']> = Extract<Recorded, { type: Type }>
type Turn = { readonly start: Event<'turn.started'>; readonly end: Event<'turn.ended'> | undefined }

/** How many starts are looked through; a council has far fewer advisors. */
const MOST_STARTS = 100

/** The message whose answer or synthesis is not over; undefined if there is none. */
export async function underWay(engine: Looking, id: SessionId): Promise<Result<MessageUnderWay | undefined, Fault>> {
  const turns = await latest(engine, id)
  if (!turns.ok) return turns
  const open = turns.value.find(({ end }) => end === undefined)
  return ok(open === undefined ? undefined : { seq: open.start.cause, head: open.start.seq })
}

/** Goes on with what failed, was interrupted or was stopped; an answer that is whole is not given twice. */
export async function goOn(engine: Looking, id: SessionId): Promise<Result<MessageUnderWay, Fault>> {
  const resumed = await engine.resume(id)
  const begun = !resumed.ok && resumed.fault.kind === 'conflict' ? await resumeStopped(engine, id) : resumed
  if (!begun.ok) return begun
  let answering: MessageUnderWay = { seq: 0, head: 0 }
  for (const turn of begun.value) {
    const read = await engine.read(id, { turn, limit: 1 })
    if (!read.ok) return read
    const [start] = read.value
    if (start?.type === 'turn.started')
      answering = { seq: Math.max(answering.seq, start.cause), head: Math.max(answering.head, start.seq) }
  }
  return ok(answering)
}

/** Continues the answers of the last round that a person stopped. That happens only on explicit request, as here. */
async function resumeStopped(engine: Looking, id: SessionId): Promise<Result<readonly TurnId[], Fault>> {
  const turns = await latest(engine, id)
  if (!turns.ok) return turns
  const last = turns.value[0]?.start.cause
  const begun: TurnId[] = []
  for (const { start, end } of turns.value) {
    if (start.cause !== last || isHouseVoice(start.voice) || end === undefined || end.reason === 'done') continue
    const resumed = await engine.resume(id, start.turn)
    if (resumed.ok) begun.push(...resumed.value)
    else if (resumed.fault.kind !== 'conflict') return resumed
  }
  return begun.length === 0 ? err(fault('conflict', WHOLE)) : ok(begun)
}

/** Each voice's last turn, the newest first; a voice answers one message at a time, so no other can be open. */
async function latest(engine: Looking, id: SessionId): Promise<Result<readonly Turn[], Fault>> {
  const starts = await engine.read(id, { only: 'turn.started', newest: true, limit: MOST_STARTS })
  if (!starts.ok) return starts
  const voices = new Set<string>()
  const turns: Turn[] = []
  for (const start of starts.value.toReversed()) {
    if (start.type !== 'turn.started' || isInternalVoice(start.voice) || voices.has(start.voice)) continue
    voices.add(start.voice)
    const last = await engine.read(id, { turn: start.turn, newest: true, limit: 1 })
    if (!last.ok) return last
    const end = last.value[0]
    turns.push({ start, end: end?.type === 'turn.ended' ? end : undefined })
  }
  return ok(turns)
}

const WHOLE =
  'the last answer is whole, and nothing that was said is overwritten here; for another answer fork the session before its message and say it there'
