/** Puts together the system text of a voice, and the notes beside its new message. */
import { type Fault, fault } from '../../model/fault.ts'
import type { Aside, SystemPart, ToolSpec } from '../../model/plan.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import { FOLD, isHouseVoice, SYNTHESIS, TITLE } from '../../model/settings/council.ts'
import type { VoiceId } from '../../model/voice.ts'
import { protocolText } from '../../provider/text-protocol/encode.ts'
import { councilOf, type Speaker } from '../admission/speaker.ts'
import { SUGGESTION_SCHEMA, suggestionParts } from '../council/advisor-suggestion.ts'
import { phaseOf, turnNotes } from '../council/phase.ts'
import { answersOf } from '../council/round-members.ts'
import { roundAside, synthesisParts } from '../council/synthesis.ts'
import { excludedBy } from '../inspect/excluded-messages.ts'
import { beginningAside, firstExchange, titleParts } from '../memory/first-exchange.ts'
import { foldText } from '../memory/fold-request.ts'
import type { Services } from '../services.ts'
import type { Equipment } from './equipment.ts'

/** The text that a voice gets besides its view of the log. */
export type SystemText = { readonly system: readonly SystemPart[]; readonly asides: readonly Aside[] }

export type SystemTextRequest = {
  readonly session: Session
  readonly speaker: Speaker
  readonly cause: number
  /** How often the voice has answered to the end. */
  readonly answers: number
  readonly equipment: Equipment
  readonly tools: readonly ToolSpec[]
  /** As if nothing had been said after this seq. */
  readonly at?: number
}

/** The system text of a voice, and the notes beside its new message. */
export async function systemTextOf(services: Services, briefing: SystemTextRequest): Promise<Result<SystemText, Fault>> {
  const { session, speaker, answers, equipment, tools } = briefing
  if (isHouseVoice(speaker.key)) return houseText(services, briefing)
  const { seat } = speaker
  const phase = seat === undefined ? undefined : phaseOf(seat.council, answers)
  const house = await services.house.parts(
    speaker,
    session.project,
    seat === undefined || phase === undefined ? undefined : { phase: phase.name, isOfHouse: seat.advisor.house === true },
  )
  const system = equipment.skills === undefined ? house : [...house, equipment.skills]
  return ok({
    // An agent that calls tools in its own text reads there which ones it has.
    system:
      speaker.protocol !== 'text' || tools.length === 0
        ? system
        : [...system, { source: 'text protocol', reason: 'tools.schema', text: protocolText(tools) }],
    asides: phase === undefined ? [] : turnNotes(phase),
  })
}

/** What the house is to do: to make something of a round, to name a session, to fold a stretch, or to think of advisors. */
async function houseText(
  services: Services,
  { session, speaker, cause, at }: SystemTextRequest,
): Promise<Result<SystemText, Fault>> {
  if (speaker.key === TITLE) return titleText(services, session)
  if (speaker.key === FOLD) return foldText(services, session, speaker.fold)
  if (speaker.key !== SYNTHESIS)
    return ok({ system: suggestionParts(SUGGESTION_SCHEMA, Object.values(namesIn(services, session))), asides: [] })
  const [round, marks] = await Promise.all([
    services.log.read(session.id, { after: cause - 1, ...(at === undefined ? {} : { through: at }) }),
    services.log.read(session.id, { only: 'message.marked' }),
  ])
  if (!round.ok) return round
  if (!marks.ok) return marks
  const answers = answersOf(round.value, cause, namesIn(services, session), excludedBy(marks.value))
  if (answers.length === 0)
    return err(fault('conflict', 'no advisor has answered in this round, so there is nothing to bring together'))
  return ok({ system: synthesisParts(speaker.mode ?? 'brief'), asides: [roundAside(answers)] })
}

async function titleText(services: Services, session: Session): Promise<Result<SystemText, Fault>> {
  const [first, words] = await Promise.all([firstExchange(services.log, session.id), services.house.words?.('title')])
  if (!first.ok) return first
  if (first.value === undefined) return err(fault('conflict', 'nothing was answered here, so there is nothing to name'))
  return ok({ system: titleParts(words), asides: [beginningAside(first.value, services.measure.count)] })
}

/** How the voices of a session are called now. */
export function namesIn(services: Services, session: Session): Readonly<Record<VoiceId, string>> {
  if (session.council === null) return Object.fromEntries([...services.agents.values()].map(({ key, name }) => [key, name]))
  const council = councilOf(services, session)
  return council.ok ? Object.fromEntries(council.value.advisors.map(({ id, name }) => [id, name])) : {}
}
