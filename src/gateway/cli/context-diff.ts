import { type DryRun, difference, type Engine, lint, type SentContext } from '../../engine.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import type { OutlineItem } from '../../model/plan.ts'
import type { CacheLint, OutReason, Receipt } from '../../model/receipt.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { aligned } from './aligned.ts'
import { oneLine } from './harmless.ts'
import type { Ink } from './ink.ts'
import type { Page } from './page.ts'
import { counted, figure, percent, signed } from './phrase.ts'
import { reasonWords } from './reason-words.ts'
import { requestsOf } from './requests.ts'
import { momentOf, sentIn, type Turn, turnsOf } from './turns.ts'

export type TurnRange = { readonly from: number; readonly to: number }

export type DiffOptions = {
  /** True compares with the request before. */
  readonly diff: true | TurnRange
  readonly turn?: number
  readonly step?: number
  readonly at?: number
  /** One is compared with what was sent, two with each other. */
  readonly policy?: readonly string[]
  readonly model?: string
}

/** One of two requests, with a name to tell it from the other. */
type Side = { readonly name: string; readonly context: SentContext }

type Pair = readonly [Side, Side]

/** What went and what came between two requests, in tokens, and what that does to a provider's cache. */
export async function diffPage(engine: Engine, id: SessionId, options: DiffOptions, ink: Ink): Promise<Result<Page, Fault>> {
  const pair = await pairOf(engine, id, options)
  if (!pair.ok) return pair
  const unknown = pair.value.find(({ context }) => context.outline.length === 0)
  if (unknown !== undefined) {
    const why = unknown.context.difference ?? 'it cannot be built again'
    return err(fault('not-found', `${unknown.name} cannot be compared: ${why}`))
  }
  const compared = compare(...pair.value)
  return ok({ lines: linesOf(compared, ink), json: compared })
}

async function pairOf(engine: Engine, id: SessionId, options: DiffOptions): Promise<Result<Pair, Fault>> {
  const turns = await turnsOf(engine, id)
  if (!turns.ok) return turns
  const { diff, policy = [], model, at, turn } = options
  const sent = (asked: Asked): Promise<Result<Side, Fault>> => sentSide(engine, id, turns.value, asked)
  const would = (whatIf: WhatIf): Promise<Result<Side, Fault>> => wouldSide(engine, id, turns.value, whatIf)
  if (diff !== true) return both(await sent({ turn: diff.from }), await sent({ turn: diff.to }))
  if (policy.length === 0 && model === undefined) return withTheOneBefore(engine, id, turns.value, options)
  const now = await would({ turn, at, policy: policy.at(-1), model })
  if (policy.length === 2) return both(await would({ turn, at, policy: policy[0], model }), now)
  if (at !== undefined) return both(await would({ turn, at, policy: undefined, model: undefined }), now)
  // What would be sent is always a first request, so it is compared with one.
  return both(await sent({ ...(turn === undefined ? {} : { turn }), step: 1 }), now)
}

type Asked = { readonly turn?: number; readonly step?: number }

/** A moment, and what would be different in it. */
type WhatIf = {
  readonly turn: number | undefined
  readonly at: number | undefined
  readonly policy: string | undefined
  readonly model: string | undefined
}

function both(before: Result<Side, Fault>, now: Result<Side, Fault>): Result<Pair, Fault> {
  if (!before.ok) return before
  return now.ok ? ok([before.value, now.value]) : now
}

/** By default a request is compared with the last one that its voice was sent. */
async function withTheOneBefore(
  engine: Engine,
  id: SessionId,
  turns: readonly Turn[],
  options: DiffOptions,
): Promise<Result<Pair, Fault>> {
  const now = await sentIn(engine, id, turns, options)
  if (!now.ok) return now
  const requests = await requestsOf(engine, id)
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
    { name: nameOf(before), context: context.value },
    { name: nameOf(asked), context: now.value.context },
  ])
}

async function sentSide(engine: Engine, id: SessionId, turns: readonly Turn[], asked: Asked): Promise<Result<Side, Fault>> {
  const sent = await sentIn(engine, id, turns, asked)
  return sent.ok ? ok({ name: `turn ${sent.value.turn.number} as it was sent`, context: sent.value.context }) : sent
}

