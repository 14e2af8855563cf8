/** Turns that were left in the middle, because they wait for a person or because the process died. */
import { STALE_FENCE } from '../../log/append-rules.ts'
import type { OpenTurn } from '../../log/ports.ts'
import type { Event, Fact, Recorded, TurnStarted } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { BUG } from '../durable/bug-guard.ts'
import type { Tenure } from '../nodes/ownership.ts'
import {
  type FinishedTurn,
  laneOf,
  type RunningTurns,
  type Start,
  type TurnSetup,
  type WaitingTurn,
} from '../schedule/running-turns.ts'
import { readState, type SessionState } from '../schedule/session-state.ts'
import type { SessionWriter } from '../schedule/session-writer.ts'
import type { Services } from '../services.ts'
import { brokenReply, closing, goesOnByItself, progressOf } from './decide.ts'
import { endingFacts, openQuestions, pickUp, type WaitingEnding, waitsForPerson } from './pick-up.ts'

/** Continues or ends turns that were left in the middle. */
export type ContinuedTurns = {
  /** Goes on with a turn that is set aside; gives nothing if the turn is not set aside any more. */
  readonly goOn: (waiting: WaitingTurn) => Promise<FinishedTurn | undefined>
  /** Ends a turn that is set aside; its questions and calls are settled with it, or nothing changes. */
  readonly end: (waiting: WaitingTurn, ending: WaitingEnding) => Promise<Result<readonly TurnId[], Fault>>
  /**
   * Every turn that a crash left without an end, in one session that was taken or in all: those that go on are set aside and given
   * back, the others are closed.
   */
  readonly recover: (taken?: TakenSession) => Promise<Result<readonly WaitingTurn[], Fault>>
}

/** A session that this node runs from now on, and the tenure in which it does. */
export type TakenSession = { readonly session: SessionId; readonly tenure: Tenure }

const STORE_RETRY_MS = 250
const GONE: Fault = fault('bug', 'this turn cannot be gone on with: its session is gone')

