/** The turns that run now and those that wait for a person, by the lane they run in. */
import type { Standing } from '../../log/ports.ts'
import type { Event, Fact } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import { isHouseVoice, isInternalVoice, type SynthesisMode } from '../../model/settings/council.ts'
import type { VoiceId } from '../../model/voice.ts'
import { settingsOf } from '../admission/reply-settings.ts'
import { learnedChoice, type Speaker, speakerOf } from '../admission/speaker.ts'
import { BUG } from '../durable/bug-guard.ts'
import type { Ledgers } from '../durable/ledgers.ts'
import { type Equipment, NO_EQUIPMENT } from '../equipment/equipment.ts'
import type { Tenure } from '../nodes/ownership.ts'
import { pickUp } from '../recovery/pick-up.ts'
import type { Services } from '../services.ts'
import type { Outlines } from '../step/last-outlines.ts'
import { type Running, runTurn } from '../step/run.ts'
import type { Halt } from '../step/stream-reply.ts'
import { createTimeLimit } from '../step/time-limit.ts'
import { runningMs } from './running-ms.ts'

/** Where one turn at a time runs: a voice of a session. A session with an agent has one lane, also when its agent changes. */
export type TurnLane = { readonly session: SessionId; readonly voice: VoiceId; readonly lane: string }

export const laneOf = ({ id, council }: Session, voice: VoiceId): TurnLane => ({
  session: id,
  voice,
  lane: council === null && !isHouseVoice(voice) ? `${id} ` : `${id} ${voice}`,
})

/** A turn that has started in the log. */
export type Start = {
  readonly session: Session
  /** The tenure in which it was started, or its log was read: it runs in no other. */
  readonly tenure: Tenure
  readonly turn: TurnId
  readonly voice: VoiceId
  readonly cause: number
  readonly own: readonly Event[]
  readonly standing: Standing
  readonly mode?: SynthesisMode
  /** What is asked with, where the voice itself has no model. */
  readonly model?: string
  /** It goes on with the text of a turn before it. */
  readonly continues?: true
  /** As if nothing had been said after this seq. */
  readonly at?: number
}

/** What a turn that is about to run needs beside its start. */
export type TurnSetup = Pick<Running, 'speaker' | 'policy' | 'model' | 'thinking' | 'sampling' | 'ordinal' | 'answers'> &
  Partial<Pick<Running, 'cause' | 'own' | 'standing' | 'from'>>

/** A turn that runs now. */
export type RunningTurn = TurnLane & {
  readonly turn: TurnId
  readonly cause: number
  readonly controller: AbortController
  readonly ended: Promise<void>
}

/** A turn that waits for a person; until then only its lane is known. */
export type WaitingTurn = TurnLane & { readonly turn: TurnId; readonly cause: number }

/** A turn that is over or waits for a person, and the standing of its session then. `isLost`: another node may go on with it. */
export type FinishedTurn = { readonly turn: TurnId; readonly standing: Standing; readonly isLost: boolean }

/** What goes on in a session. */
export type Activity = {
  /** Turns are about to start: they may be in the log, and do not run yet. */
  readonly isBeginning: boolean
  /** The turns that have not ended. */
  readonly turns: readonly WaitingTurn[]
}

/** The turns that run now, and those that wait for a person. */
export type RunningTurns = {
  /** Runs a turn to its end, or until it waits for a person and is set aside. Followers hear of its end from the caller. */
  readonly run: (start: Start, setup?: TurnSetup) => Promise<FinishedTurn>
  /** Does something after which turns run; until it is done, the session counts as beginning. */
  readonly whileBeginning: <Value>(session: SessionId, work: () => Promise<Value>) => Promise<Value>
  /** When the turns that are about to start now run, or did not start. */
  readonly whenBegun: (session: SessionId) => Promise<void>
  readonly runningAt: (lane: string) => RunningTurn | undefined
  readonly waitingAt: (lane: string) => WaitingTurn | undefined
  readonly setAside: (turn: WaitingTurn) => void
  /** Takes back a turn that was set aside; false if it is not set aside any more. */
  readonly takeUp: (turn: WaitingTurn) => boolean
  readonly activity: (session: SessionId) => Activity
  /** Whether an answer is being made now, in any session. */
  readonly isAnswering: () => boolean
  readonly halt: (halt: Halt) => void
  /** Another node has taken a session over: its running turns are halted, and those that wait are forgotten. */
  readonly drop: (session: SessionId, halt: Halt) => void
  /** Halts the running turns of one voice in all sessions. */
  readonly haltVoice: (voice: VoiceId, halt: Halt) => void
}

