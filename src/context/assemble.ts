/** What would be sent, as a function of what was gathered: the same input gives the same bytes. */
import type { Fault } from '../model/fault.ts'
import type { Material, Plan } from '../model/plan.ts'
import type { Result } from '../model/result.ts'
import type { Policy, Window } from '../model/settings/policy.ts'
import { settledWith } from './reply-limit.ts'
import { compress } from './stages/compress.ts'
import { fit } from './stages/fit.ts'
import { project } from './stages/project.ts'
import { recall } from './stages/recall.ts'
import { render } from './stages/render.ts'
import { sanitize } from './stages/sanitize.ts'
import { window } from './stages/window.ts'
import type { Measure } from './text/tokens.ts'
import { CURRENT_RULES, type Rules } from './versions.ts'
import { rulesIn, WINDOW_KINDS, type WindowKinds } from './window/kinds.ts'
import type { AnyWindow } from './window/window-kind.ts'

type Assemble<Shown extends AnyWindow> = (
  material: Material,
  policy: Policy<Shown>,
  measure: Measure,
  /** Older rules build what they built then. */
  rules?: Rules,
) => Result<Plan, Fault>

/** Assembly for policies whose windows are of these kinds. */
export const assembleWith =
  <Shown extends AnyWindow>(kinds: WindowKinds<Shown>): Assemble<Shown> =>
  (material, chosen, given, rules = CURRENT_RULES) => {
    const policy = settledWith(chosen, rulesIn(kinds, chosen.window), rules.replyBudget(chosen, material))
    const measure = rules.measuring(given)
    const said = project(material, policy, measure)
    const sound = sanitize(said)
    const near = window(sound, material, policy, measure)
    const brief = compress(near)
    const aware = recall(brief, material, policy, measure)
    const rendered = render(aware, material, policy, measure)
    return fit(rendered, material, policy, measure)
  }

export const assemble: Assemble<Window> = assembleWith(WINDOW_KINDS)
