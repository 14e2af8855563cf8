import { ANYONE, type AppendOptions, type Due, type EventLog, type Standing } from '../log/ports.ts'
import type { ApprovalAnswer, Fact } from '../model/event.ts'
import { type Fault, fault } from '../model/fault.ts'
import type { ApprovalId, SessionId, TurnId } from '../model/ids.ts'
import { err, ok, type Result } from '../model/result.ts'
import { type Session, sharedThrough } from '../model/session.ts'
import { isAfterRound, isHouseVoice } from '../model/settings/council.ts'
import type { VoiceId } from '../model/voice.ts'
import { type Address, admit, type Inbound } from './admission/admit.ts'
import { type Attached, attach } from './admission/attach.ts'
import { agentOf } from './admission/speaker.ts'
import { createLedgers } from './durable/ledgers.ts'
import { createContinuedTurns } from './recovery/continue-turn.ts'
import { type Claim, createLanes, type Work } from './schedule/lane.ts'
import { createRunningTurns, type Place, placeOf, type Start, type WaitingTurn } from './schedule/running-turns.ts'
import { readState, type SessionState } from './schedule/session-state.ts'
import { type Attempt, createTurnStarts, startOf, type TurnRequest } from './schedule/start-turn.ts'
import type { Services } from './services.ts'
import { createOutlines } from './step/last-outlines.ts'
import type { Halt } from './step/stream-reply.ts'

/** The one who decides when a turn runs; what a turn does is in `run.ts`. */
export type Conductor = {
  /** Makes a message durable and starts the turns that answer it. */
  readonly say: (
    inbound: Inbound,
    address: Addressing,
  ) => Promise<Result<{ seq: number; turns: readonly TurnId[]; head: number }, Fault>>
  /** Starts a turn of its own; a `conflict` while its voice is busy. */
  readonly start: (session: Session, wish: TurnRequest) => Promise<Result<TurnId, Fault>>
  /** Appends facts that belong to no turn, in order with those that do. */
  readonly append: (
    id: SessionId,
    facts: readonly Fact[],
    options?: Pick<AppendOptions, 'expect'>,
  ) => ReturnType<EventLog['append']>
  readonly cancel: (id: SessionId, turn?: TurnId) => Promise<Result<readonly TurnId[], Fault>>
  /** A person's word on a call that waits; the first one counts. */
  readonly answer: (id: ApprovalId, answer: ApprovalAnswer, reason?: string) => Promise<Result<null, Fault>>
  /** Whether turns are about to start there of which the log knows, and nobody else yet. */
  readonly isBeginning: (id: SessionId) => boolean
  /** The causes of turns that have not ended. */
  readonly open: (id: SessionId) => readonly { readonly voice: VoiceId; readonly turn: TurnId; readonly cause: number }[]
  readonly recover: () => Promise<Result<null, Fault>>
  readonly stop: (graceMs: number) => Promise<void>
}

/** Who hears and answers a message, found when its session is known. */
export type Addressing = (state: SessionState) => Result<Address, Fault> | Promise<Result<Address, Fault>>

/** Whoever looks after rounds is told whenever a turn is over. */
export type Listening = { readonly onTurnOver: (id: SessionId, standing: Standing | undefined) => void }

/** How long a message may wait for what a turn before it could not save yet. */
const PATIENCE_MS = 5000
const STORE_RETRY_MS = 250
const STOPPING: Fault = fault('overloaded', 'the gateway is stopping; send the message again in a moment')

