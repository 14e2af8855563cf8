/** What would be sent, as a function of what was gathered: the same input gives the same bytes. */
import type { Fault } from '../model/fault.ts'
import type { Material, Plan } from '../model/plan.ts'
import type { Result } from '../model/result.ts'
import type { Policy, Window } from '../model/settings/policy.ts'
import { requestLimit } from './bounds.ts'
import { type SettledPolicy, settledWith } from './reply-limit.ts'
import { compress, withoutSummaries } from './stages/compress.ts'
import { isOptional } from './stages/draft.ts'
import { fit } from './stages/fit.ts'
import { project } from './stages/project.ts'
import { recall } from './stages/recall.ts'
import { roomForQuotes } from './stages/recall-quotes.ts'
import { render } from './stages/render.ts'
import { runningTurn } from './stages/running-turn.ts'
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

/** Texts weigh a little more together than apart; a request that is over after so many tries has something that cannot give way. */
const TRIES = 12
/** After so many tries with shorter quotes, the request is tried without any. */
const QUOTE_TRIES = 3

/** Assembly for policies whose windows are of these kinds. */
export const assembleWith =
  <Shown extends AnyWindow>(kinds: WindowKinds<Shown>): Assemble<Shown> =>
  (given, chosen, counting, rules = CURRENT_RULES) => {
    const reply = rules.replyBudget(chosen, given)
    const measure = rules.measuring(counting)
    // Only our own kinds of windows are older than the third version.
    if (rules.assemble !== undefined) return rules.assemble(given, chosen as Policy, reply, measure)
    const settled = settledWith(chosen, rulesIn(kinds, chosen.window), reply)
    const { material, policy } = rules.remembers === 'folds' ? { material: given, policy: settled } : asBefore(given, settled)
    const projected = project(material, policy, measure)
    const said = sanitize(rules.remembers === 'folds' ? withoutSummaries(projected) : projected)
    const most = requestLimit(policy, material.model.window)
    let over = 0
    let overQuoted = 0
    for (let tries = 1; ; tries += 1) {
      const room = roomForQuotes(material, policy, most - over, overQuoted, measure, limit =>
        window(said, material, policy, limit, measure),
      )
      const near = rules.remembers === 'folds' ? room.near : { ...room.near, ...compress(room.near) }
      const aware = recall({ ...room, near }, material, policy, overQuoted, measure)
      const shown = runningTurn(aware, material, measure)
      const rendered = render(shown, { ...material, ...near.fixed }, policy, measure)
      const plan = fit(rendered, shown, material, policy, most, measure)
      if ('ok' in plan) return plan
      if (tries === TRIES || over > most) return { ok: false, fault: plan.fault }
      // A little more with each try: long texts are weighed by samples, so that less text may weigh as much.
      const less = plan.over + Math.ceil((most * tries) / 500)
      // What others said gives way before what was said here does.
      if (material.turn.step > 1 || !shown.asides.some(isOptional)) over += less
      else overQuoted = tries < QUOTE_TRIES ? overQuoted + less : Number.POSITIVE_INFINITY
    }
  }

/** Before there were folds, a request had no pins of other chats, and windows did not follow. */
function asBefore(
  { pinned: _pinned, folds: _folds, ...material }: Material,
  { window: { follows: _follows, ...shown }, ...policy }: SettledPolicy,
): { readonly material: Material; readonly policy: SettledPolicy } {
  return { material, policy: { ...policy, fold: null, window: shown } }
}

export const assemble: Assemble<Window> = assembleWith(WINDOW_KINDS)
