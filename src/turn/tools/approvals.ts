/** Keeps the calls that wait for a person, and records the answers and the grants. */
import type { Grants } from '../../log/ports.ts'
import { factsIn, type RunFacts } from '../../model/approval.ts'
import type { ApprovalAnswer, Event, Fact } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { ApprovalId, SessionId, TurnId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { SessionWriter } from '../schedule/session-writer.ts'
import { grantBinding, type ShownCall } from './approval-binding.ts'

/** A call that waits for a person, with everything the answer is bound to. */
export type Pending = RunFacts & {
  readonly approval: ApprovalId
  readonly session: SessionId
  readonly turn: TurnId
  readonly call: string
  readonly tool: string
  readonly argv: readonly string[]
  readonly at: string
  readonly expiresAt: string
}

export type Approvals = {
  /** Newest last. */
  readonly pending: () => readonly Pending[]
  /** Whether an earlier grant covers a call as it would run now, in its session (null: in no session). */
  readonly isGranted: (session: SessionId | null, call: Omit<ShownCall, 'argv'>) => Promise<boolean>
  /** A call begins to wait; what happened to it meanwhile is in the log. */
  readonly wait: (asked: ApprovalAsked) => void
  /** Takes a waiting call for answering. Only the first caller gets it. */
  readonly take: (id: ApprovalId) => Result<Pending, Fault>
  /** It could not be answered after all. */
  readonly putBack: (pending: Pending) => void
  /** Keeps an answer that is for more than this call. */
  readonly answered: (pending: Pending, answer: ApprovalAnswer) => Promise<Result<null, Fault>>
  /** The turn is over, so none of its calls wait any longer. */
  readonly forget: (turn: TurnId) => void
  /** Sets what happens to a call that has waited too long. */
  readonly whenExpired: (listener: (id: ApprovalId) => void) => void
  readonly close: () => void
}

export type ApprovalAsked = Extract<Event, { type: 'approval.asked' }>

export const ANSWERED: Fault = fault('conflict', 'this call was answered already; the first answer counts')
export const NO_APPROVAL: Fault = fault('not-found', 'there is no approval of that id')

const EXPIRES_AFTER_MS = 24 * 3_600_000
const PUT_BACK_MS = 30_000
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** Answers that are remembered only to say that they were given. */
const MOST_REMEMBERED = 10_000

export type ApprovalsOptions = {
  readonly grants: Grants
  readonly clock: () => number
}

export function createApprovals({ grants, clock }: ApprovalsOptions): Approvals {
  const waiting = new Map<ApprovalId, { readonly pending: Pending; readonly timer: NodeJS.Timeout }>()
  const given = new Set<ApprovalId>()
  let onExpired: (id: ApprovalId) => void = () => {}

  const stop = (id: ApprovalId): void => {
    clearTimeout(waiting.get(id)?.timer)
    waiting.delete(id)
  }
  const hold = (pending: Pending, leastMs: number): void => {
    stop(pending.approval)
    const left = Math.max(leastMs, Date.parse(pending.expiresAt) - clock())
    const timer = setTimeout(() => onExpired(pending.approval), Math.min(left, LONGEST_TIMER_MS)).unref()
    waiting.set(pending.approval, { pending, timer })
    given.delete(pending.approval)
  }

  return {
    pending: () => [...waiting.values()].map(({ pending }) => pending),
    isGranted: async (session, call) => {
      const found = await grants.has(call.tool, grantBinding(call.tool, call), session)
      // A store that does not answer grants nothing.
      return found.ok && found.value
    },
    wait: asked => {
      hold(pendingOf(asked), 0)
    },
    take: id => {
      const found = waiting.get(id)
      if (found === undefined) return err(given.has(id) ? ANSWERED : NO_APPROVAL)
      stop(id)
      if (given.size >= MOST_REMEMBERED) given.clear()
      given.add(id)
      return ok(found.pending)
    },
    // A store that could not take the answer will not take it in the next moment either.
    putBack: pending => hold(pending, PUT_BACK_MS),
    answered: async (pending, answer) => {
      if (answer !== 'session' && answer !== 'always') return ok(null)
      const { tool, session } = pending
      const facts = withoutValues(factsIn(pending))
      return grants.add({ tool, binding: grantBinding(tool, pending), session: answer === 'session' ? session : null, facts })
    },
    forget: turn => {
      for (const { pending } of [...waiting.values()]) if (pending.turn === turn) stop(pending.approval)
    },
    whenExpired: listener => {
      onExpired = listener
    },
    close: () => {
      for (const id of [...waiting.keys()]) stop(id)
    },
  }
}

/** A question as people are shown it. */
export function pendingOf(asked: ApprovalAsked): Pending {
  const { approval, session, turn, call, tool, argv, at } = asked
  const since = Date.parse(at)
  const expiresAt = new Date(since + EXPIRES_AFTER_MS).toISOString()
  return { approval, session, turn, call, tool, argv, ...factsIn(asked), at: new Date(since).toISOString(), expiresAt }
}

/** A grant is for any arguments, so it does not say which ones were asked about. */
const withoutValues = ({ resolver, ...facts }: RunFacts): RunFacts => ({
  ...facts,
  ...(resolver === undefined ? {} : { resolver: resolver.map(each => ({ ...each, argv: each.argv.slice(0, 1) })) }),
})

/** Takes a waiting call and writes the answer down; if that fails, the call waits on. */
export async function recordAnswer(
  approvals: Approvals,
  append: SessionWriter['append'],
  id: ApprovalId,
  answer: ApprovalAnswer,
  reason?: string,
): Promise<Result<Pending, Fault>> {
  const taken = approvals.take(id)
  if (!taken.ok) return taken
  const written = await writeAnswer(append, taken.value, answer, reason).catch((cause: unknown) => {
    approvals.putBack(taken.value)
    throw cause
  })
  // A session that is gone has no questions any more, and one that was answered elsewhere has its answer.
  if (!written.ok && written.fault.kind !== 'not-found' && written.fault !== ANSWERED) approvals.putBack(taken.value)
  return written
}

/** Writes the answer to a question down, once: of two that come at the same time, on any nodes, the first one counts. */
export async function writeAnswer(
  append: SessionWriter['append'],
  pending: Pending,
  answer: ApprovalAnswer,
  reason?: string,
): Promise<Result<Pending, Fault>> {
  const { session, turn, call, tool, approval } = pending
  const given: Fact = {
    type: 'approval.answered',
    ...{ approval, turn, call, tool, answer },
    ...(reason === undefined ? {} : { reason }),
  }
  const written = await append(session, [given], { key: `answer ${approval}` })
  if (!written.ok) return written
  return written.value.again ? err(ANSWERED) : ok(pending)
}
