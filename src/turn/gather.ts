import { canonical } from '../context/canonical.ts'
import { presets } from '../context/presets.ts'
import type { KeptText, Standing, Tail } from '../log/log.ts'
import type { Event, Recorded } from '../model/event.ts'
import { type Fault, fault } from '../model/fault.ts'
import type { Material } from '../model/plan.ts'
import type { Policy } from '../model/policy.ts'
import type { ReceiptInputs } from '../model/receipt.ts'
import { err, ok, type Result } from '../model/result.ts'
import type { Session } from '../model/session.ts'
import { type Agent, ASSISTANT } from '../model/voice.ts'
import { hash } from './measure.ts'
import type { Rooms } from './rooms.ts'

/** Who asks for a context, and what is known about it without reading. */
export type Asking = {
  readonly session: Session
  readonly policy: Policy
  readonly turn: Material['turn']
  readonly standing: Standing
  /** The message that caused the turn and the turn's own events: enough to go on with when the store does not answer. */
  readonly own: readonly Event[]
  /** Written, but not in the log yet. */
  readonly unsaved: readonly Event[]
}

export type Gathered = { readonly material: Material; readonly readMs: number }

/** Blank messages and failed answers use up no place in a window, so more are read than it has. */
const withSlack = (messages: number): number => messages * 2 + 8

/** All I/O before assembly: reads only what the policy can use, and never waits longer than the limit. */
export async function gather(rooms: Rooms, asking: Asking): Promise<Result<Gathered, Fault>> {
  const { session, turn, standing, own, unsaved } = asking
  const started = performance.now()
  const tooMuch = hopeless(rooms, asking)
  if (tooMuch !== undefined) return err(tooMuch)
  const [system, read] = await Promise.all([
    rooms.house.parts(agentOf(rooms, session)),
    within(rooms.limits.historyMs, readPast(rooms, asking)),
  ])
  const material = {
    session: session.id,
    voice: agentOf(rooms, session).key,
    model: { name: rooms.model.name, window: rooms.model.window, factor: 1 },
    turn,
    system,
    tools: [...rooms.toolbox.values()].map(tool => tool.spec),
    asides: [],
  }
  const readMs = performance.now() - started
  if (read.ok) {
    const events: readonly Recorded[] = [...read.value.events, ...unsaved]
    const through = events.at(-1)?.seq ?? standing.head
    return ok({ readMs, material: { ...material, events, through, unread: read.value.unread, degraded: null } })
  }
  if (read.fault.kind !== 'store' || own.length === 0) return read
  const earlier = standing.messages - own.reduce((sum, event) => sum + (event.type === 'message.received' ? 1 : 0), 0)
  const unread = turn.cause <= 1 ? null : { to: turn.cause - 1, messages: earlier }
  const through = own.at(-1)?.seq ?? turn.cause
  return ok({ readMs, material: { ...material, events: own, through, unread, degraded: { reason: read.fault.message } } })
}

function readPast({ log }: Rooms, { session, policy, turn }: Asking): Promise<Result<Tail, Fault>> {
  switch (policy.window.kind) {
    case 'all':
      return log.read(session.id).then(read => (read.ok ? ok({ events: read.value, unread: null }) : read))
    case 'last':
      return log.tail(session.id, { messages: withSlack(policy.window.messages), before: turn.cause })
  }
}

/** By the running total alone: a history far beyond the budget is not read just to be refused. */
function hopeless({ model }: Rooms, { policy, standing }: Asking): Fault | undefined {
  if (policy.window.kind !== 'all') return undefined
  const limit = policy.budget.tokens ?? model.window - policy.budget.reserve
  if (standing.tokens <= limit * 2) return undefined
  return fault(
    'too-long',
    `${standing.tokens} tokens do not fit into ${limit}; the largest item is the history, choose a policy with a window`,
  )
}

async function within<Value>(ms: number, work: Promise<Result<Value, Fault>>): Promise<Result<Value, Fault>> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Result<Value, Fault>>(resolve => {
    timer = setTimeout(() => resolve(err(fault('store', `the history was not read within ${ms} ms`))), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

export const agentOf = ({ agents }: Pick<Rooms, 'agents'>, session: Session): Agent =>
  agents.get(session.agent ?? '') ?? ASSISTANT

export const policyOf = ({ policies }: Pick<Rooms, 'policies'>, name: string): Policy => {
  const policy = policies.get(name) ?? presets.full
  if (policy === undefined) throw new Error('the preset full is always there')
  return policy
}

/** The inputs of a request that are not in its log, and the texts to keep for them. */
export function inputsOf(material: Material, policy: Policy, wire: string): { inputs: ReceiptInputs; texts: KeptText[] } {
  const texts: KeptText[] = []
  const keep = (text: string): string => {
    const kept = { hash: hash(text), text }
    texts.push(kept)
    return kept.hash
  }
  const inputs: ReceiptInputs = {
    turn: material.turn.id,
    cause: material.turn.cause,
    ordinal: material.turn.ordinal,
    wire,
    window: material.model.window,
    policy: keep(canonical(policy)),
    system: material.system.map(({ source, reason, text }) => ({ source, reason, hash: keep(text) })),
    // Not canonical: the order of a tool's keys is part of what was sent.
    tools: keep(JSON.stringify(material.tools)),
    asides: material.asides.map(({ kind, reason, text }) => ({ kind, reason, hash: keep(text) })),
    unread: material.unread,
  }
  return { inputs, texts }
}
