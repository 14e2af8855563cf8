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

/** The last request of a voice before a seq. */
export async function requestBefore(
  log: EventLog,
  id: SessionId,
  voice: VoiceId,
  seq: number,
): Promise<Result<Planned | undefined, Fault>> {
  const found = await log.planned(id, 1, { voice, before: seq })
  return found.ok ? ok(found.value[0]) : found
}

/** A request is sent again under its own step a few times at most. */
const PAGE = 8

/** The first request of a voice after one of its own: of another step, or of its next turn. */
export async function requestAfter(log: EventLog, id: SessionId, asked: Planned): Promise<Result<Planned | undefined, Fault>> {
  for (let after = asked.seq; ; ) {
    const page = await log.planned(id, PAGE, { voice: asked.receipt.voice, after, oldestFirst: true })
    if (!page.ok) return page
    const next = page.value.find(({ turn, step }) => turn !== asked.turn || step !== asked.step)
    if (next !== undefined || page.value.length < PAGE) return ok(next)
    after = page.value.at(-1)?.seq ?? after
  }
}
