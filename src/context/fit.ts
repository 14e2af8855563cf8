import { type Fault, fault } from '../model/fault.ts'
import type { Material, Plan } from '../model/plan.ts'
import { type Policy, policyLabel } from '../model/policy.ts'
import type { InLine } from '../model/receipt.ts'
import { err, ok, type Result } from '../model/result.ts'
import type { LeftOut } from './draft.ts'
import { inLines, outLines } from './lines.ts'
import type { Item, Measure, Rendered } from './render.ts'

/** Holds the plan to its budget: inserted blocks give way first, then the fault names what is largest. */
export function fit(rendered: Rendered, material: Material, policy: Policy, measure: Measure): Result<Plan, Fault> {
  const limit = policy.budget.tokens ?? material.model.window - policy.budget.reserve
  const whole = weighed(rendered.items)
  if (whole.estimated <= limit) return finish(whole, [])

  const bare = weighed(rendered.items.filter(item => !isAside(item)))
  if (bare.estimated <= limit) return finish(bare, rendered.items.filter(isAside))
  return err(tooLong(bare.items, bare.estimated, limit))

  function weighed(items: readonly Item[]): Weighed {
    const lines = inLines(items, material.model.factor, measure)
    return { items, lines, estimated: lines.reduce((sum, line) => sum + line.tokens, 0) }
  }

  function finish({ items, lines, estimated }: Weighed, dropped: readonly Item[]): Result<Plan, Fault> {
    const messages = items.flatMap(item => item.messages)
    if (messages[0]?.role !== 'user') return err(fault('store', 'the message that caused this turn cannot be read'))
    const left = [...rendered.left, ...dropped.map(() => DROPPED_ASIDE)]
    return ok({
      model: material.model.name,
      voice: material.voice,
      ordinal: material.turn.ordinal,
      system: rendered.system,
      tools: rendered.tools,
      messages,
      maxTokens: policy.budget.reserve,
      receipt: {
        through: material.through,
        window: { begins: items.find(item => item.kind === 'message' || item.kind === 'current')?.from ?? null },
        policy: policyLabel(policy),
        model: material.model.name,
        voice: material.voice,
        tokens: {
          estimated,
          reported: null,
          cached: null,
          factor: material.model.factor,
          limit,
          reserved: policy.budget.reserve,
        },
        degraded: material.degraded,
        in: lines,
        out: outLines(left),
      },
    })
  }
}

type Weighed = { readonly items: readonly Item[]; readonly lines: readonly InLine[]; readonly estimated: number }

const DROPPED_ASIDE: LeftOut = { from: 0, to: 0, messages: [], unread: 1, reason: 'out.budget' }

/** References and recalled texts; a summary is history. */
const isAside = (item: Item): boolean => item.reason === 'reference.last-round' || item.reason === 'recall.match'

function tooLong(items: readonly Item[], tokens: number, limit: number): Fault {
  const largest = items.reduce((most, item) => (item.tokens > most.tokens ? item : most))
  const name = largest.from === undefined ? (largest.source ?? largest.kind) : `message ${largest.from}`
  return fault('too-long', `${tokens} tokens do not fit into ${limit}; the largest item is ${name} with ${largest.tokens}`)
}
