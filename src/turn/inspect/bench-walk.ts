/** Goes through a session turn by turn, as if one policy had always been its own. */
import { withoutMemory } from '../../context/presets.ts'
import { type Bill, billedBlocks, billedUnits, createBilling, LEAST_CACHED_TOKENS } from '../../context/receipt/billing.ts'
import { identifiersIn, stringsIn } from '../../context/receipt/identifiers.ts'
import type { Recorded, TurnStarted } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { isReply, type SpokenReply } from '../../model/message/spoken.ts'
import type { Plan } from '../../model/plan.ts'
import { ok, type Result } from '../../model/result.ts'
import { isHouseVoice } from '../../model/settings/council.ts'
import type { Policy } from '../../model/settings/policy.ts'
import type { VoiceId } from '../../model/voice.ts'
import { anthropicWire } from '../../provider/anthropic/encode.ts'
import { recallAfter } from '../recall/recall-material.ts'
import type { Services } from '../services.ts'
import type { Frozen } from '../step/gather.ts'
import type { Prepared } from '../step/prepare-request.ts'
import { addBills, type BenchProgress, type BenchSums, type Contender, type Walked } from './bench-report.ts'
import type { DryRun, LaterStep, Planner } from './dry-run.ts'
import { type Evidence, evidenceIn } from './evidence.ts'
import { type ImaginedFold, type ImaginedFolds, imagineFolds } from './imagined-folds.ts'
import { pairsIn, type QuestionPair } from './question-pairs.ts'
import { indexWhole } from './recall-index.ts'

/** A session that is walked through once for each contender. */
export type Walk = {
  readonly id: SessionId
  /** What was said, with people's marks. */
  readonly events: readonly Recorded[]
  readonly turns: readonly WalkedTurn[]
  readonly questions: readonly QuestionPair[]
}

type WalkedTurn = Pick<TurnStarted, 'turn' | 'voice' | 'cause'> & {
  readonly replies: readonly UsingReply[]
  /** The last seq of the turn. */
  readonly ended: number
}

/** A reply with the identifiers in it that were said before. */
type UsingReply = { readonly reply: SpokenReply; readonly identifiers: readonly string[] }

const PAGE = 5000

/** What there is to go through. */
export async function walkOf(
  services: Services,
  id: SessionId,
  pairs: readonly QuestionPair[] | undefined,
): Promise<Result<Walk, Fault>> {
  const indexed = await indexWhole(services, id)
  if (!indexed.ok) return indexed
  const events: Recorded[] = []
  for (;;) {
    const page = await services.log.read(id, { only: 'conversation', after: events.at(-1)?.seq ?? 0, limit: PAGE })
    if (!page.ok) return page
    events.push(...page.value)
    if (page.value.length < PAGE) break
  }
  const marks = await services.log.read(id, { only: 'message.marked' })
  if (!marks.ok) return marks
  const questions = pairs === undefined ? pairsIn(id, events) : pairs.filter(({ session }) => session === id)
  const all = [...events, ...marks.value].sort((a, b) => a.seq - b.seq)
  return ok({ id, events: all, turns: turnsIn(events), questions })
}

/** The turns of a session with what their replies had to know. */
function turnsIn(events: readonly Recorded[]): readonly WalkedTurn[] {
  const said = new Set<string>()
  const replies = new Map<TurnId, UsingReply[]>()
  for (const event of events) {
    const own = textsOf(event).flatMap(identifiersIn)
    if (isReply(event)) {
      const using = { reply: event, identifiers: [...new Set(own)].filter(each => said.has(each)) }
      replies.set(event.turn, [...(replies.get(event.turn) ?? []), using])
    }
    for (const each of own) said.add(each)
  }
  const ends = new Map(
    events.flatMap(event => ('turn' in event && event.turn !== undefined ? [[event.turn, event.seq] as const] : [])),
  )
  return events.flatMap(event =>
    event.type === 'turn.started' && !isHouseVoice(event.voice)
      ? [{ ...event, replies: replies.get(event.turn) ?? [], ended: ends.get(event.turn) ?? event.seq }]
      : [],
  )
}