/** An advisor has skills and tools only if it says so, and the house itself needs none. */
export async function equipmentFor(services: Services, { key, seat, tools, skills }: Speaker): Promise<Equipment> {
  if (isHouseVoice(key)) return NO_EQUIPMENT
  const named = { ...(tools === undefined ? {} : { tools }), ...(skills === undefined ? {} : { skills }) }
  if (seat === undefined || seat.advisor.house === true) return services.equipment(named)
  const isBare = [tools, skills].every(list => list === undefined || list.length === 0)
  return isBare ? NO_EQUIPMENT : services.equipment({ tools: [], skills: [], ...named })
}

export function createRunningTurns(services: Services, ledgers: Ledgers, outlines: Outlines): RunningTurns {
  const { log, mint, feed, observe, approvals, owners } = services
  const turns = new Map<string, RunningTurn>()
  const aside = new Map<string, WaitingTurn>()
  const beginning = new Map<SessionId, Set<Promise<unknown>>>()
  let halted: Halt | undefined

  /** From the moment a start may be in the log until its turn runs, its round must not be taken for over. */
  const whileBeginning: RunningTurns['whileBeginning'] = async (id, work) => {
    const underWay = beginning.get(id) ?? new Set()
    beginning.set(id, underWay)
    const begun = work()
    underWay.add(begun)
    try {
      return await begun
    } finally {
      underWay.delete(begun)
      if (underWay.size === 0) beginning.delete(id)
    }
  }

  const isAnswering = (): boolean => beginning.size > 0 || [...turns.values()].some(({ voice }) => !isInternalVoice(voice))

  /** What a new turn runs under: as its session and its voice say now. */
  const fresh = async ({ session, voice, standing, mode, model, cause, own }: Start): Promise<Result<TurnSetup, Fault>> => {
    const speaker = speakerOf(services, session, voice, mode)
    if (!speaker.ok) return speaker
    const instead = { ...settingsOf(own, cause), ...(model === undefined ? {} : { model }) }
    const choice = await learnedChoice(services, session, speaker.value, instead)
    if (!choice.ok) return choice
    const { turns: ordinal, answers } = standing.voices[voice] ?? { turns: 1, answers: 0 }
    return ok({ speaker: speaker.value, ...choice.value, ordinal, answers })
  }

  /** What goes on with a text goes on under what that was begun with. */
  const setupOf = async (start: Start): Promise<Result<TurnSetup, Fault>> =>
    start.continues === true ? pickUp(services, start.session, start.turn, start.standing) : fresh(start)

  const run: RunningTurns['run'] = async (start, given) => {
    const { session, turn, voice, standing, tenure } = start
    const isOurs = (): boolean => owners.isStill(session.id, tenure)
    // Another node may have gone on with it since: what is known of it here is old.
    if (!isOurs()) return { turn, standing, isLost: true }
    const own = laneOf(session, voice)
    const { lane } = own
    const controller = new AbortController()
    // It was admitted in the last moment: it is left for the next start.
    if (halted !== undefined) controller.abort(halted)
    const { turnMs } = services.limits
    const late: Halt = { reason: 'failed', fault: fault('timeout', `the turn took longer than ${turnMs / 1000} s`) }
    // It runs for so long in all, however often it waited for a person in between.
    const left = turnMs - runningMs(given?.own ?? start.own, turn)
    if (left <= 0) controller.abort(late)
    const timer = setTimeout(() => controller.abort(late), Math.max(0, left))
    const { ledger, leave } = ledgers.take(session.id, standing, tenure)
    const reported = (cause: unknown): void => observe({ type: 'bug', cause })
    const endedBy = (why: Fault): Fact => ({ type: 'turn.ended', turn, voice, reason: 'failed', fault: why })
    const begun = async (): Promise<void> => {
      const setup = given === undefined ? await setupOf(start) : ok(given)
      if (!setup.ok) {
        await ledger.write([endedBy(setup.fault)], { isQuiet: true })
        return
      }
      // Read beside everything else, and not waited for longer than the history: the turn can do without it.
      const before = outlines.before(session.id, voice).catch((cause: unknown) => {
        reported(cause)
        return undefined
      })
      const equipment = await equipmentFor(services, setup.value.speaker)
      if (equipment.news.length > 0) feed.notice(session.id, { kind: 'reloaded', message: equipment.news.join('; '), turn })
      const timeLimit = createTimeLimit(services.limits.historyMs)
      const running: Running = { ...start, ...setup.value, before, outlines, ledger, equipment, timeLimit, isAnswering }
      const ending = await runTurn(services, running, controller.signal)
      if (isOurs()) {
        if (ending === 'waits') aside.set(lane, { ...own, turn, cause: running.cause })
        if (ending === 'ended') approvals.forget(turn)
      } else if (owners.tenureOf(session.id) === undefined) approvals.forget(turn)
    }
    /** The turn gets an end even if something fails before its first step. */
    const failed = async (cause: unknown): Promise<void> => {
      reported(cause)
      await ledger.write([endedBy(BUG)], { isQuiet: true }).catch(reported)
    }
    /** A bug that kept facts out of the log may have kept out the end of the turn too. Followers must not wait forever. */
    const endedAnyway = async (): Promise<void> => {
      if (aside.get(lane)?.turn === turn) return
      const own = await log.read(session.id, { turn })
      if (own.ok && own.value.some(({ type }) => type === 'turn.ended')) return
      const written = await log.append(session.id, [endedBy(BUG)], { ids: [mint('evt')], fence: tenure.fence })
      if (written.ok) feed.head(session.id, written.value.standing.head)
    }
    const ended = begun()
      .catch(failed)
      .finally(() => clearTimeout(timer))
    turns.set(lane, { ...own, turn, cause: start.cause, controller, ended })
    // The lane stays taken until everything is saved: later events must not get the seqs of those that wait.
    await ended
    await ledger.saved()
    if (ledger.trouble()?.kind === 'bug') await endedAnyway().catch(reported)
    turns.delete(lane)
    leave()
    return { turn, standing: ledger.standing(), isLost: !isOurs() }
  }

  return {
    run,
    runningAt: lane => turns.get(lane),
    waitingAt: lane => aside.get(lane),
    setAside: turn => void aside.set(turn.lane, turn),
    takeUp: ({ lane, turn }) => aside.get(lane)?.turn === turn && aside.delete(lane),
    whileBeginning,
    whenBegun: async session => {
      await Promise.allSettled(beginning.get(session) ?? [])
    },
    isAnswering,
    activity: session => {
      const open = [...turns.values(), ...aside.values()].filter(each => each.session === session)
      // A turn that was just set aside is still among the running ones until all of it is saved.
      const distinct = [...new Map(open.map(each => [each.turn, each])).values()]
      return { isBeginning: beginning.has(session), turns: distinct }
    },
    haltVoice: (voice, halt) => {
      for (const each of turns.values()) if (each.voice === voice) each.controller.abort(halt)
    },
    drop: (session, halt) => {
      for (const each of turns.values()) {
        if (each.session !== session) continue
        each.controller.abort(halt)
        approvals.forget(each.turn)
      }
      for (const [lane, each] of aside) {
        if (each.session !== session) continue
        aside.delete(lane)
        approvals.forget(each.turn)
      }
    },
    halt: halt => {
      halted = halt
      for (const { controller } of turns.values()) controller.abort(halt)
    },
  }
}
