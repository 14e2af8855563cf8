import { type Fault, fault } from '../model/fault.ts'
import type { Policy } from '../model/policy.ts'
import { err, ok, type Result } from '../model/result.ts'
import type { Session } from '../model/session.ts'
import { type Agent, ASSISTANT } from '../model/voice.ts'
import { textSpoken } from '../provider/text-spoken.ts'
import type { Model, Rooms } from './rooms.ts'

/** Who answers in a session; an agent that is gone from the workspace leaves its sessions to the plain one. */
export const agentOf = ({ agents }: Pick<Rooms, 'agents'>, session: Session): Agent =>
  agents.get(session.agent ?? '') ?? { ...ASSISTANT, key: session.agent ?? ASSISTANT.key }

/** The agent of a key, or the keys there are; `@` and `@ai-` before a name are how some people write it. */
export function agentNamed({ agents }: Pick<Rooms, 'agents'>, name: string): Result<Agent, Fault> {
  const agent = agents.get(name) ?? agents.get(name.replace(/^@(ai-)?/, ''))
  if (agent !== undefined) return ok(agent)
  return err(fault('invalid', `agent: there is no "${name}"; known: ${[...agents.keys()].join(', ')}`))
}

/** The policy of a name, or the names there are. */
export function policyNamed({ policies }: Pick<Rooms, 'policies'>, name: string): Result<Policy, Fault> {
  const policy = policies.get(name)
  if (policy !== undefined) return ok(policy)
  return err(fault('invalid', `policy: there is no "${name}"; known: ${[...policies.keys()].join(', ')}`))
}

/** What a session's next turn would run under, or would if one of them were another. */
export function choiceOf(
  rooms: Rooms,
  session: Session,
  instead: { readonly policy?: string; readonly model?: string } = {},
): Result<{ readonly policy: Policy; readonly model: Model }, Fault> {
  const agent = agentOf(rooms, session)
  const policy = policyNamed(rooms, instead.policy ?? session.policy)
  if (!policy.ok) return policy
  const model = rooms.models.named(instead.model ?? session.model ?? agent.model ?? rooms.models.standard)
  return model.ok ? ok({ policy: limited(policy.value, agent, model.value), model: spoken(model.value, agent) }) : model
}

/** An agent that calls tools in its text is asked, and heard, by that protocol. */
function spoken(model: Model, { protocol }: Agent): Model {
  if (protocol !== 'text') return model
  const provider = textSpoken(model.provider)
  return { ...model, wire: provider.wire, provider }
}

/**
 * An agent's own limit of its reply stands over the policy's, and no reply is asked for that is longer than the model's may
 * be. A model that would have no room left for a request, as small ones on one's own machine, shares its window evenly.
 */
function limited(policy: Policy, { maxTokens }: Agent, { facts: { window, output } }: Model): Policy {
  const wanted = Math.min(maxTokens ?? policy.budget.reserve, output ?? Number.POSITIVE_INFINITY)
  const reserve = wanted < window ? wanted : Math.max(1, Math.floor(window / 2))
  return reserve === policy.budget.reserve ? policy : { ...policy, budget: { ...policy.budget, reserve } }
}