export function createConductor(services: Services, { onTurnOver }: Listening): Conductor {
  const { log, feed, files, mint, observe, approvals } = services
  const lanes = createLanes(cause => observe({ type: 'bug', cause }))
  const ledgers = createLedgers(services)
  const runningTurns = createRunningTurns(services, ledgers, createOutlines(services))
  const beginning = new Map<SessionId, number>()
  let stopping = false

  /** From the moment a start may be in the log until its turn runs, a round must not be taken for over. */
  const asBeginning = async <Value>(id: SessionId, work: () => Promise<Value>): Promise<Value> => {
    beginning.set(id, (beginning.get(id) ?? 0) + 1)
    try {
      return await work()
    } finally {
      const left = (beginning.get(id) ?? 1) - 1
      if (left === 0) beginning.delete(id)
      else beginning.set(id, left)
    }
  }

  /** Facts that wait to be saved have their seqs already; nothing may be written before them. */
  const inOrder = async (id: SessionId): Promise<Fault | undefined> => {
    const ledger = ledgers.of(id)
    if (ledger === undefined || ledger.unsaved().length === 0) return undefined
    await ledger.saved(AbortSignal.timeout(PATIENCE_MS))
    return ledger.unsaved().length === 0
      ? undefined
      : fault('store', 'earlier events of this session are not saved yet; nothing was lost, try again')
  }

  const look = (id: SessionId): Promise<Result<SessionState, Fault>> => readState(log, id)

  const append: Conductor['append'] = async (id, facts, options = {}) => {
    const trouble = await inOrder(id)
    if (trouble !== undefined) return err(trouble)
    const appended = await log.append(id, facts, { ...options, ids: facts.map(() => mint('evt')) })
    if (appended.ok) told(id, appended.value.standing)
    return appended
  }

  const told = (id: SessionId, standing: Standing): void => {
    feed.head(id, standing.head)
    ledgers.of(id)?.seen(standing)
  }

  const starts = createTurnStarts(services, append)
  const goingOn = createContinuedTurns(services, runningTurns, { look, append, isStopping: () => stopping })

  /** A turn is over: told when its lane is free, so that whoever reads of its end and answers at once finds it so. */
  const over =
    ({ session }: Place, standing: Standing) =>
    (): void => {
      feed.head(session, standing.head)
      onTurnOver(session, standing)
    }

  /** Runs a turn, and then whatever else waits for its voice. */
  const perform = async (place: Place, run: () => Promise<Standing>): ReturnType<Work> => {
    const standing = await run()
    if (!isDue(standing, place) || runningTurns.waitingAt(place.lane) !== undefined) return over(place, standing)
    over(place, standing)()
    return drain(place)
  }

  /** Whatever is due in a lane: a turn that was set aside first, then messages that its voice has not heard. */
  const proceed = async (place: Place): ReturnType<Work> => {
    const waiting = runningTurns.waitingAt(place.lane)
    if (waiting === undefined) return drain(place)
    const standing = await goingOn.goOn(waiting)
    if (standing !== undefined && (!isDue(standing, place) || runningTurns.waitingAt(place.lane) !== undefined))
      return over(place, standing)
    if (standing !== undefined) over(place, standing)()
    return runningTurns.waitingAt(place.lane) === undefined ? drain(place) : undefined
  }

  /** Answers what its voice has not heard yet, one turn after the other. A store that is away is waited for. */
  const drain = async (place: Place, attempt: Attempt = {}): ReturnType<Work> => {
    while (!stopping) {
      const begun = await begin(place, attempt)
      if (!begun.ok && begun.fault.kind !== 'store') return undefined
      if (!begun.ok) await new Promise(resolve => setTimeout(resolve, STORE_RETRY_MS))
      else return begun.value === undefined ? undefined : perform(place, begun.value)
    }
    return undefined
  }

  /** Starts the turn that is due, if one is, and gives back the running of it. */
  const begin = async (place: Place, attempt: Attempt): Promise<Result<(() => Promise<Standing>) | undefined, Fault>> => {
    const known = await look(place.session)
    if (!known.ok) return known
    const { session, standing } = known.value
    if (attempt.turn !== undefined) {
      const landed = await starts.landed(session, attempt.turn, standing)
      if (!landed.ok) return landed
      const { value: start } = landed
      if (start !== undefined) return ok(() => runningTurns.run(start))
    }
    const cause = firstDue(standing, place)
    if (cause === undefined) return ok(undefined)
    // A session may have been given to another agent while its message waited.
    const voice = session.council === null && !isHouseVoice(place.voice) ? agentOf(services, session).key : place.voice
    const started = await startNow(session, { voice, cause }, attempt)
    return started.ok ? ok(() => started.value.running) : started
  }

  /** Writes down that a turn starts, and starts it; gives back its id and its running. */
  const startNow = (
    session: Session,
    wish: TurnRequest,
    attempt: Attempt = {},
  ): Promise<Result<{ turn: TurnId; running: Promise<Standing> }, Fault>> =>
    asBeginning(session.id, async () => {
      const started = await starts.open(session, wish, attempt)
      return started.ok ? ok({ turn: started.value.turn, running: runningTurns.run(started.value) }) : started
    })

  /** A turn whose message landed although its sender was told otherwise: the same key again finds it, and sees to it. */
  const finishLeft = async (start: Start): Promise<Standing> => {
    const own = await log.read(start.session.id, { turn: start.turn })
    return own.ok && own.value.length === 1 ? runningTurns.run(start) : start.standing
  }

  /** Stops a turn that waits for a person. */
  const stopAside = async (waiting: WaitingTurn): Promise<Result<readonly TurnId[], Fault>> => {
    const ended = await goingOn.end(waiting, { reason: 'cancelled' })
    // It went on in the same moment, and is a running turn now.
    const running = runningTurns.runningAt(waiting.lane)
    if (ended.ok && ended.value.length === 0 && running?.turn === waiting.turn) return stopOne(waiting)
    lanes.wake(waiting.lane, () => proceed(waiting))
    return ended
  }

  const stopOne = async (place: WaitingTurn): Promise<Result<readonly TurnId[], Fault>> => {
    const running = runningTurns.runningAt(place.lane)
    if (running?.turn !== place.turn) return stopAside(place)
    running.controller.abort({ reason: 'cancelled', fault: fault('cancelled', 'stopped by a person') } satisfies Halt)
    await running.ended
    // It may have been set aside in the same moment.
    const waiting = runningTurns.waitingAt(place.lane)
    return waiting?.turn === place.turn ? stopAside(waiting) : ok([place.turn])
  }

  const cancel: Conductor['cancel'] = async (id, turn) => {
    const open = runningTurns.open(id).filter(each => turn === undefined || each.turn === turn)
    if (turn !== undefined && open.length === 0) {
      const events = await log.read(id, { turn })
      if (!events.ok) return events
      return events.value.length === 0 ? err(fault('not-found', 'there is no turn of that id in this session')) : ok([])
    }
    const stopped = await Promise.all(open.map(stopOne))
    const failed = stopped.find(each => !each.ok)
    return failed ?? ok(stopped.flatMap(each => (each.ok ? each.value : [])))
  }

  /** The lanes of those who can answer at once; taken before anything is awaited, so that two messages cannot both take one. */
  const claimed = (session: Session, voices: readonly VoiceId[]): ReadonlyMap<VoiceId, Claim> => {
    const claims = voices.flatMap((voice): [VoiceId, Claim][] => {
      const { lane } = placeOf(session, voice)
      const claim = runningTurns.waitingAt(lane) === undefined ? lanes.claim(lane) : undefined
      return claim === undefined ? [] : [[voice, claim]]
    })
    return new Map(claims)
  }

  const say: Conductor['say'] = async (inbound, addressing) => {
    if (stopping) return err(STOPPING)
    const id = inbound.session
    const attached = attach(inbound.parts ?? [])
    if (!attached.ok) return attached
    const trouble = await inOrder(id)
    if (trouble !== undefined) return err(trouble)
    const state = await look(id)
    if (!state.ok) return state
    const address = await addressing(state.value)
    if (!address.ok) return address
    const said = await asBeginning(id, () => taken(inbound, attached.value, state.value, address.value))
    // What follows an earlier round may have waited for this.
    onTurnOver(id, said.ok ? said.value.standing : undefined)
    if (!said.ok) return said
    return ok({ seq: said.value.seq, turns: said.value.turns, head: said.value.standing.head })
  }

  /** Takes a message in, and starts whoever can answer at once. */
  const taken = async (
    inbound: Inbound,
    attached: Attached,
    { session, standing }: SessionState,
    address: Address,
  ): Promise<Result<{ seq: number; turns: readonly TurnId[]; standing: Standing }, Fault>> => {
    const voices = answering(services, session, address)
    const claims = claimed(session, voices)
    const openings = [...claims.keys()].map(voice => starts.openingOf(session, voice, mint('trn')))
    /** It may be in the log all the same; then its turn runs, and else whatever else is due. */
    const lost = (): void => {
      for (const { voice, turn } of openings) claims.get(voice)?.run(() => drain(placeOf(session, voice), { turn }))
    }
    const admitted = await admit(services, inbound, attached, address, openings, standing.head).catch((cause: unknown) => {
      lost()
      throw cause
    })
    if (!admitted.ok) {
      if (admitted.fault.kind === 'store') lost()
      for (const claim of claims.values()) claim.release()
      return admitted
    }
    const { seq, turns, appended } = admitted.value
    if (!appended.again) {
      files.keep(attached.texts)
      told(session.id, appended.standing)
    }
    for (const voice of voices) {
      const place = placeOf(session, voice)
      const claim = claims.get(voice)
      const start = startOf(session, voice, seq, appended)
      if (claim === undefined) {
        // A turn that waits for a person hears the message when it goes on.
        if (runningTurns.waitingAt(place.lane) === undefined && !appended.again) lanes.wake(place.lane, () => proceed(place))
      } else if (start === undefined) claim.release()
      else claim.run(() => perform(place, () => (appended.again ? finishLeft(start) : runningTurns.run(start))))
    }
    return ok({ seq, turns, standing: appended.standing })
  }

  /** A lane for each voice that has something to hear; turns that wait for a person are looked at too. */
  const wakeAll = ({ session, standing }: SessionState): void => {
    // A fork answers nothing of what it has from its parent before a person says so.
    const due = standing.due.filter(({ voice, seq }) => !isAfterRound(voice) && seq > sharedThrough(session))
    const voices = new Set(due.map(({ voice }) => voice))
    for (const voice of voices) {
      const place = placeOf(session, voice)
      lanes.wake(place.lane, () => proceed(place))
    }
    onTurnOver(session.id, standing)
  }

  const wake = async (id: SessionId): Promise<Result<null, Fault>> => {
    const state = await look(id)
    if (state.ok) wakeAll(state.value)
    return state.ok ? ok(null) : state
  }

  return {
    say,
    append,
    cancel,
    open: id => runningTurns.open(id),
    isBeginning: id => beginning.has(id),
    start: async (session, wish) => {
      if (stopping) return err(STOPPING)
      const place = placeOf(session, wish.voice)
      const claim = runningTurns.waitingAt(place.lane) === undefined ? lanes.claim(place.lane) : undefined
      if (claim === undefined)
        return err(fault('conflict', 'this voice is answering already; wait until it has ended, or stop it'))
      const started = await startNow(session, wish).catch((cause: unknown) => {
        claim.release()
        throw cause
      })
      if (!started.ok) {
        claim.release()
        return started
      }
      claim.run(() => perform(place, () => started.value.running))
      return ok(started.value.turn)
    },
    recover: async () => {
      const left = await goingOn.recover()
      if (!left.ok) return left
      for (const each of left.value) lanes.wake(each.lane, () => proceed(each))
      const waiting = await log.waiting()
      if (!waiting.ok) return waiting
      for (const id of waiting.value) {
        const woken = await wake(id)
        if (!woken.ok) return woken
      }
      return ok(null)
    },
    answer: async (id, answer, reason) => {
      const taken = approvals.take(id)
      if (!taken.ok) return taken
      const { session, turn, call, tool, approval } = taken.value
      const given: Fact = {
        type: 'approval.answered',
        ...{ approval, turn, call, tool, answer },
        ...(reason === undefined ? {} : { reason }),
      }
      const written = await append(session, [given]).catch((cause: unknown) => {
        approvals.putBack(taken.value)
        throw cause
      })
      if (!written.ok) {
        // A session that is gone has no questions any more.
        if (written.fault.kind !== 'not-found') approvals.putBack(taken.value)
        return written
      }
      // Only an answer that is in the log may allow more than this one call; the turn's next call is to find it allowed.
      try {
        return await approvals.answered(taken.value, answer)
      } finally {
        const place = runningTurns.open(session).find(each => each.turn === turn)
        if (place !== undefined) lanes.wake(place.lane, () => proceed(place))
      }
    },
    stop: async graceMs => {
      stopping = true
      approvals.close()
      await within(graceMs * 0.8, lanes.idle())
      runningTurns.halt({ reason: 'interrupted', fault: fault('cancelled', 'the gateway stopped while this was being said') })
      await within(graceMs * 0.2, lanes.idle())
      ledgers.giveUp()
    },
  }
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** Who answers a message at once; what comes of its round waits until they have. */
export const answering = (services: Services, session: Session, { asked }: Address): readonly VoiceId[] =>
  (asked ?? [agentOf(services, session).key]).filter(voice => !isAfterRound(voice))

/** The house is only asked by its name. */
const isFor = ({ voice }: Place, due: Due): boolean => due.voice === voice || (due.voice === ANYONE && !isHouseVoice(voice))

/** What comes of a round is started by whoever looks after rounds, never by a lane that happens to be free. */
const firstDue = ({ due }: Standing, place: Place): number | undefined =>
  isAfterRound(place.voice) ? undefined : due.find(each => isFor(place, each))?.seq

const isDue = (standing: Standing, place: Place): boolean => firstDue(standing, place) !== undefined
