/** Checks what a session or a message says about its replies against the models that will answer. */
import type { Event } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import {
  type Effort,
  type MessageSettings,
  type ReplySettings,
  refusedSampling,
  SAMPLING_KEYS,
  type Sampling,
  samplingOf,
  wantsThinking,
} from '../../model/sampling.ts'
import type { Session } from '../../model/session.ts'
import type { VoiceId } from '../../model/voice.ts'
import type { Model, Services } from '../services.ts'
import { agentOf, councilOf, levelsOf, modelOf, type Speaker, speakerOf } from './speaker.ts'

type Known = Pick<Services, 'agents' | 'councils' | 'models'>

/** What the message at a seq says about its own answers, if the message is at hand. */
export function settingsOf(events: readonly Event[], cause: number): MessageSettings {
  const message = events.find(event => event.type === 'message.received' && event.seq === cause)
  return message?.type === 'message.received' ? messageSettings(message) : {}
}

/** Only the settings, of something that may have more. */
export const messageSettings = ({ sampling, maxTokens }: MessageSettings): MessageSettings => ({
  ...(sampling === undefined ? {} : { sampling }),
  ...(maxTokens === undefined ? {} : { maxTokens }),
})

/** Why a message cannot be answered as it asks. In a council a setting must suit at least one of those who answer. */
export const refusedForMessage = (
  known: Known,
  session: Session,
  message: MessageSettings,
  asked?: readonly VoiceId[],
): Fault | undefined => refusedBy(answerersIn(known, session, message, asked), message)

/** Why a session cannot have its settings. In a council a setting must suit at least one advisor. */
export const refusedForSession = (known: Known, session: Session): Fault | undefined =>
  contradiction(session.sampling?.effort, session.thinking) ?? refusedBy(answerersIn(known, session), session)

/** Why two settings of one level exclude each other. */
export function contradiction(effort: Effort | null | undefined, thinking: boolean | null | undefined): Fault | undefined {
  if (effort === undefined || effort === null || typeof thinking !== 'boolean' || thinking === (effort !== 'none'))
    return undefined
  return fault('refused', `sampling.effort: "${effort}" and "thinking": ${thinking} exclude each other; leave one of them out`)
}

/** A model that would answer, and all that is said about its replies. */
type Answerer = { readonly model: Pick<Model, 'name' | 'window' | 'facts'>; readonly levels: readonly ReplySettings[] }

/** The first setting of a level that no model could use. */
export function refusedBy(answerers: readonly Answerer[], { sampling, maxTokens }: ReplySettings): Fault | undefined {
  if (answerers.length === 0) return undefined
  for (const key of SAMPLING_KEYS) {
    if (sampling?.[key] === undefined) continue
    const one: Sampling = { [key]: sampling[key] }
    const refusals = answerers.flatMap(({ model: { name, facts }, levels }) => {
      const refused = refusedSampling(one, facts, samplingOf(...levels) ?? {}, wantsThinking(...levels))
      return refused === undefined ? [] : [`"${name}" ${refused.why}`]
    })
    if (refusals.length === answerers.length)
      return fault('refused', `sampling.${key}: ${[...new Set(refusals)].join(', ')}; leave it out, or choose another model`)
  }
  const room = Math.max(...answerers.map(({ model }) => model.window))
  return typeof maxTokens === 'number' && maxTokens >= room
    ? fault('refused', `maxTokens: ${maxTokens} leaves no room for a request: the window is ${room}`)
    : undefined
}

function answerersIn(known: Known, session: Session, message?: MessageSettings, asked?: readonly VoiceId[]): readonly Answerer[] {
  return speakersIn(known, session, asked).flatMap(speaker => {
    const model = known.models.named(modelOf(known, session, speaker))
    // A model that is unknown here is refused for that, and not for its settings.
    return model.ok ? [{ model: model.value, levels: levelsOf(session, speaker, message) }] : []
  })
}

/** Who would answer: the agent, or those of the council that are asked. */
function speakersIn(known: Known, session: Session, asked?: readonly VoiceId[]): readonly Speaker[] {
  if (session.council === null) return [agentOf(known, session)]
  const council = councilOf(known, session)
  if (!council.ok) return []
  const isAsked = ({ id, active }: { readonly id: VoiceId; readonly active: boolean }): boolean => asked?.includes(id) ?? active
  return council.value.advisors.filter(isAsked).flatMap(({ id }) => {
    const speaker = speakerOf(known, session, id)
    return speaker.ok ? [speaker.value] : []
  })
}
