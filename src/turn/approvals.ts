import type { Log } from '../log/log.ts'
import type { ApprovalAnswer, Event } from '../model/event.ts'
import { type Fault, fault } from '../model/fault.ts'
import type { ApprovalId, SessionId, TurnId } from '../model/ids.ts'
import { err, ok, type Result } from '../model/result.ts'

/** A call that waits for a person. */
export type Pending = {
  readonly approval: ApprovalId
  readonly session: SessionId
  readonly turn: TurnId
  readonly call: string
  readonly tool: string
  readonly argv: readonly string[]
  readonly at: string
  readonly expiresAt: string
}

/** What was allowed for good, where it can be read and taken back. */
export type Rules = {
  readonly isAlways: (tool: string) => boolean
  readonly remember: (tool: string) => Promise<Result<null, Fault>>
}

export type Approvals = {
  /** Newest last. */
  readonly pending: () => readonly Pending[]
  /** Whether a person's earlier word covers a tool in a session. */
  readonly isGranted: (session: SessionId, tool: string) => Promise<boolean>
  /** A call begins to wait; what happened to it meanwhile is in the log. */
  readonly wait: (asked: Asked) => void
  /** Takes a waiting call for answering: only the first who comes gets it. */
  readonly take: (id: ApprovalId) => Result<Pending, Fault>
  /** It could not be answered after all. */
  readonly putBack: (pending: Pending) => void
  readonly answered: (pending: Pending, answer: ApprovalAnswer) => Promise<Result<null, Fault>>
  /** The turn is over: nothing of it waits any more. */
  readonly forget: (turn: TurnId) => void
  readonly close: () => void
}

type Asked = Extract<Event, { type: 'approval.asked' }>

const EXPIRES_AFTER_MS = 24 * 3_600_000
const PUT_BACK_MS = 30_000
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** Answers that are remembered only to say that they were given. */
const MOST_REMEMBERED = 10_000

const IN_MEMORY = (): Rules => {
  const tools = new Set<string>()
  return {
    isAlways: tool => tools.has(tool),
    remember: async tool => {
      tools.add(tool)
      return ok(null)
    },
  }
}

export type ApprovalsOptions = {
  readonly log: Log
  readonly clock: () => number
  readonly rules?: Rules
  /** Told when a call has waited for too long. */
  readonly onExpired: (id: ApprovalId) => void
}

export function createApprovals({ log, clock, rules = IN_MEMORY(), onExpired }: ApprovalsOptions): Approvals {
  const waiting = new Map<ApprovalId, { readonly pending: Pending; readonly timer: NodeJS.Timeout }>()
  const given = new Set<ApprovalId>()
  const granted = new Map<SessionId, Promise<Set<string>>>()

  const grantedIn = (session: SessionId): Promise<Set<string>> => {
    const known = granted.get(session)
    if (known !== undefined) return known
    if (granted.size >= MOST_REMEMBERED) granted.clear()
    const reading = readGrants(log, session).then(found => {
      // A store that does not answer grants nothing, and is asked again.
      if (found === undefined) granted.delete(session)
      return found ?? new Set<string>()
    })
    granted.set(session, reading)
    return reading
  }
  const stop = (id: ApprovalId): void => {
    clearTimeout(waiting.get(id)?.timer)
    waiting.delete(id)
  }
  const hold = (pending: Pending, leastMs: number): void => {
    const left = Math.max(leastMs, Date.parse(pending.expiresAt) - clock())
    const timer = setTimeout(() => onExpired(pending.approval), Math.min(left, LONGEST_TIMER_MS)).unref()
    waiting.set(pending.approval, { pending, timer })
    given.delete(pending.approval)
  }

  return {
    pending: () => [...waiting.values()].map(({ pending }) => pending),
    isGranted: async (session, tool) => rules.isAlways(tool) || (await grantedIn(session)).has(tool),
    wait: ({ approval, session, turn, call, tool, argv, at }) => {
      const since = at === '' ? clock() : Date.parse(at)
      const expiresAt = new Date(since + EXPIRES_AFTER_MS).toISOString()
      hold({ approval, session, turn, call, tool, argv, at: new Date(since).toISOString(), expiresAt }, 0)
    },
    take: id => {
      const found = waiting.get(id)
      if (found === undefined)
        return err(
          given.has(id)
            ? fault('conflict', 'this call was answered already; the first answer counts')
            : fault('not-found', 'there is no approval of that id'),
        )
      stop(id)
      if (given.size >= MOST_REMEMBERED) given.clear()
      given.add(id)
      return ok(found.pending)
    },
    // A store that could not take the answer will not take it in the next moment either.
    putBack: pending => hold(pending, PUT_BACK_MS),
    answered: async ({ session, tool }, answer) => {
      if (answer === 'session') (await grantedIn(session)).add(tool)
      return answer === 'always' ? rules.remember(tool) : ok(null)
    },
    forget: turn => {
      for (const { pending } of [...waiting.values()]) if (pending.turn === turn) stop(pending.approval)
    },
    close: () => {
      for (const id of [...waiting.keys()]) stop(id)
    },
  }
}

/** What a person allowed for the whole of a session is in its log. */
async function readGrants(log: Log, session: SessionId): Promise<Set<string> | undefined> {
  const events = await log.read(session, { only: 'approval.answered' })
  if (!events.ok) return undefined
  return new Set(
    events.value.flatMap(event => (event.type === 'approval.answered' && event.answer === 'session' ? [event.tool] : [])),
  )
}
