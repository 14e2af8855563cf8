/** Finds who speaks in a turn, and which model and policy that voice runs under. */
import { presets } from '../../context/presets.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { FoldRange } from '../../model/fold.ts'
import { err, ok, type Result } from '../../model/result.ts'
import {
  type MessageSettings,
  type ReplySettings,
  samplingOf,
  sentSampling,
  type TurnSampling,
  wantsThinking,
} from '../../model/sampling.ts'
import type { Session } from '../../model/session.ts'
import {
  type Advisor,
  type Council,
  FOLD,
  isHouseVoice,
  SUGGESTION,
  SYNTHESIS,
  type SynthesisMode,
  TITLE,
} from '../../model/settings/council.ts'
import type { Policy } from '../../model/settings/policy.ts'
import { type Agent, ASSISTANT, type VoiceId } from '../../model/voice.ts'
import { textSpoken } from '../../provider/text-protocol/spoken.ts'
import type { Model, Services } from '../services.ts'

/** Who speaks in a turn: an agent, an advisor with its seat in a council, or the house with its task. */
export type Speaker = Agent & { readonly seat?: Seat; readonly mode?: SynthesisMode; readonly fold?: FoldRange }

export type Seat = { readonly council: Council; readonly advisor: Advisor }

type Known = Pick<Services, 'agents' | 'councils'>

/** Who answers in a session; an agent that is gone from the workspace leaves its sessions to the plain one. */
export const agentOf = ({ agents }: Pick<Services, 'agents'>, session: Session): Agent =>
  agents.get(session.agent ?? '') ?? { ...ASSISTANT, key: session.agent ?? ASSISTANT.key }

/** The council of a session, or a fault if the workspace no longer has it. */
export function councilOf({ councils }: Pick<Services, 'councils'>, session: Session): Result<Council, Fault> {
  return councilNamed({ councils }, session.council ?? '')
}

/** The voice of an id in a session, as it is now. */
export function speakerOf(known: Known, session: Session, voice: VoiceId, mode?: SynthesisMode): Result<Speaker, Fault> {
  if (voice === TITLE) return ok(titleSpeaker(known, session))
  if (isHouseVoice(voice)) return ok(houseSpeaker(voice, mode))
  if (session.council === null) return ok(agentOf(known, session))
  const council = councilOf(known, session)
  if (!council.ok) return council
  const advisor = council.value.advisors.find(({ id }) => id === voice)
  if (advisor === undefined) return err(fault('not-found', `the advisor "${voice}" is no longer in this council`))
  return ok(advisorSpeaker(council.value, advisor))
}

const houseSpeaker = (voice: VoiceId, mode: SynthesisMode = 'brief'): Speaker =>
  voice === SYNTHESIS
    ? { key: SYNTHESIS, name: 'Synthesis', prompt: '', mode }
    : { key: voice, name: HOUSE_NAMES[voice] ?? 'House', prompt: '' }

const HOUSE_NAMES: Readonly<Record<VoiceId, string>> = { [SUGGESTION]: 'Suggestion', [FOLD]: 'Summary' }

/** Asked with what answers in the session, where one alone does. */
function titleSpeaker(known: Known, session: Session): Speaker {
  const { model } = session.council === null ? agentOf(known, session) : {}
  return { key: TITLE, name: 'Title', prompt: '', ...(model === undefined ? {} : { model }) }
}

