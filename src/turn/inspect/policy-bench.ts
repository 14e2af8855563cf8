/** Compares policies over kept sessions: what each would have sent for every turn, what that costs, and what it still shows. */
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Policy } from '../../model/settings/policy.ts'
import type { Services } from '../services.ts'
import {
  addWalk,
  type BenchProgress,
  type BenchReport,
  type BenchWish,
  type Contender,
  nothingWalked,
  rowOf,
  type Walked,
} from './bench-report.ts'
import { type Walk, walkOf, walkThrough } from './bench-walk.ts'
import type { Planner } from './dry-run.ts'
import type { Evidence } from './evidence.ts'
import type { QuestionPair } from './question-pairs.ts'

export type { BenchProgress, BenchReport, BenchRow, BenchWish } from './bench-report.ts'

const STOPPED = fault('cancelled', 'the comparison was stopped')

/** Plans every request of the sessions under every policy. No model is asked, and nothing is stored but the index. */
export async function benchPolicies(
  services: Services,
  plan: Planner,
  { sessions, policies, budgets = [], pairs, withoutMemory = false, abort }: BenchWish,
  progress: (done: BenchProgress) => void = () => {},
): Promise<Result<BenchReport, Fault>> {
  const unknown = policies.find(name => !services.policies.has(name))
  if (unknown !== undefined)
    return err(fault('invalid', `there is no policy "${unknown}"; known: ${[...services.policies.keys()].join(', ')}`))
  const contenders = policies.flatMap(policy => {
    const each = (budgets.length === 0 ? [null] : budgets).map((budget): Contender => ({ policy, budget }))
    const hasBoth = withoutMemory && hasMemory(services.policies.get(policy))
    return hasBoth ? [...each, ...each.map((contender): Contender => ({ ...contender, withoutMemory: true }))] : each
  })
  const unlessStopped: Planner = async (...asked) => (abort?.aborted === true ? err(STOPPED) : plan(...asked))
  const totals = contenders.map(nothingWalked)
  const all: QuestionPair[] = []
  const skipped: { readonly session: SessionId; readonly why: string }[] = []
  for (const id of sessions) {
    const walk = await walkOf(services, id, pairs)
    if (!walk.ok) return walk
    const walked = await walkedBy(services, unlessStopped, walk.value, contenders, progress)
    if (!walked.ok && (walked.fault.kind === 'store' || walked.fault === STOPPED)) return walked
    if (!walked.ok) {
      skipped.push({ session: id, why: walked.fault.message })
      continue
    }
    all.push(...walk.value.questions)
    for (const [index, total] of totals.entries()) for (const own of walked.value.slice(index, index + 1)) addWalk(total, own)
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
    const own = nothingWalked(contender)
    const done = await walkThrough(services, plan, walk, own, progress)
    if (!done.ok) return done
    walked.push(own)
  }
  return ok(walked)
}

const hasMemory = (policy: Policy | undefined): boolean => (policy?.recall ?? null) !== null || (policy?.fold ?? null) !== null

/** Where a window shows all evidence anyway, a question tells nothing about recall. */
const isHidden = (evidence: readonly Evidence[] = []): boolean =>
  evidence.some(({ in: isIn, reason }) => !isIn || reason === 'recall.match')
