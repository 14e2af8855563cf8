/** Finds the request of a voice before or after another one. */
import type { EventLog, Planned } from '../../log/ports.ts'
import type { Recorded } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { ok, type Result } from '../../model/result.ts'
import type { VoiceId } from '../../model/voice.ts'

/** The turn and the step of a request. */
export type RequestPlace = { readonly turn: TurnId; readonly step: number }

export const requestPlace = (planned: Planned | undefined): RequestPlace | null =>
  planned === undefined ? null : { turn: planned.turn, step: planned.step }

export const isPlanned = (event: Recorded): event is Planned => event.type === 'context.planned'

/** Starts of turns are small, so even a voice that has long been silent is found quickly. */
const PAGE = 100

/** The last request of a voice before a seq. */
export async function requestBefore(
  log: EventLog,
  id: SessionId,
  voice: VoiceId,
  seq: number,
): Promise<Result<Planned | undefined, Fault>> {
  for (let through = seq - 1; through > 0; ) {
    const page = await log.read(id, { only: 'turn.started', through, limit: PAGE, newest: true })
    if (!page.ok) return page
    for (const turn of turnsOf(page.value, voice).toReversed()) {
      const events = await log.read(id, { turn, through: seq - 1 })
      if (!events.ok) return events
      const last = events.value.filter(isPlanned).findLast(({ receipt }) => receipt.voice === voice)
      if (last !== undefined) return ok(last)
    }
    if (page.value.length < PAGE) break
    through = (page.value[0]?.seq ?? 1) - 1
  }
  return ok(undefined)
}

/** The first request of a voice after one of its own: of another step, or of its next turn. */
export async function requestAfter(log: EventLog, id: SessionId, asked: Planned): Promise<Result<Planned | undefined, Fault>> {
  const { voice } = asked.receipt
  const isNext = (event: Recorded): event is Planned =>
    isPlanned(event) && event.receipt.voice === voice && !(event.turn === asked.turn && event.step === asked.step)
  const own = await log.read(id, { turn: asked.turn, after: asked.seq })
  if (!own.ok) return own
  const inTurn = own.value.find(isNext)
  if (inTurn !== undefined) return ok(inTurn)
  for (let after = asked.seq; ; ) {
    const page = await log.read(id, { only: 'turn.started', after, limit: PAGE })
    if (!page.ok) return page
    for (const turn of turnsOf(page.value, voice)) {
      const events = await log.read(id, { turn, after: asked.seq })
      if (!events.ok) return events
      const first = events.value.find(isNext)
      if (first !== undefined) return ok(first)
    }
    if (page.value.length < PAGE) return ok(undefined)
    after = page.value.at(-1)?.seq ?? after
  }
}

/** A voice has one turn at a time, so its turns are in the order of their requests. */
const turnsOf = (started: readonly Recorded[], voice: VoiceId): readonly TurnId[] =>
  started.flatMap(event => (event.type === 'turn.started' && event.voice === voice ? [event.turn] : []))
