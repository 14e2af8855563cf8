/** Makes sessions of this workspace from sessions that a file brings. */
import type { FoundSession } from '../../archive/input/found.ts'
import { presets } from '../../context/presets.ts'
import type { SessionId } from '../../model/ids.ts'
import type { Session } from '../../model/session.ts'
import { ASSISTANT } from '../../model/voice.ts'
import { agentNamed } from '../admission/speaker.ts'
import type { Services } from '../services.ts'

/** What is said to a person about what was found, each thing once. */
export type Say = (remark: string) => void

type House = Pick<Services, 'agents' | 'councils' | 'policies' | 'mint'> & { readonly usualPolicy: string }

/** Gives a session from another program an id of ours, and an agent or a council that answers from now on. */
export function importedSession(house: House, found: FoundSession, say: Say): Session {
  const id = house.mint('ses')
  const { title, createdAt, updatedAt, archived = false, origin } = found
  return {
    ...{ id, title, preview: null, ...answering(house, found, say), policyChosen: false, project: null, model: null },
    ...{ archived, createdAt, updatedAt, messages: 0, family: id, origin },
  }
}

const MOST_NAMED = 10

function answering(
  house: House,
  { agent, advisors = [] }: FoundSession,
  say: Say,
): Pick<Session, 'agent' | 'council' | 'policy' | 'hadCouncil'> {
  if (advisors.length > 0) {
    const isThere = (id: string, council: { readonly advisors: readonly { readonly id: string }[] }): boolean =>
      council.advisors.some(advisor => advisor.id === id)
    const council = [...house.councils.values()].find(each => advisors.every(({ id }) => isThere(id, each)))
    if (council !== undefined) return { agent: null, council: council.key, policy: presets.council.name }
    const named = advisors.slice(0, MOST_NAMED).map(({ id, name }) => `{"id": "${id}", "name": ${JSON.stringify(name)}}`)
    const whom = [...named, ...(advisors.length > MOST_NAMED ? ['…'] : [])].join(', ')
    say(
      `no council here has all advisors of a conversation, so one agent answers there from now on; for the next import, add a council with ${whom} to councils.json`,
    )
  }
  const first = house.agents.values().next().value ?? ASSISTANT
  const known = agent === undefined ? undefined : agentNamed(house, agent)
  if (known?.ok === false) say(`there is no agent "${agent}" here; "${first.key}" answers from now on`)
  const { key, policy } = known?.ok === true ? known.value : first
  const council = advisors.length === 0 ? {} : { hadCouncil: true as const }
  return { agent: key, council: null, policy: policy ?? house.usualPolicy, ...council }
}

/** Keeps a session of our own as it was. Says what this workspace lacks for it, because no answer is possible without that. */
export function restoredSession(house: House, kept: Session, say: Say): Session {
  const { agent, council, policy } = kept
  if (council !== null && !house.councils.has(council))
    say(
      `the council "${council}" is not here: add it to councils.json, or choose somebody else, before you go on with its sessions`,
    )
  if (agent !== null && !house.agents.has(agent) && agent !== ASSISTANT.key)
    say(`the agent "${agent}" is not here; its sessions are answered without its text until it is added to agents.json`)
  if (!house.policies.has(policy))
    say(`the policy "${policy}" is not here: add it to turnwise.json, or choose another, before you go on with its sessions`)
  const { importedThrough: _, ...session } = kept
  return session
}

/** Under another id, and still of the same family: so its receipts give the same requests. */
export const renamed = (session: Session, id: SessionId): Session => ({ ...session, id })
