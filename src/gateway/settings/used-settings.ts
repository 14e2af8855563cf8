/** What agents and councils need of the settings, and whether they could go on with other ones. */
import { presets } from '../../context/presets.ts'
import type { Settings } from '../../model/settings/config.ts'
import type { Policy } from '../../model/settings/policy.ts'
import type { Agents } from '../workspace/agents.ts'
import type { AgentsSetting } from '../workspace/agents-file.ts'
import type { Councils } from '../workspace/councils.ts'
import type { CouncilsSetting } from '../workspace/councils-file.ts'
import { catalogOf, whyNoModel } from '../workspace/models.ts'

const policiesOf = ({ policies }: Settings): readonly Policy[] => [...Object.values(presets), ...policies]

/** What an agent may name, as the settings are when it matters. */
export const agentsSetting = (now: () => Settings): AgentsSetting => ({
  get model() {
    return now().model
  },
  get policies() {
    return policiesOf(now()).map(({ name }) => name)
  },
  get catalog() {
    return catalogOf(now())
  },
  get isBudgeted() {
    return now().limits.budgetUsdPerDay !== null
  },
})

/** What an advisor may name. */
export const councilsSetting = (now: () => Settings): CouncilsSetting => ({
  get model() {
    return now().model
  },
  get policies() {
    return policiesOf(now())
  },
  get catalog() {
    return catalogOf(now())
  },
  get isBudgeted() {
    return now().limits.budgetUsdPerDay !== null
  },
})

type Users = { readonly agents: Pick<Agents, 'now'>; readonly councils: Pick<Councils, 'now'> }
type Use = { readonly by: string; readonly model?: string | undefined; readonly policy?: string | undefined }

const usesOf = ({ agents, councils }: Users): readonly Use[] => [
  ...agents.now().agents.map(({ name, model, policy }) => ({ by: `the agent ${name}`, model, policy })),
  ...councils
    .now()
    .flatMap(council =>
      council.advisors.map(({ name, model, policy }) => ({ by: `the advisor ${name} of ${council.name}`, model, policy })),
    ),
]

/** Every model that the settings, agents and advisors name. */
export const modelsInUse = (settings: Settings, users: Users): readonly { readonly by: string; readonly model: string }[] => [
  { by: 'new chats (the default)', model: settings.model },
  ...usesOf(users).flatMap(({ by, model }) => (model === undefined || model === null ? [] : [{ by, model }])),
]

/** Why agents or advisors could not go on with changed settings, with the key that would have to stay. */
export function whyMissed(changed: Settings, users: Users): string | undefined {
  const known = new Set([...policiesOf(changed), ...users.agents.now().policies].map(({ name }) => name))
  const catalog = catalogOf(changed)
  for (const { by, model, policy } of usesOf(users)) {
    if (typeof policy === 'string' && !known.has(policy))
      return `policies.${policy}: ${by} uses it; choose another policy there first`
    const strange = typeof model === 'string' ? whyNoModel(model, catalog) : undefined
    if (strange !== undefined) return `models: ${by} could not be asked: ${strange}`
  }
  return undefined
}
