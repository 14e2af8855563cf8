/** Checks a synthesis against the answers it was made from: which sentence cites what. */
import { jobs } from '../../archive/text-thread/jobs.ts'
import type { Attribution } from '../../context/synthesis/attribution.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { isReply } from '../../model/message/spoken.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { SYNTHESIS } from '../../model/settings/council.ts'
import { spokenText } from '../../model/turn-view/join-cuts.ts'
import type { Services } from '../services.ts'
import { answersOf } from './round-members.ts'
import { citationLabels } from './synthesis.ts'

/** Compares a synthesis with the answers it was made from, both read from the log. The result is not stored. */
export async function attributionOf({ log }: Services, id: SessionId, turn: TurnId): Promise<Result<Attribution, Fault>> {
  const own = await log.read(id, { turn })
  if (!own.ok) return own
  const started = own.value.find(event => event.type === 'turn.started')
  const planned = own.value.find(event => event.type === 'context.planned')
  if (started?.voice !== SYNTHESIS || planned === undefined) return err(fault('not-found', 'there is no synthesis of that turn'))
  const round = await log.read(id, { after: started.cause - 1, through: planned.receipt.through })
  if (!round.ok) return round
  // Uses the names that the advisors had then, because the synthesis cites those.
  const names = await log.texts([planned.receipt.inputs.voices])
  if (!names.ok) return names
  const answers = answersOf(round.value, started.cause, JSON.parse(names.value.get(planned.receipt.inputs.voices) ?? '{}'))
  const labels = citationLabels(answers)
  const text = spokenText(own.value.filter(isReply))
  const found = await jobs.call(
    'attribute',
    text,
    answers.map(answer => ({ ...answer, label: labels.get(answer.voice) ?? answer.name })),
  )
  return found === undefined ? err(fault('too-large', 'the synthesis takes too long to check')) : ok(found)
}
