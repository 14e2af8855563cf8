/** Compares policies over kept sessions: what each would have sent for every turn, what that costs, and what it still shows. */
import {
  type Bill,
  billedBlocks,
  billedTokens,
  billedUnits,
  createBilling,
  LEAST_CACHED_TOKENS,
} from '../../context/receipt/billing.ts'
import { identifiersIn, stringsIn } from '../../context/receipt/identifiers.ts'
import type { Recorded, TurnStarted } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { isReply, type SpokenReply } from '../../model/message/spoken.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { isHouseVoice } from '../../model/settings/council.ts'
import type { VoiceId } from '../../model/voice.ts'
import { anthropicWire } from '../../provider/anthropic/encode.ts'
import { recallAfter } from '../recall/recall-material.ts'
import type { Services } from '../services.ts'
import type { Frozen } from '../step/gather.ts'
import type { Prepared } from '../step/prepare-request.ts'
import type { DryRun, LaterStep, Planner } from './dry-run.ts'
import { type Evidence, evidenceIn } from './evidence.ts'
import { pairsIn, type QuestionPair } from './question-pairs.ts'
import { indexWhole } from './recall-index.ts'

/** Which policies over which sessions. */
export type BenchWish = {
  readonly sessions: readonly SessionId[]
  readonly policies: readonly string[]
  /** Every policy is tried with each of these; with its own where there is none. */
  readonly budgets?: readonly number[]
  /** Asked at the end of their sessions. Without any, questions are made from the sessions. */
  readonly pairs?: readonly QuestionPair[]
}

/** What one policy came to, with one budget. */
export type BenchRow = {
  readonly policy: string
  readonly budget: number | null
  /** The share of the evidence that the requests had, mean over all questions; null where there are none. */
  readonly recall: number | null
  /** Pieces of evidence: all of them, those that requests had, and of these the ones in part. */
  readonly evidence: number
  readonly found: number
  readonly inPart: number
  /** All requests of all turns, and turns whose request would not have fitted. */
  readonly requests: number
  readonly tooLong: number
  /** Of one request, on average: billed units of input, and tokens. */
  readonly units: number
  readonly tokens: number
  /** The share of all tokens that a cache gave. */
  readonly cached: number
  /** Identifiers that replies used and that were said before, and how many of them the request still showed. */
  readonly used: number
  readonly visible: number
}

export type BenchReport = {
  readonly sessions: number
  readonly questions: number
  /** Questions were made from the sessions, not given. */
  readonly isMade: boolean
  /** Sessions that could not be planned, because their agent is gone for example. They do not count. */
  readonly skipped: readonly { readonly session: SessionId; readonly why: string }[]
  readonly rows: readonly BenchRow[]
}

/** Which session is planned under which policy, and how many requests of it were. */
export type BenchProgress = Contender & { readonly session: SessionId; readonly requests: number }

/** One policy with one budget. */
type Contender = Pick<BenchRow, 'policy' | 'budget'>

/** What was planned for one contender. */
type Walked = Contender & {
  readonly sums: Sums
  readonly judged: Map<QuestionPair, readonly Evidence[]>
}

type Sums = { requests: number; tooLong: number; bill: Bill; units: number; used: number; visible: number }

/** A session that is walked through once for each contender. */
type Walk = { readonly id: SessionId; readonly turns: readonly WalkedTurn[]; readonly questions: readonly QuestionPair[] }

type WalkedTurn = Pick<TurnStarted, 'turn' | 'voice' | 'cause'> & { readonly replies: readonly UsingReply[] }

/** A reply with the identifiers in it that were said before. */
type UsingReply = { readonly seq: number; readonly identifiers: readonly string[] }

