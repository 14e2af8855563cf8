/** Finds what was known about a voice at an earlier seq: its turns, its answers and its last request. */
import type { EventLog, Planned } from '../../log/ports.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { ok, type Result } from '../../model/result.ts'
import type { Speaker } from '../admission/speaker.ts'
import { endsOf } from '../council/round-members.ts'
import { requestBefore } from './neighbours.ts'

/** What was known of a voice at an earlier seq. */
export type AsOf = {
  readonly turns: number
  /** Answers to the end, as far as they decide its phase. */
  readonly answers: number
  /** What it was last sent by then. */
  readonly last: Planned | undefined
}

const PAGE = 100

/** Starts from the voice's last request, which records how many turns it had, so that a long past is not counted again. */
export async function asOf(log: EventLog, id: SessionId, speaker: Speaker, through: number): Promise<Result<AsOf, Fault>> {
  const last = await requestBefore(log, id, speaker.key, through + 1)
  if (!last.ok) return last
  const since = await log.read(id, { only: 'turn.started', after: last.value?.seq ?? 0, through })
  if (!since.ok) return since
  const answers = await answersThrough(log, id, speaker, through)
  if (!answers.ok) return answers
  const begun = since.value.filter(event => event.type === 'turn.started' && event.voice === speaker.key)
  return ok({ turns: (last.value?.receipt.inputs.ordinal ?? 0) + begun.length, answers: answers.value, last: last.value })
}

/** Counts from the start, and stops where the early phase is over. Without a council the count is not needed. */
async function answersThrough(
  log: EventLog,
  id: SessionId,
  { key, seat }: Speaker,
  through: number,
): Promise<Result<number, Fault>> {
  const enough = seat?.council.early.turns ?? 0
  let answers = 0
  for (let after = 0; answers < enough; ) {
    const page = await log.read(id, { only: 'turn.started', after, through, limit: PAGE })
    if (!page.ok) return page
    for (const event of page.value) {
      after = event.seq
      if (event.type !== 'turn.started' || event.voice !== key || answers >= enough) continue
      const events = await log.read(id, { turn: event.turn, through })
      if (!events.ok) return events
      if (endsOf(events.value).get(event.turn) === 'done') answers += 1
    }
    if (page.value.length < PAGE) break
  }
  return ok(answers)
}
