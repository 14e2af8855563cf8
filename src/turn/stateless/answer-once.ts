/** Reads a stateless request, and finds the voice, the tools and the limits that answer it. */
import { presets } from '../../context/presets.ts'
import { thinksBy, withoutThinking } from '../../context/reply-limit.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SystemPart, ToolSpec } from '../../model/plan.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { type Sampling, wantsThinking } from '../../model/sampling.ts'
import type { Policy } from '../../model/settings/policy.ts'
import { type Agent, ASSISTANT } from '../../model/voice.ts'
import { isReady, NO_TOOLS, type Tool } from '../../tool/toolbox.ts'
import { NO_EQUIPMENT } from '../equipment/equipment.ts'
import type { NewSession } from '../schedule/sessions.ts'
import type { Services } from '../services.ts'
import { factsOf } from '../tools/run-tools.ts'
import type { ChatMessage } from './messages-to-facts.ts'

/** A conversation that the caller keeps and sends whole each time. Its last message is to be answered. */
export type StatelessRequest = {
  /** An agent's key, `council:` and a council's, or a model, which is asked as it is: without a word of the house. */
  readonly model: string
  /** The conversation as the caller keeps it. What it puts before that goes to the model with the voice's own text. */
  readonly messages: readonly ChatMessage[]
  /** The caller's own tools in place of the house's; their calls are for the caller to answer. */
  readonly tools?: readonly ToolSpec[]
  /** The most a reply may have, up to the voice's own limit. */
  readonly maxTokens?: number
  /** Comes before what the voice itself says about sampling. */
  readonly sampling?: Sampling
}

/** The services that are different while a stateless request is answered. */
export type Answerer = Pick<Services, 'house' | 'equipment' | 'agents' | 'policies' | 'limits' | 'resume'> & {
  readonly session: NewSession
}

const COUNCIL = 'council:'

export function answererOf(services: Services, wished: StatelessRequest): Result<Answerer, Fault> {
  const { model, tools } = wished
  const agent = services.agents.get(model)
  const council = model.startsWith(COUNCIL) ? services.councils.get(model.slice(COUNCIL.length)) : undefined
  const sampled = wished.sampling === undefined ? {} : { sampling: wished.sampling }
  const shared = {
    equipment: statelessEquipment(services, wished),
    policies: services.policies,
    agents: services.agents,
    ...(tools === undefined ? unchanged(services) : askedOnce(services)),
  }
  if (council !== undefined)
    return ok({
      ...shared,
      session: { council: council.key, ...sampled },
      house: withCaller(services, wished),
      policies: shortened(services.policies, wished),
    })
  if (agent !== undefined)
    return ok({
      ...shared,
      session: { agent: agent.key, ...sampled },
      house: withCaller(services, wished),
      agents: new Map([...services.agents, [agent.key, asAsked(agent, wished)]]),
    })
  const known = services.models.named(model)
  if (!known.ok) return err(fault('not-found', strange(services, model)))
  return ok({
    ...shared,
    session: { agent: ASSISTANT.key, model, policy: presets.full.name, ...sampled },
    house: { parts: async () => callerParts(wished) },
    equipment: tools === undefined ? async () => NO_EQUIPMENT : shared.equipment,
    agents: new Map([[ASSISTANT.key, asAsked(ASSISTANT, wished)]]),
    policies: new Map([[presets.full.name, presets.full]]),
  })
}

const unchanged = ({ limits, resume }: Services): Pick<Services, 'limits' | 'resume'> => ({ limits, resume })

/** Calls go to the caller at once; half of one that was cut off may be there already, so nothing goes on after a cut. */
const askedOnce = ({ limits, resume }: Services): Pick<Services, 'limits' | 'resume'> => ({
  limits: { ...limits, steps: 1 },
  resume: { ...resume, continuations: 0 },
})

/** The caller may ask for less than an agent's own limit, never for more. */
function asAsked(agent: Agent, talk: StatelessRequest): Agent {
  const maxTokens = replyTokens(talk)
  const most = Math.min(maxTokens ?? Number.POSITIVE_INFINITY, agent.maxTokens ?? Number.POSITIVE_INFINITY)
  return { ...agent, ...(Number.isFinite(most) ? { maxTokens: most } : {}) }
}

/** Callers of this API count thinking inside of their limit; ours comes on top of the reply's own. */
const replyTokens = ({ maxTokens, sampling }: StatelessRequest): number | undefined =>
  maxTokens === undefined
    ? undefined
    : withoutThinking(maxTokens, thinksBy(wantsThinking({ sampling: sampling ?? null }), sampling))

/** A caller's limit replaces that of the policy; an advisor's own comes before it. */
function shortened(policies: ReadonlyMap<string, Policy>, talk: StatelessRequest): ReadonlyMap<string, Policy> {
  const reserve = replyTokens(talk)
  if (reserve === undefined) return policies
  return new Map([...policies].map(([name, policy]) => [name, { ...policy, budget: { ...policy.budget, reserve } }]))
}

function callerParts({ messages }: StatelessRequest): readonly SystemPart[] {
  const texts = messages.flatMap(({ role, text }) => (role === 'system' && text.trim() !== '' ? [text] : []))
  return texts.length === 0 ? [] : [{ source: 'client', reason: 'system.agent', text: texts.join('\n\n') }]
}

/** After the voice's own text, before what is said to everybody. */
const withCaller = ({ house }: Services, wished: StatelessRequest): Services['house'] => ({
  ...house,
  parts: async (agent, project, seat) => {
    const parts = await house.parts(agent, project, seat)
    const own = parts.findLastIndex(({ reason }) => reason === 'system.agent') + 1
    return [...parts.slice(0, own), ...callerParts(wished), ...parts.slice(own)]
  },
})

/** No person can be asked here. A tool that would ask is denied, unless a person has allowed it for good. */
function statelessEquipment({ equipment, approvals }: Services, { tools }: StatelessRequest): Services['equipment'] {
  if (tools !== undefined) return async () => ({ toolbox: NO_TOOLS, tools, news: [] })
  const unasked = (tool: Tool): Tool =>
    tool.approval !== 'ask'
      ? tool
      : {
          ...tool,
          approval: 'auto',
          prepare: async args => {
            const ready = await tool.prepare(args)
            if (!isReady(ready)) return ready
            return (await approvals.isGranted(null, { tool: tool.spec.name, ...factsOf(tool, ready) })) ? ready : DENIED
          },
        }
  return async limits => {
    const whole = await equipment(limits)
    return { ...whole, toolbox: new Map([...whole.toolbox].map(([name, tool]) => [name, unasked(tool)] as const)) }
  }
}

const DENIED = { ok: false, outcome: 'denied: this asks a person first, and nobody can be asked here; nothing was run' }

const strange = ({ agents, councils }: Services, model: string): string =>
  `model: there is no "${model}"; known: ${[...agents.keys(), ...[...councils.keys()].map(key => `${COUNCIL}${key}`)].join(', ')}, and models by their names, as in "anthropic/…"`
