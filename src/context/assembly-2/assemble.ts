/** The first two versions of the assembly, kept to verify the requests they built. */
import type { Fault } from '../../model/fault.ts'
import type { Material, Plan } from '../../model/plan.ts'
import type { Result } from '../../model/result.ts'
import type { Policy, Window } from '../../model/settings/policy.ts'
import type { ReplyBudget } from '../reply-limit.ts'
import { compress } from '../stages/compress.ts'
import { project } from '../stages/project.ts'
import { render } from '../stages/render.ts'
import { sanitize } from '../stages/sanitize.ts'
import type { Measure } from '../text/tokens.ts'
import { OPEN_TEXTS } from '../transcript/format.ts'
import { fitBefore } from './fit.ts'
import { recallBefore } from './recall.ts'
import { windowBefore } from './window.ts'

/** A policy with the reply's limit as a number. */
export type PolicyBefore = Omit<Policy, 'budget'> & {
  readonly window: Window
  readonly budget: { readonly tokens: number | null } & ReplyBudget
}

/** What the first and the second version built of this material. */
export function assembleBefore(material: Material, chosen: Policy, reply: ReplyBudget, measure: Measure): Result<Plan, Fault> {
  const policy: PolicyBefore = { ...chosen, budget: { tokens: chosen.budget.tokens, ...reply } }
  const near = windowBefore(sanitize(project(material, policy, measure)), material, policy, measure)
  const aware = recallBefore(compress(near), material, policy, measure)
  return fitBefore(render(aware, material, policy, measure, OPEN_TEXTS), material, policy, measure)
}
