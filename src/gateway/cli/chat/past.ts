// Shows the last messages of a session that is entered.
import type { Engine, Session } from '../../../engine.ts'
import type { Recorded } from '../../../model/event.ts'
import type { Fault } from '../../../model/fault.ts'
import { ok, type Result } from '../../../model/result.ts'
import { isHouseVoice, SYNTHESIS } from '../../../model/settings/council.ts'
import type { Ink } from '../output/ink.ts'
import { createTranscript, transcriptTitle } from '../sessions/transcript.ts'

/** What a person sees when they enter a session: the last messages, and the seq after which to follow. */
export type ShownPast = {
  readonly lines: readonly string[]
  /** The seq before the first turn that still runs, or else the last seq. */
  readonly after: number
  /** The events that were read, so that the footer can count them. */
  readonly events: readonly Recorded[]
}

/** How to show the past; `paint` may style answers. */
export type Looks = { readonly ink: Ink; readonly paint: (answer: string) => string }

const LOOK_BACK = 400
const MOST_LINES = 14

/** Shows the last messages. Turns that still run are left out, because the reader will follow them from their beginning. */
export async function showPast(reader: Engine, session: Session, { ink, paint }: Looks): Promise<Result<ShownPast, Fault>> {
  const read = await reader.read(session.id, { newest: true, limit: LOOK_BACK })
  if (!read.ok) return read
  const ended = new Set(read.value.flatMap(event => (event.type === 'turn.ended' ? [event.turn] : [])))
  const running = read.value.find(
    event => event.type === 'turn.started' && !ended.has(event.turn) && (!isHouseVoice(event.voice) || event.voice === SYNTHESIS),
  )
  const after = running === undefined ? (read.value.at(-1)?.seq ?? 0) : running.seq - 1
  const events = read.value.filter(({ seq }) => seq <= after)
  const transcript = createTranscript(ink, paint)
  const all = [...events.flatMap(event => transcript.lines(event)), ...transcript.end()].flatMap(line => line.split('\n'))
  const lines = all.slice(-MOST_LINES)
  const isWhole = all.length <= MOST_LINES && (events[0]?.seq ?? 1) === 1
  const hint = ink.dim(`  … "turnwise show ${session.id.slice(0, 12)}" has everything`)
  return ok({ lines: [...transcriptTitle(session, ink), ...(isWhole ? [] : [hint]), ...lines], after, events })
}
