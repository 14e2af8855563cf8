import type { Fault } from '../model/fault.ts'
import type { Material, Plan } from '../model/plan.ts'
import type { Result } from '../model/result.ts'
import type { Policy } from '../model/settings/policy.ts'
import { compress } from './stages/compress.ts'
import { fit } from './stages/fit.ts'
import { project } from './stages/project.ts'
import { recall } from './stages/recall.ts'
import { type Measure, render } from './stages/render.ts'
import { sanitize } from './stages/sanitize.ts'
import { window } from './stages/window.ts'
import { CURRENT_RULES, type Rules } from './versions.ts'

/** What would be sent, as a function of what was gathered: same input, same bytes. Older rules build what they built then. */
export function assemble(material: Material, chosen: Policy, given: Measure, rules: Rules = CURRENT_RULES): Result<Plan, Fault> {
  const policy = rules.settle(chosen, material)
  const measure = rules.measuring(given)
  const said = project(material, policy, measure)
  const sound = sanitize(said)
  const near = window(sound, material, policy, measure)
  const brief = compress(near)
  const aware = recall(brief, material, policy, measure)
  const rendered = render(aware, material, policy, measure)
  return fit(rendered, material, policy, measure)
}