/** Plans every request of the sessions under every policy. No model is asked, and nothing is stored but the index. */
export async function benchPolicies(
  services: Services,
  plan: Planner,
  { sessions, policies, budgets = [], pairs }: BenchWish,
  progress: (done: BenchProgress) => void = () => {},
): Promise<Result<BenchReport, Fault>> {
  const unknown = policies.find(name => !services.policies.has(name))
  if (unknown !== undefined)
    return err(fault('invalid', `there is no policy "${unknown}"; known: ${[...services.policies.keys()].join(', ')}`))
  const contenders = policies.flatMap(policy =>
    (budgets.length === 0 ? [null] : budgets).map((budget): Contender => ({ policy, budget })),
  )
  const totals = contenders.map((contender): Walked => ({ ...contender, sums: noSums(), judged: new Map() }))
  const all: QuestionPair[] = []
  const skipped: { readonly session: SessionId; readonly why: string }[] = []
  for (const id of sessions) {
    const walk = await walkOf(services, id, pairs)
    if (!walk.ok) return walk
    const walked = await walkedBy(services, plan, walk.value, contenders, progress)
    if (!walked.ok && walked.fault.kind === 'store') return walked
    if (!walked.ok) {
      skipped.push({ session: id, why: walked.fault.message })
      continue
    }
    all.push(...walk.value.questions)
    for (const [index, own] of walked.value.entries()) addWalk(totals[index], own)
  }
  const questions = pairs === undefined ? all.filter(pair => totals.some(({ judged }) => isHidden(judged.get(pair)))) : all
  const rows = totals.map(own => rowOf(own, questions))
  const counted = { sessions: sessions.length - skipped.length, questions: questions.length, isMade: pairs === undefined }
  return ok({ ...counted, skipped, rows })
}

/** One session under each contender; all of them or none, so that they stay comparable. */
async function walkedBy(
  services: Services,
  plan: Planner,
  walk: Walk,
  contenders: readonly Contender[],
  progress: (done: BenchProgress) => void,
): Promise<Result<readonly Walked[], Fault>> {
  const walked: Walked[] = []
  for (const contender of contenders) {
    const own: Walked = { ...contender, sums: noSums(), judged: new Map() }
    const done = await walkThrough(services, plan, walk, own, progress)
    if (!done.ok) return done
    walked.push(own)
  }
  return ok(walked)
}

function addWalk(total: Walked | undefined, { sums, judged }: Walked): void {
  if (total === undefined) return
  for (const [pair, evidence] of judged) total.judged.set(pair, evidence)
  for (const key of ['requests', 'tooLong', 'units', 'used', 'visible'] as const) total.sums[key] += sums[key]
  total.sums.bill = addBills(total.sums.bill, sums.bill)
}

const addBills = (a: Bill, b: Bill): Bill => ({ plain: a.plain + b.plain, written: a.written + b.written, read: a.read + b.read })

const noSums = (): Sums => ({ requests: 0, tooLong: 0, bill: { plain: 0, written: 0, read: 0 }, units: 0, used: 0, visible: 0 })

/** Where a window shows all evidence anyway, a question tells nothing about recall. */
const isHidden = (evidence: readonly Evidence[] = []): boolean =>
  evidence.some(({ in: isIn, reason }) => !isIn || reason === 'recall.match')

const PAGE = 5000

async function walkOf(
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
  const questions = pairs === undefined ? pairsIn(id, events) : pairs.filter(({ session }) => session === id)
  return ok({ id, turns: turnsIn(events), questions })
}

/** The turns of a session with what their replies had to know. */
function turnsIn(events: readonly Recorded[]): readonly WalkedTurn[] {
  const said = new Set<string>()
  const replies = new Map<TurnId, UsingReply[]>()
  for (const event of events) {
    const own = textsOf(event).flatMap(identifiersIn)
    if (isReply(event)) {
      const using = { seq: event.seq, identifiers: [...new Set(own)].filter(each => said.has(each)) }
      replies.set(event.turn, [...(replies.get(event.turn) ?? []), using])
    }
    for (const each of own) said.add(each)
  }
  return events.flatMap(event =>
    event.type === 'turn.started' && !isHouseVoice(event.voice) ? [{ ...event, replies: replies.get(event.turn) ?? [] }] : [],
  )
}

function textsOf(event: Recorded): readonly string[] {
  if (event.type === 'message.received') return [event.text]
  if (event.type === 'tool.settled') return [event.outcome]
  return isReply(event) ? wordsOf(event) : []
}

const wordsOf = ({ parts }: SpokenReply): readonly string[] =>
  parts.flatMap(part => (part.type === 'call' ? stringsIn(part.args) : part.type === 'text' ? [part.text] : []))

