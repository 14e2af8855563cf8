/** Finds what was known about a voice at an earlier seq: its turns, its answers and its last request. */
import type { EventLog, Planned, VoiceCounts } from '../../log/ports.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { ok, type Result } from '../../model/result.ts'
import type { VoiceId } from '../../model/voice.ts'
import { requestBefore } from './neighbours.ts'

/** What was known of a voice at an earlier seq: how often it had spoken, and what it was last sent by then. */
export type AsOf = VoiceCounts & { readonly last: Planned | undefined }

/** Both are found by index, however long the session is. */
export async function asOf(log: EventLog, id: SessionId, voice: VoiceId, through: number): Promise<Result<AsOf, Fault>> {
  const [counts, last] = await Promise.all([log.voiceAt(id, voice, through), requestBefore(log, id, voice, through + 1)])
  if (!counts.ok) return counts
  return last.ok ? ok({ ...counts.value, last: last.value }) : last
}