function advisorSpeaker(council: Council, advisor: Advisor): Speaker {
  const { id, name, description, model, policy, thinking, sampling, maxTokens, tools, skills } = advisor
  return {
    key: id,
    name,
    prompt: `You are ${name}. ${description}`,
    ...(model === undefined ? {} : { model }),
    ...(policy === undefined ? {} : { policy }),
    ...(thinking === undefined ? {} : { thinking }),
    ...(sampling === undefined ? {} : { sampling }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(tools === undefined ? {} : { tools }),
    ...(skills === undefined ? {} : { skills }),
    seat: { council, advisor },
  }
}

/** The agent of a key, or the keys there are; `@` and `@ai-` before a name are how some people write it. */
export function agentNamed({ agents }: Pick<Services, 'agents'>, name: string): Result<Agent, Fault> {
  const agent = agents.get(name) ?? agents.get(name.replace(/^@(ai-)?/, ''))
  if (agent !== undefined) return ok(agent)
  return err(fault('invalid', `agent: there is no "${name}"; known: ${[...agents.keys()].join(', ')}`))
}

/** The council of a key, or the keys there are. */
export function councilNamed({ councils }: Pick<Services, 'councils'>, key: string): Result<Council, Fault> {
  const council = councils.get(key)
  if (council !== undefined) return ok(council)
  const known = councils.size === 0 ? 'there are none in councils.json' : `known: ${[...councils.keys()].join(', ')}`
  return err(fault('invalid', `council: there is no "${key}"; ${known}`))
}

/** The policy of a name, or the names there are. */
export function policyNamed({ policies }: Pick<Services, 'policies'>, name: string): Result<Policy, Fault> {
  const policy = policies.get(name)
  if (policy !== undefined) return ok(policy)
  return err(fault('invalid', `policy: there is no "${name}"; known: ${[...policies.keys()].join(', ')}`))
}

/** The house looks at one message and what it is given with it, and at nothing else. */
const HOUSE_POLICY: Policy = {
  ...presets.recent,
  name: 'house',
  view: 'own',
  window: { kind: 'last', messages: 0 },
  thinking: 'never',
}

/** A title is short; a model that thinks first still has room for it. */
const TITLE_POLICY: Policy = { ...HOUSE_POLICY, budget: { tokens: null, reserve: 4096 } }

/** What a speaker's next turn would run under, or would if one of them were another. */
export function choiceOf(
  services: Services,
  session: Session,
  speaker: Speaker,
  instead: MessageSettings & { readonly policy?: string | Policy; readonly model?: string } = {},
): Result<TurnChoice, Fault> {
  const policy = policyOf(services, session, speaker, instead.policy)
  if (!policy.ok) return policy
  const model = services.models.named(instead.model ?? modelOf(services, session, speaker))
  if (!model.ok) return model
  const levels = levelsOf(session, speaker, instead)
  return ok({
    policy: limited(policy.value, levels),
    model: spoken(model.value, speaker),
    ...sampledBy(model.value, levels),
  })
}

/** What a turn runs under. */
export type TurnChoice = {
  readonly policy: Policy
  readonly model: Model
  readonly thinking: boolean
  readonly sampling?: TurnSampling
}

/** What is said about a voice's replies, the most specific first. What a session or a message says does not reach the house. */
export const levelsOf = (session: Session, speaker: Speaker, message: MessageSettings = {}): readonly ReplySettings[] =>
  isHouseVoice(speaker.key) ? [speaker] : [message, session, speaker]

/** Whether a model is asked to think, and what it gets of the sampling that applies. */
function sampledBy({ facts }: Model, levels: readonly ReplySettings[]): Pick<TurnChoice, 'thinking' | 'sampling'> {
  const given = samplingOf(...levels)
  const thinking = facts.thinking && wantsThinking(...levels)
  return { thinking, ...(given === undefined ? {} : { sampling: { given, sent: sentSampling(given, facts, thinking) } }) }
}

/** The same, once the model's server has said what the model is. */
export async function learnedChoice(
  services: Services,
  session: Session,
  speaker: Speaker,
  instead: Parameters<typeof choiceOf>[3] = {},
): Promise<ReturnType<typeof choiceOf>> {
  await services.models.learn(instead.model ?? modelOf(services, session, speaker))
  return choiceOf(services, session, speaker, instead)
}

/** The name of the model that a voice uses in a session. */
export const modelOf = ({ models }: Pick<Services, 'models'>, session: Session, speaker: Speaker): string =>
  session.model ?? speaker.model ?? models.standard

/** The models that turns use unless a person chooses another one. */
export const usualModels = ({
  agents,
  councils,
  models,
}: Pick<Services, 'agents' | 'councils' | 'models'>): readonly string[] => [
  ...new Set([
    models.standard,
    ...[...agents.values()].flatMap(({ model }) => model ?? []),
    ...[...councils.values()].flatMap(({ advisors }) => advisors.flatMap(({ model }) => model ?? [])),
  ]),
]

/** The model that a session's agent uses. It is null if a council answers, since each advisor has its own. */
export const modelIn = (services: Pick<Services, 'agents' | 'models'>, session: Session): string | null =>
  session.council === null ? modelOf(services, session, agentOf(services, session)) : null

function policyOf(
  services: Services,
  session: Session,
  { key, seat }: Speaker,
  instead?: string | Policy,
): Result<Policy, Fault> {
  if (isHouseVoice(key)) return ok(key === TITLE ? TITLE_POLICY : HOUSE_POLICY)
  const own = seat?.advisor.policy ?? session.policy
  // A chat whose policy was removed since gets the usual one, rather than no answer.
  const name = services.policies.has(own) ? own : services.usualPolicy
  const policy = typeof instead === 'object' ? ok(instead) : policyNamed(services, instead ?? name)
  return policy.ok && seat !== undefined ? ok(seated(policy.value, seat.council)) : policy
}

/** Under every policy, an advisor sees its own past, and of the others what its council lets it hear. */
const seated = (policy: Policy, { references }: Council): Policy => ({ ...policy, view: 'own', references })

/** An agent that calls tools in its text is asked, and heard, by that protocol. */
function spoken(model: Model, { protocol }: Agent): Model {
  if (protocol !== 'text') return model
  const provider = textSpoken(model.provider)
  return { ...model, wire: provider.wire, provider }
}

/** The most specific reply limit replaces the policy's. */
function limited(policy: Policy, levels: readonly ReplySettings[]): Policy {
  const maxTokens = levels.map(level => level.maxTokens).find(each => typeof each === 'number')
  return typeof maxTokens === 'number' ? { ...policy, budget: { ...policy.budget, reserve: maxTokens } } : policy
}