/** Where a voice has come: its next request goes on from there. */
type Standing = Pick<DryRun, 'last' | 'balance'>

async function walkThrough(
  services: Services,
  plan: Planner,
  { id, turns, questions }: Walk,
  own: Walked,
  progress: (done: BenchProgress) => void,
): Promise<Result<null, Fault>> {
  const { sums, judged } = own
  const under = { policy: own.policy, ...(own.budget === null ? {} : { budget: own.budget }) }
  const charge = createBilling()
  const standings = new Map<VoiceId, Standing>()
  const asked = new Set<number>()
  const account = (prepared: Prepared, reply: UsingReply | undefined): void => {
    addRequest(sums, services, charge, prepared, reply?.identifiers ?? [])
    progress({ session: id, policy: own.policy, budget: own.budget, requests: sums.requests })
  }
  for (const { turn, voice, cause, replies } of turns) {
    const prepared = await plan(id, { ...under, ...standings.get(voice), at: cause, voice })
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
    const last = await laterSteps(id, plan, under, { turn, voice, replies }, prepared.value, account)
    standings.set(voice, standingAfter(prepared.value, last))
  }
  const voice = turns.at(-1)?.voice
  for (const pair of questions.filter(({ at }) => at === undefined)) {
    const by = voice === undefined ? {} : { ...standings.get(voice), voice }
    const prepared = await plan(id, { ...under, ...by, text: pair.question })
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
  under: Pick<DryRun, 'policy' | 'budget'>,
  { turn, voice, replies }: Pick<WalkedTurn, 'turn' | 'voice' | 'replies'>,
  first: Prepared,
  account: (prepared: Prepared, reply: UsingReply) => void,
): Promise<Prepared> {
  let last = first
  let frozen: Frozen = { ...frozenBy(first), last: first.receipt.window, isBare: first.receipt.degraded !== null }
  for (const [index, reply] of replies.entries()) {
    if (index === 0) continue
    const { cause, ordinal } = first.material.turn
    const later: LaterStep = {
      turn: { id: turn, step: index + 1, cause, ordinal },
      ...{ frozen, through: reply.seq - 1, marksThrough: first.material.marksThrough },
    }
    const prepared = await plan(id, { ...under, voice }, { later })
    if (!prepared.ok) return last
    account(prepared.value, reply)
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

function addRequest(
  sums: Sums,
  { measure }: Services,
  charge: ReturnType<typeof createBilling>,
  { plan, files }: Prepared,
  identifiers: readonly string[],
): void {
  // Every request is billed as one to Anthropic's API would be, also in sessions of other models.
  const abilities = { ...plan.abilities, cacheMinimum: LEAST_CACHED_TOKENS }
  const bill = charge(billedBlocks(anthropicWire.encode({ ...plan, abilities }, files).body, measure.count))
  sums.requests += 1
  sums.units += billedUnits(bill)
  sums.bill = addBills(sums.bill, bill)
  if (identifiers.length === 0) return
  const text = stringsIn([plan.system, plan.tools, plan.messages]).join('\n')
  sums.used += identifiers.length
  sums.visible += identifiers.filter(each => text.includes(each)).length
}

function rowOf({ policy, budget, sums, judged }: Walked, questions: readonly QuestionPair[]): BenchRow {
  const { requests, tooLong, bill, units, used, visible } = sums
  const shares = questions.map(pair => {
    const evidence = judged.get(pair) ?? []
    return evidence.length === 0 ? 0 : evidence.filter(({ in: isIn }) => isIn).length / evidence.length
  })
  const pieces = questions.flatMap(pair => judged.get(pair) ?? [])
  const tokens = billedTokens(bill)
  const each = (sum: number): number => (requests === 0 ? 0 : Math.round(sum / requests))
  return {
    ...{ policy, budget, evidence: pieces.length, requests, tooLong, used, visible },
    recall: shares.length === 0 ? null : shares.reduce((sum, share) => sum + share, 0) / shares.length,
    found: pieces.filter(({ in: isIn }) => isIn).length,
    inPart: pieces.filter(({ part }) => part === true).length,
    units: each(units),
    tokens: each(tokens),
    cached: tokens === 0 ? 0 : bill.read / tokens,
  }
}