export function createContinuedTurns(
  services: Services,
  runningTurns: RunningTurns,
  append: SessionWriter['append'],
  stopping: AbortSignal,
): ContinuedTurns {
  const { log, observe, approvals, resume, clock, owners } = services

  /** A bug fails the turn it was thrown for. */
  const bug = (cause: unknown): Result<never, Fault> => {
    observe({ type: 'bug', cause })
    return err(BUG)
  }

  const goOn: ContinuedTurns['goOn'] = async waiting => {
    const { session: id, turn, voice, lane, cause } = waiting
    while (!stopping.aborted) {
      const tenure = owners.tenureOf(id)
      if (tenure === undefined) return undefined
      const known = await readState(log, id).catch(bug)
      const picked = known.ok ? await pickedUp(known.value, turn).catch(bug) : known
      // A person may have stopped it meanwhile; from here to the running turn nothing is awaited.
      if (runningTurns.waitingAt(lane)?.turn !== turn) return undefined
      // Another node may have gone on with it since it was read.
      if (!owners.isStill(id, tenure)) continue
      if (!picked.ok && picked.fault.kind === 'store') {
        await new Promise(resolve => setTimeout(resolve, STORE_RETRY_MS))
        continue
      }
      if (!known.ok || !picked.ok) {
        await end(waiting, { reason: 'failed', fault: picked.ok ? GONE : picked.fault })
        return undefined
      }
      runningTurns.takeUp(waiting)
      if (picked.value === 'ended') return { turn, standing: known.value.standing, isLost: false }
      const { setup, ...start } = picked.value
      return runningTurns.run({ ...known.value, tenure, turn, voice, cause, own: [], ...start }, setup)
    }
    return undefined
  }

  /** A turn where its log leaves it; one that had asked nothing yet begins as if it were new. */
  const pickedUp = async ({ session, standing }: SessionState, turn: TurnId): Promise<Result<PickedUp | 'ended', Fault>> => {
    const read = await log.read(session.id, { turn })
    if (!read.ok) return read
    // Its end may be in the log although the write reported a failure.
    if (isEnded(read.value)) return ok('ended')
    const events = read.value.filter((event): event is Event => event.type !== 'damaged')
    const started = events.find(event => event.type === 'turn.started')
    if (progressOf(events).is !== 'new' || started === undefined) {
      const picked = await pickUp(services, session, turn, standing)
      return picked.ok ? ok({ setup: picked.value }) : picked
    }
    const message = await log.read(session.id, { after: started.cause - 1, through: started.cause })
    if (!message.ok) return message
    const heard = message.value.filter((event): event is Event => event.type !== 'damaged')
    // What the house makes of a round is made of what was there when it began.
    const house = started.mode === undefined ? {} : { mode: started.mode, at: started.seq - 1 }
    return ok({ own: [...heard, ...events], ...house, ...(started.continues === true ? { continues: true } : {}) })
  }

  const end: ContinuedTurns['end'] = async (waiting, ending) => {
    const { session: id, turn, voice } = waiting
    const tenure = owners.tenureOf(id)
    const events = await log.read(id, { turn })
    if (!events.ok) return events
    if (tenure === undefined || !owners.isStill(id, tenure)) return err(STALE_FENCE)
    if (!runningTurns.takeUp(waiting)) return ok([])
    if (isEnded(events.value)) {
      approvals.forget(turn)
      return ok([turn])
    }
    const ended = await append(id, endingFacts(turn, voice, events.value, ending), { fence: tenure.fence })
    if (!ended.ok) {
      if (owners.isStill(id, tenure)) runningTurns.setAside(waiting)
      return ended
    }
    approvals.forget(turn)
    observe({ type: 'ended', reason: ending.reason })
    return ok([turn])
  }

  /** Sees what became of one turn; gives it back if it goes on. */
  const recoverOne = async (
    open: OpenTurn,
    { fence }: Tenure,
    isLatest: boolean,
  ): Promise<Result<WaitingTurn | undefined, Fault>> => {
    const [session, events, checkpoints] = await Promise.all([
      log.session(open.session),
      log.read(open.session, { turn: open.turn }),
      log.checkpoints(open.session),
    ])
    if (!session.ok) return session
    if (!events.ok) return events
    if (!checkpoints.ok) return checkpoints
    const started = events.value.find((event): event is Event & TurnStarted => event.type === 'turn.started')
    const left = { ...laneOf(session.value, open.voice), turn: open.turn, cause: started?.cause ?? 0 }
    if (isLatest && waitsForPerson(events.value)) {
      for (const question of openQuestions(events.value)) approvals.wait(question)
      return ok(left)
    }
    const checkpoint = checkpoints.value.find(({ turn }) => turn === open.turn)
    const cut = await written(open.session, brokenReply(open, events.value, checkpoint), fence)
    if (!cut.ok) return cut
    const known = [...events.value, ...cut.value]
    if (isLatest && goesOnByItself(known, resume, clock())) return ok(left)
    const closed = await written(open.session, closing(open, known), fence)
    return closed.ok ? ok(undefined) : closed
  }

  const written = async (
    id: SessionId,
    facts: readonly Fact[],
    fence: number | undefined,
  ): Promise<Result<readonly Event[], Fault>> => {
    if (facts.length === 0) return ok([])
    const appended = await append(id, facts, { fence })
    return appended.ok ? ok(appended.value.events as readonly Event[]) : appended
  }

  return {
    goOn,
    end,
    recover: async taken => {
      const open = await log.openTurns(taken?.session)
      if (!open.ok) return open
      const left: WaitingTurn[] = []
      for (const each of open.value) {
        const tenure = taken?.tenure ?? owners.tenureOf(each.session)
        if (tenure === undefined) continue
        // A voice has one turn at a time; of two that were left, the later one goes on.
        const isLatest = !open.value.some(
          ({ session, voice, started }) => session === each.session && voice === each.voice && started > each.started,
        )
        const found = await recoverOne(each, tenure, isLatest)
        if (!found.ok) return found
        if (found.value !== undefined) left.push(found.value)
      }
      if (taken !== undefined && !owners.isStill(taken.session, taken.tenure)) {
        for (const { turn } of left) approvals.forget(turn)
        return err(STALE_FENCE)
      }
      for (const each of left) runningTurns.setAside(each)
      return ok(left)
    },
  }
}

const isEnded = (events: readonly Recorded[]): boolean => events.some(event => event.type === 'turn.ended')

type PickedUp = Partial<Pick<Start, 'own' | 'mode' | 'continues' | 'at'>> & { readonly setup?: TurnSetup }