function textsOf(event: Recorded): readonly string[] {
  if (event.type === 'message.received') return [event.text]
  if (event.type === 'tool.settled') return [event.outcome]
  return isReply(event) ? wordsOf(event) : []
}

const wordsOf = ({ parts }: SpokenReply): readonly string[] =>
  parts.flatMap(part => (part.type === 'call' ? stringsIn(part.args) : part.type === 'text' ? [part.text] : []))

type Under = Pick<DryRun, 'policy' | 'budget' | 'memory'>

/** Where a voice has come: its next request goes on from there. */
type Standing = Pick<DryRun, 'last' | 'balance'>

/** Plans every request under one contender, and adds up what comes of it. */
export async function walkThrough(
  services: Services,
  plan: Planner,
  { id, events, turns, questions }: Walk,
  own: Walked,
  progress: (done: BenchProgress) => void,
): Promise<Result<null, Fault>> {
  const { contender, sums, judged } = own
  const under: Under = {
    policy: contender.policy,
    ...(contender.budget === null ? {} : { budget: contender.budget }),
    ...(contender.withoutMemory === true ? { memory: false } : {}),
  }
  const charge = createBilling()
  const standings = new Map<VoiceId, Standing>()
  const asked = new Set<number>()
  const folds = imagineFolds(policyOf(services, contender), events, services.measure)
  const { imagine } = folds
  const account = (prepared: Prepared, using: UsingReply | undefined): void => {
    addRequest(sums, services, charge, prepared, using?.identifiers ?? [])
    if (using !== undefined) folds.replied(prepared, using.reply)
    progress({ ...contender, session: id, requests: sums.requests })
  }
  for (const { turn, voice, cause, replies, ended } of turns) {
    const prepared = await plan(id, { ...under, ...standings.get(voice), at: cause, voice }, { imagine })
    const mine = asked.has(cause) ? [] : questions.filter(({ at }) => at === cause)
    asked.add(cause)
    const judging = await judge(services, id, prepared, mine, judged)
    if (!judging.ok) return judging
    if (!prepared.ok) {
      // A request that does not fit is not sent, so the window stays where it was.
      if (prepared.fault.kind !== 'too-long') return prepared
      sums.tooLong += 1
      continue
    }
    account(prepared.value, replies[0])
    const last = await laterSteps(id, planImagined(plan, imagine), under, { turn, voice, replies }, prepared.value, account)
    standings.set(voice, standingAfter(prepared.value, last))
    for (const made of await folds.turnOver(last, ended)) addFold(sums, services, charge, last, made)
  }
  const voice = turns.at(-1)?.voice
  for (const pair of questions.filter(({ at }) => at === undefined)) {
    const by = voice === undefined ? {} : { ...standings.get(voice), voice }
    const prepared = await plan(id, { ...under, ...by, text: pair.question }, { imagine })
    const judging = await judge(services, id, prepared, [pair], judged)
    if (!judging.ok) return judging
    if (!prepared.ok && prepared.fault.kind !== 'too-long') return prepared
    // A session in which nothing was answered has no other requests to bill.
    if (turns.length > 0) continue
    if (prepared.ok) account(prepared.value, undefined)
    else sums.tooLong += 1
  }
  return ok(null)
}

/** The policy of a contender, as its requests are planned. */
function policyOf({ policies }: Services, { policy: name, budget, withoutMemory: isPlain }: Contender): Policy {
  const own = policies.get(name)
  if (own === undefined) throw new Error(`there is no policy "${name}"`)
  const policy = isPlain === true ? withoutMemory(own) : own
  return budget === null ? policy : { ...policy, budget: { ...policy.budget, tokens: budget } }
}

