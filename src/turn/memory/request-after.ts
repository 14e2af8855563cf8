/** A request that goes on from one that was sent: the same words, then the reply, then an instruction. So it reads the provider's cache. */
import { estimateOf, inLines } from '../../context/receipt/lines.ts'
import { outlined } from '../../context/receipt/outline.ts'
import { PER_MESSAGE } from '../../context/stages/draft.ts'
import { textMessage } from '../../context/stages/plan-items.ts'
import { type Measure, weigh } from '../../context/text/tokens.ts'
import type { Planned } from '../../log/ports.ts'
import type { Event, Recorded } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import type { Plan, PlanItem } from '../../model/plan.ts'
import type { Receipt } from '../../model/receipt.ts'
import { ok, type Result } from '../../model/result.ts'
import { FOLD } from '../../model/settings/council.ts'
import { isPlanned } from '../inspect/neighbours.ts'
import type { Built, Rebuilt, rebuild } from '../inspect/rebuild.ts'
import type { Services } from '../services.ts'
import { hash } from '../step/measure.ts'

/** A reply that ended well. */
export type EndedWell = Extract<Event, { type: 'reply.finished' }>

/** A request that was sent, and its reply. */
export type Exchanged = { readonly planned: Planned; readonly reply: EndedWell }

/** The reply to a request, among the events of its turn: whole, with words, and without calls. Undefined where it has none such. */
export function replyTo(events: readonly Recorded[], planned: Planned): EndedWell | undefined {
  const reply = events.find(event => event.seq > planned.seq && 'step' in event && event.step === planned.step)
  if (reply?.type !== 'reply.finished' || reply.parts.some(({ type }) => type === 'call')) return undefined
  return reply.parts.some(part => part.type === 'text' && part.text.trim() !== '') ? reply : undefined
}

/** The plan of a request that goes on from another one. Its first messages, tools, system text and parameters are the same. */
export function planAfter(before: Plan, reply: EndedWell, instruction: string, measure: Measure): Plan {
  // Thinking belongs to the turn that is over.
  const parts = reply.parts.filter(part => part.type === 'text' && part.text.trim() !== '')
  const said: PlanItem = {
    ...{ kind: 'current', reason: 'current.cycle', from: reply.seq, to: reply.seq, keys: [`turn ${reply.turn}`] },
    tokens: weigh({ ...reply, parts }).tokens + PER_MESSAGE,
    hash: measure.hash(JSON.stringify(parts)),
    messages: [{ role: 'assistant', blocks: parts }],
  }
  const asked: PlanItem = {
    ...{ kind: 'note', reason: 'note.turn', source: 'prompts/fold.md', keys: [] },
    tokens: measure.count(instruction) + PER_MESSAGE,
    hash: measure.hash(instruction),
    messages: [textMessage('user', instruction)],
  }
  const items = [...before.items, said, asked]
  const { factor } = before.receipt.tokens
  const estimated = estimateOf(items, factor)
  const { recall: _, sampling, ...receipt } = before.receipt
  const { unmarked: __, ...plan } = before
  return {
    ...plan,
    messages: items.flatMap(item => item.messages),
    // All of the request before is in the cache, and nothing will ever begin with this one.
    stableMessages: before.messages.length,
    unmarked: 'end',
    through: { ...before.through, stable: before.through.whole, whole: estimated },
    outline: items.map(outlined),
    items,
    receipt: {
      ...receipt,
      ...(sampling === undefined ? {} : { sampling }),
      through: reply.seq,
      voice: FOLD,
      tokens: { ...receipt.tokens, estimated, limit: before.window - before.maxTokens },
      in: inLines(items, factor, measure),
    },
  }
}

/** The inputs of such a request: those of the request before, and what comes behind it. */
export function inputsAfter(before: Receipt, { turn, step }: Planned, own: TurnId, instruction: string): Receipt['inputs'] {
  const { recall: _, ...inputs } = before.inputs
  return { ...inputs, turn: own, after: { turn, step, instruction: hash(instruction) } }
}

const gone = (why: string): Result<Rebuilt, Fault> => ok({ verdict: 'different', built: undefined, outline: [], difference: why })

/** Builds such a request again: first the one that it goes on from, then the rest. */
export async function rebuildAfter(
  services: Services,
  session: SessionId,
  receipt: Receipt,
  { turn, step, instruction }: NonNullable<Receipt['inputs']['after']>,
  again: typeof rebuild,
): Promise<Result<Rebuilt, Fault>> {
  const { log, wires, measure } = services
  const [events, texts] = await Promise.all([log.read(session, { turn: turn as TurnId }), log.texts([instruction])])
  if (!events.ok) return events
  if (!texts.ok) return texts
  const planned = events.value.findLast((event): event is Planned => isPlanned(event) && event.step === step)
  const reply = planned === undefined ? undefined : replyTo(events.value, planned)
  const words = texts.value.get(instruction)
  // No request goes on from one that itself goes on; only a broken file could say so.
  if (planned === undefined || reply === undefined || planned.receipt.inputs.after !== undefined)
    return gone('the request that it goes on from is gone')
  if (words === undefined) return gone('its instruction is gone')
  const before = await again(services, session, planned.receipt, planned.step)
  if (!before.ok || before.value.verdict === 'not-comparable') return before
  const { built: first } = before.value
  const wire = wires.get(receipt.inputs.wire)
  if (first === undefined || wire === undefined) return gone('the request that it goes on from can no longer be built')
  const plan = planAfter(first.plan, reply, words, measure)
  const built: Built = { plan, files: first.files, encoded: wire.encode(plan, first.files) }
  const { outline } = plan
  return hash(built.encoded.body) === receipt.digest
    ? ok({ verdict: 'identical', built, outline })
    : ok({ verdict: 'different', built, outline, difference: 'the request that it goes on from differs' })
}