async function wouldSide(
  engine: Engine,
  id: SessionId,
  turns: readonly Turn[],
  { at, turn: number, policy, model }: WhatIf,
): Promise<Result<Side, Fault>> {
  const moment = at === undefined ? await turnAgain(engine, id, turns, number) : ok({ where: `seq ${at}`, dryRun: { at } })
  if (!moment.ok) return moment
  const { where, dryRun } = moment.value
  const instead = { ...(policy === undefined ? {} : { policy }), ...(model === undefined ? {} : { model }) }
  const context = await engine.wouldSend(id, { ...dryRun, ...instead })
  if (!context.ok) return context
  const under = policy === undefined ? '' : ` under ${policy}`
  return ok({ name: `${where}${under}${model === undefined ? '' : ` for ${model}`}`, context: context.value })
}

async function turnAgain(
  engine: Engine,
  id: SessionId,
  turns: readonly Turn[],
  number: number | undefined,
): Promise<Result<{ where: string; dryRun: DryRun }, Fault>> {
  const sent = await sentIn(engine, id, turns, number === undefined ? {} : { turn: number })
  if (!sent.ok) return sent
  const dryRun = await momentOf(engine, id, sent.value.turn)
  return dryRun.ok ? ok({ where: `turn ${sent.value.turn.number}`, dryRun: dryRun.value }) : dryRun
}

type Item = { readonly name: string; readonly from?: number; readonly tokens: number; readonly reason: string }

type Compared = {
  readonly before: About
  readonly now: About
  readonly same: number
  /** With the reason the other request gives for leaving it out, where it gives one. */
  readonly gone: readonly (Item & { readonly out: OutReason | null })[]
  readonly come: readonly Item[]
  readonly tokens: { readonly before: number; readonly now: number; readonly difference: number }
  readonly cache: CacheLint
}

type About = { readonly name: string } & Pick<Receipt, 'id' | 'digest' | 'policy' | 'model' | 'voice'>

function compare(before: Side, now: Side): Compared {
  const [left, right] = [before.context, now.context]
  const { same, gone, come } = difference(left.outline, right.outline)
  const tokens = { before: left.receipt.tokens.estimated, now: right.receipt.tokens.estimated }
  return {
    before: about(before),
    now: about(now),
    same,
    gone: gone.map(item => ({ ...shown(item, left.receipt), out: whyOut(item, right.receipt) })),
    come: come.map(item => shown(item, right.receipt)),
    tokens: { ...tokens, difference: tokens.now - tokens.before },
    cache: lint(left.outline, right.outline),
  }
}

const shown = ({ name, from, tokens, reason }: OutlineItem, { tokens: { factor } }: Receipt): Item => ({
  name,
  ...(from === undefined ? {} : { from }),
  tokens: Math.ceil(tokens * factor),
  reason,
})

/** Lines of a receipt reach over each other; where more than one could mean an item, none is taken. */
function whyOut({ from }: OutlineItem, { out }: Receipt): OutReason | null {
  if (from === undefined) return null
  const reasons = out.filter(line => line.from !== undefined && line.from <= from && from <= (line.to ?? line.from))
  const [only, other] = reasons.filter(line => line.reason !== 'out.thinking')
  return only === undefined || other !== undefined ? null : only.reason
}

const about = ({ name, context: { receipt } }: Side): About => ({
  name,
  id: receipt.id,
  digest: receipt.digest,
  policy: receipt.policy,
  model: receipt.model,
  voice: receipt.voice,
})

function linesOf({ before, now, same, gone, come, tokens, cache }: Compared, ink: Ink): readonly string[] {
  const rows = aligned([
    ...gone.map(item => ['−', oneLine(item.name), `${figure(item.tokens)} tokens`, item.out ?? `was ${item.reason}`]),
    ...come.map(item => ['+', oneLine(item.name), `${figure(item.tokens)} tokens`, item.reason]),
  ])
  const runs = [before, now].map(({ model, policy, voice }) => `${model} · ${policy} · ${voice}`)
  return [
    ink.bold(`From ${before.name} to ${now.name}`),
    ink.dim([...new Set(runs)].map(oneLine).join(' → ')),
    '',
    ...rows.map((row, index) => (index < gone.length ? ink.bad(row) : ink.good(row))),
    ...(rows.length === 0 ? ['  nothing went and nothing came'] : []),
    '',
    `  ${counted(same, 'item')} stayed, ${figure(gone.length)} went, ${figure(come.length)} came`,
    `  ${figure(tokens.before)} → ${figure(tokens.now)} tokens (${signed(tokens.difference)})`,
    `  ${prefixWords(cache)}`,
  ]
}

function prefixWords({ stableShare, brokenBy }: CacheLint): string {
  const share = stableShare === 0 ? 'they begin differently' : `the first ${percent(stableShare)} are the same`
  if (brokenBy === null) return `${share}; the prefix holds, so a cache can be used`
  return `${share}; the prefix is broken by ${oneLine(brokenBy.item)} (${reasonWords(brokenBy.reason)})`
}