const planImagined =
  (plan: Planner, imagine: ImaginedFolds['imagine']): Planner =>
  (id, dryRun, options) =>
    plan(id, dryRun, { ...options, imagine })

/** Notes which evidence a request has; a request that does not fit has none. */
async function judge(
  services: Services,
  id: SessionId,
  prepared: Result<Prepared, Fault>,
  pairs: readonly QuestionPair[],
  judged: Walked['judged'],
): Promise<Result<null, Fault>> {
  for (const pair of pairs) {
    const evidence = prepared.ok
      ? await evidenceIn(services, id, prepared.value, pair.evidence)
      : ok(pair.evidence.map((seq): Evidence => ({ seq, in: false, reason: 'out.budget' })))
    if (!evidence.ok) return evidence
    judged.set(pair, evidence.value)
  }
  return ok(null)
}

/** The requests of a turn after its first one; gives the last of them that would have been sent. */
async function laterSteps(
  id: SessionId,
  plan: Planner,
  under: Under,
  { turn, voice, replies }: Pick<WalkedTurn, 'turn' | 'voice' | 'replies'>,
  first: Prepared,
  account: (prepared: Prepared, using: UsingReply) => void,
): Promise<Prepared> {
  let last = first
  let frozen: Frozen = { ...frozenBy(first), last: first.receipt.window, isBare: first.receipt.degraded !== null }
  for (const [index, using] of replies.entries()) {
    if (index === 0) continue
    const { cause, ordinal } = first.material.turn
    const later: LaterStep = {
      turn: { id: turn, step: index + 1, cause, ordinal },
      ...{ frozen, through: using.reply.seq - 1, marksThrough: first.material.marksThrough },
    }
    const prepared = await plan(id, { ...under, voice }, { later })
    if (!prepared.ok) return last
    account(prepared.value, using)
    last = prepared.value
    frozen = { ...frozen, last: last.receipt.window }
  }
  return last
}

const frozenBy = ({ material: { recall, ...material }, receipt }: Prepared): Omit<Frozen, 'last' | 'isBare'> => ({
  ...material,
  ...recallAfter(recall, receipt),
})

/** Where the next turn of the voice goes on, as if the turn's requests had been sent. */
function standingAfter(first: Prepared, last: Prepared): Standing {
  const balance = first.receipt.recall?.balance
  return { last: last.receipt.window, ...(balance === undefined ? {} : { balance }) }
}

type Charge = ReturnType<typeof createBilling>

/** Every request is billed as one to Anthropic's API would be, also in sessions of other models. */
function billOf({ measure }: Services, charge: Charge, plan: Plan, files: Prepared['files']): Bill {
  const abilities = { ...plan.abilities, cacheMinimum: LEAST_CACHED_TOKENS }
  return charge(billedBlocks(anthropicWire.encode({ ...plan, abilities }, files).body, measure.count))
}

function addRequest(
  sums: BenchSums,
  services: Services,
  charge: Charge,
  { plan, files }: Prepared,
  identifiers: readonly string[],
): void {
  const bill = billOf(services, charge, plan, files)
  sums.requests += 1
  sums.units += billedUnits(bill)
  sums.bill = addBills(sums.bill, bill)
  if (identifiers.length === 0) return
  const text = stringsIn([plan.system, plan.tools, plan.messages]).join('\n')
  sums.used += identifiers.length
  sums.visible += identifiers.filter(each => text.includes(each)).length
}

/** What asking a model for a fold would have cost: what it is asked with, and beside it what it would have written. */
function addFold(
  sums: BenchSums,
  services: Services,
  charge: Charge,
  { files }: Prepared,
  { fold, after, alone }: ImaginedFold,
): void {
  sums.folds += 1
  if (after !== null) sums.foldUnits += billedUnits(billOf(services, charge, after, files))
  if (alone !== null) sums.foldUnits += services.measure.count(alone)
  if (after !== null || alone !== null) sums.foldTokens += fold.tokens
}
