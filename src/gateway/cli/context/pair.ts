// Finds the two requests that a diff compares.
import type { DryRun, Engine, SentContext } from '../../../engine.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import type { Usage } from '../../../model/message/delta.ts'
import { isReply } from '../../../model/message/spoken.ts'
import { err, ok, type Result } from '../../../model/result.ts'
import type { CostRange } from '../output/cost-words.ts'
import { figure } from '../output/phrase.ts'
import { requestsOf } from './requests.ts'
import { momentOf, sentIn, type Turn, turnsMeant, voiceMeant } from './turns.ts'

export type TurnRange = { readonly from: number; readonly to: number }

export type DiffOptions = {
  /** True compares with the previous request. */
  readonly diff: true | TurnRange
  readonly turn?: number
  readonly step?: number
  /** Counts only the turns of this voice. */
  readonly voice?: string
  readonly at?: number
  /** One policy is compared with what was sent; two are compared with each other. */
  readonly policy?: readonly string[]
  readonly model?: string
  readonly budget?: number
}

/** One of two requests, with a name that tells it from the other. */
export type ComparedRequest = {
  readonly name: string
  readonly context: SentContext
  /** Null if no price is known. */
  readonly cost: CostRange | null
}

export type Pair = readonly [ComparedRequest, ComparedRequest]

/** The two requests that the options ask for: as sent, or as they would be. */
export async function pairOf(engine: Engine, id: SessionId, options: DiffOptions): Promise<Result<Pair, Fault>> {
  const turns = await turnsMeant(engine, id, options.voice)
  if (!turns.ok) return turns
  const { diff, policy = [], model, budget, at, turn } = options
  const moment = { turn, at, voice: options.voice }
  const others = { ...(model === undefined ? {} : { model }), ...(budget === undefined ? {} : { budget }) }
  const under = (name: string | undefined): Instead => (name === undefined ? others : { ...others, policy: name })
  const sent = (asked: Asked): Promise<Result<ComparedRequest, Fault>> => sentSide(engine, id, turns.value, asked)
  const would = (whatIf: WhatIf): Promise<Result<ComparedRequest, Fault>> => wouldSide(engine, id, turns.value, whatIf)
  if (diff !== true) return both(await sent({ turn: diff.from }), await sent({ turn: diff.to }))
  const isWhatIf = policy.length > 0 || model !== undefined || budget !== undefined
  if (!isWhatIf && at === undefined) return withTheOneBefore(engine, id, turns.value, options)
  const now = await would({ ...moment, instead: under(policy.at(-1)) })
  if (policy.length === 2) return both(await would({ ...moment, instead: under(policy[0]) }), now)
  if (at !== undefined && isWhatIf) return both(await would({ ...moment, instead: {} }), now)
  // A planned request is always the first of its turn, so it is compared with a first one.
  return both(await sent({ ...(turn === undefined ? {} : { turn }), step: 1 }), now)
}

type Asked = { readonly turn?: number; readonly step?: number }

/** A moment, and what would be different then. */
type WhatIf = {
  readonly turn: number | undefined
  readonly at: number | undefined
  readonly voice: string | undefined
  readonly instead: Instead
}

type Instead = Pick<DryRun, 'policy' | 'model' | 'budget'>

function both(before: Result<ComparedRequest, Fault>, now: Result<ComparedRequest, Fault>): Result<Pair, Fault> {
  if (!before.ok) return before
  return now.ok ? ok([before.value, now.value]) : now
}

/** By default a request is compared with the previous request of its voice. */
async function withTheOneBefore(
  engine: Engine,
  id: SessionId,
  turns: readonly Turn[],
  options: DiffOptions,
): Promise<Result<Pair, Fault>> {
  const now = await sentIn(engine, id, turns, options)
  if (!now.ok) return now
  const requests = await requestsOf(engine, id, turns)
  if (!requests.ok) return requests
  const at = requests.value.findLastIndex(({ receipt }) => receipt.id === now.value.context.receipt.id)
  const asked = requests.value[at]
  const before = requests.value
    .slice(0, Math.max(0, at))
    .findLast(each => each.receipt.voice === asked?.receipt.voice && !(each.turn === asked.turn && each.step === asked.step))
  if (asked === undefined || before === undefined) {
    return err(
      fault(
        'not-found',
        `turn ${now.value.turn.number} has the first request of its voice; there is none before it to compare with`,
      ),
    )
  }
  const context = await engine.asSent(id, before.turn, before.step)
  if (!context.ok) return context
  const nameOf = ({ number, step }: { number: number; step: number }): string => `turn ${number}, step ${step}`
  return ok([
    { name: nameOf(before), context: context.value, cost: paid(before.usage) },
    { name: nameOf(asked), context: now.value.context, cost: paid(asked.usage) },
  ])
}

async function sentSide(
  engine: Engine,
  id: SessionId,
  turns: readonly Turn[],
  asked: Asked,
): Promise<Result<ComparedRequest, Fault>> {
  const sent = await sentIn(engine, id, turns, asked)
  if (!sent.ok) return sent
  const { turn, context } = sent.value
  const events = await engine.read(id, { turn: turn.id })
  if (!events.ok) return events
  const step = events.value.flatMap(event =>
    event.type === 'context.planned' && event.receipt.id === context.receipt.id ? [event.step] : [],
  )
  const reply = events.value.filter(isReply).find(event => step.includes(event.step))
  return ok({ name: `turn ${turn.number} as it was sent`, context, cost: paid(reply?.usage ?? null) })
}

const paid = (usage: Usage | null): CostRange | null =>
  usage?.costUsd === undefined ? null : { leastUsd: usage.costUsd, mostUsd: usage.costUsd }

async function wouldSide(
  engine: Engine,
  id: SessionId,
  turns: readonly Turn[],
  { at, turn: number, voice, instead }: WhatIf,
): Promise<Result<ComparedRequest, Fault>> {
  const moment =
    at === undefined
      ? await turnAgain(engine, id, turns, number)
      : ok({ where: `seq ${at}`, dryRun: { at, ...voiceMeant(turns, voice) } })
  if (!moment.ok) return moment
  const { where, dryRun } = moment.value
  const context = await engine.wouldSend(id, { ...dryRun, ...instead })
  if (!context.ok) return context
  const { policy, model, budget } = instead
  const words = [
    ...(policy === undefined ? [] : [`under ${policy}`]),
    ...(model === undefined ? [] : [`for ${model}`]),
    ...(budget === undefined ? [] : [`with at most ${figure(budget)} tokens`]),
  ]
  return ok({ name: [where, ...words].join(' '), context: context.value, cost: context.value.cost })
}

async function turnAgain(
  engine: Engine,
  id: SessionId,
  turns: readonly Turn[],
  number: number | undefined,
): Promise<Result<{ where: string; dryRun: DryRun }, Fault>> {
  const sent = await sentIn(engine, id, turns, number === undefined ? {} : { turn: number })
  if (!sent.ok) return sent
  const { turn } = sent.value
  return ok({ where: `turn ${turn.number}`, dryRun: momentOf(turn) })
}
