/** The conductor: takes messages in, runs one turn at a time for each voice, and starts what is due after a turn. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Standing } from '../log/ports.ts'
import type { ApprovalAnswer, Exchange } from '../model/event.ts'
import { type Fault, fault } from '../model/fault.ts'
import type { ApprovalId, SessionId, TurnId } from '../model/ids.ts'
import { err, mapResult, ok, type Result } from '../model/result.ts'
import { type Session, sharedThrough } from '../model/session.ts'
import { FOLD, isAfterRound, TITLE } from '../model/settings/council.ts'
import type { VoiceId } from '../model/voice.ts'
import { addressOf, answering, exchangeAddress } from './admission/addressing.ts'
import { type Address, admit, type Inbound } from './admission/admit.ts'
import { type Attached, attach } from './admission/attach.ts'
import { refusedForMessage } from './admission/reply-settings.ts'
import type { Quotes } from './cost/cost-quote.ts'
import { PROMPTS } from './council/prompts.ts'
import { type AfterRound, afterRound, isRoundOver } from './council/rounds.ts'
import { createLedgers } from './durable/ledgers.ts'
import { createFolding, type Folding } from './memory/make-fold.ts'
import { setTitle } from './memory/titles.ts'
import { createContinuedTurns } from './recovery/continue-turn.ts'
import { type Claim, createLanes, type Lane } from './schedule/lane.ts'
import { type Activity, createRunningTurns, type FinishedTurn, laneOf, type TurnLane } from './schedule/running-turns.ts'
import { readState, type SessionState } from './schedule/session-state.ts'
import { createSessionWriter, type SessionWriter } from './schedule/session-writer.ts'
import { type Attempt, createTurnStarts, firstDue, startOf, type TurnRequest } from './schedule/start-turn.ts'
import { stopTurns } from './schedule/stop-turns.ts'
import { within } from './schedule/within.ts'
import type { Services } from './services.ts'
import { createOutlines } from './step/last-outlines.ts'
import type { Halt } from './step/stream-reply.ts'
import { recordAnswer } from './tools/approvals.ts'

export type Conductor = {
  /** Makes a message durable and starts the turns that answer it: those of `address`, or those that the message itself names. */
  readonly say: (inbound: Inbound, address?: Address) => Promise<Result<Received, Fault>>
  /** Starts a round in which advisors answer each other; `after` is the round that it follows by itself. */
  readonly sayExchange: (id: SessionId, exchange: Exchange, after?: number) => Promise<Result<Received, Fault>>
  /** Starts a turn of its own; a `conflict` while its voice is busy. */
  readonly start: (session: Session, request: TurnRequest) => Promise<Result<TurnId, Fault>>
  /** Appends facts that belong to no turn, in order with those that do. */
  readonly append: SessionWriter['append']
  /** Makes a fold that a person asked for. */
  readonly fold: Folding['make']
  readonly cancel: (id: SessionId, turn?: TurnId) => Promise<Result<readonly TurnId[], Fault>>
  /** Takes a person's answer about a call that waits; the first answer counts. */
  readonly answer: (id: ApprovalId, answer: ApprovalAnswer, reason?: string) => Promise<Result<null, Fault>>
  /** What goes on in a session now. */
  readonly activity: (id: SessionId) => Activity
  readonly recover: () => Promise<Result<null, Fault>>
  readonly stop: (graceMs: number) => Promise<void>
}

/** A message that is safe, the turns that were started with it, and how far the log had come. */
export type Received = { readonly seq: number; readonly turns: readonly TurnId[]; readonly head: number }

/** A message that may be taken in, and the session as it was read for it. */
type Ready = { readonly attached: Attached; readonly state: SessionState }

const STORE_RETRY_MS = 250
const STOPPING: Fault = fault('overloaded', 'the gateway is stopping; send the message again in a moment')
const BUSY: Fault = fault('conflict', 'this voice is answering already; wait until it has ended, or stop it')

const INTERRUPTED: Halt = {
  reason: 'interrupted',
  fault: fault('cancelled', 'the gateway stopped while this was being said'),
}

/** Once `until` is aborted, nothing follows a round by itself any more. */
export function createConductor(services: Services, quotes: Quotes, until?: AbortSignal): Conductor {
  const { log, feed, files, mint, observe, approvals } = services
  const onBug = (cause: unknown): void => observe({ type: 'bug', cause })
  const lanes = createLanes(onBug)
  /** One at a time for each session, so that what is due after a round is started once. */
  const followUps = createLanes(onBug)
  const stopping = new AbortController()
  const ledgers = createLedgers(services)
  const { append, inOrder, grown } = createSessionWriter(services, ledgers)
  const running = createRunningTurns(services, ledgers, createOutlines(services))
  const starts = createTurnStarts(services, running, append)
  const continued = createContinuedTurns(services, running, append, stopping.signal)

  /** Tells followers of the end of a turn, and starts what is due then: a synthesis, the next round, a title, a fold. */
  const turnOver = ({ session, voice }: TurnLane, { turn, standing }: FinishedTurn): void => {
    feed.head(session, standing.head)
    followRounds(session, standing)
    if (voice === TITLE) setTitle(log, append, session, turn).catch(onBug)
    // A conversation that its caller keeps is over with its answer.
    if (until === undefined) folding.turnOver(session, voice, turn)
  }

  const followRounds = (id: SessionId, standing: Standing | undefined): void => {
    if (until?.aborted === true) return
    if (standing === undefined || standing.due.some(({ voice }) => isAfterRound(voice))) followUps.wake(id, () => followUp(id))
  }

  /** Starts what the log says is due after the rounds of a session that are over. */
  const followUp = async (id: SessionId): Promise<void> => {
    const state = await readState(log, id)
    if (!state.ok) return followUpLater(id, state.fault)
    const { session, standing } = state.value
    for (const due of standing.due) {
      if (!isAfterRound(due.voice) || !isRoundOver(standing, due.seq, running.activity(id))) continue
      const next = await afterRound(log, session, due)
      const begun = next.ok && next.value !== undefined ? await startAfterRound(session, next.value) : next
      if (!begun.ok) followUpLater(id, begun.fault)
    }
  }

  const startAfterRound = (session: Session, next: AfterRound): Promise<Result<unknown, Fault>> =>
    next.is === 'synthesis' ? start(session, next.request) : sayExchange(session.id, next.exchange, next.after)

  /** A store that does not answer must not cost a round what is due after it. */
  const followUpLater = (id: SessionId, { kind }: Fault): void => {
    if (kind === 'store') setTimeout(() => followUps.wake(id, () => followUp(id)), STORE_RETRY_MS).unref()
  }

  /** After a turn: its voice answers the next message, or leaves its lane. */
  const handOn = async (place: TurnLane, lane: Lane, finished: FinishedTurn): Promise<void> => {
    if (firstDue(finished.standing, place) !== undefined && running.waitingAt(place.lane) === undefined) {
      turnOver(place, finished)
      return drain(place, lane)
    }
    // Followers hear of the end when the lane is free, so that a message they send at once finds it free.
    lane.leave()
    turnOver(place, finished)
  }

  /** Does what is due in a lane: first a turn that was set aside, then the messages that its voice has not answered. */
  const proceed = async (place: TurnLane, lane: Lane): Promise<void> => {
    const waiting = running.waitingAt(place.lane)
    if (waiting === undefined) return drain(place, lane)
    const finished = await continued.goOn(waiting)
    if (finished !== undefined) return handOn(place, lane, finished)
    if (running.waitingAt(place.lane) === undefined) return drain(place, lane)
  }

  const wakeLane = (place: TurnLane): void => lanes.wake(place.lane, lane => proceed(place, lane))

  /** Answers what a voice has not answered yet, one turn after the other. Waits for a store that does not answer. */
  const drain = async (place: TurnLane, lane: Lane, attempt: Attempt = {}): Promise<void> => {
    while (!stopping.signal.aborted) {
      const begun = await starts.startDue(place, attempt)
      if (begun.ok) return begun.value === undefined ? undefined : handOn(place, lane, await begun.value.running)
      if (begun.fault.kind !== 'store') return
      await pause(STORE_RETRY_MS)
    }
  }

  const start: Conductor['start'] = async (session, request) => {
    if (stopping.signal.aborted) return err(STOPPING)
    const place = laneOf(session, request.voice)
    const claim = claimed(place)
    if (claim === undefined) return err(BUSY)
    const started = await starts.startNow(session, request).catch((cause: unknown) => {
      claim.release()
      throw cause
    })
    if (!started.ok) {
      claim.release()
      return started
    }
    claim.run(async lane => handOn(place, lane, await started.value.running))
    return ok(started.value.turn)
  }

  const folding = createFolding(services, {
    start,
    append,
    activity: running.activity,
    isAnswering: running.isAnswering,
    stopping: stopping.signal,
  })

  /** The lane of a voice that can answer at once. */
  const claimed = ({ lane }: TurnLane): Claim | undefined =>
    running.waitingAt(lane) === undefined ? lanes.claim(lane) : undefined

  const say: Conductor['say'] = async (inbound, given) => {
    const ready = await readyFor(inbound)
    if (!ready.ok) return ready
    const address = given === undefined ? await affordableAddress(ready.value.state, inbound) : ok(given)
    return address.ok ? receive(inbound, ready.value, address.value) : address
  }

  const affordableAddress = async (state: SessionState, inbound: Inbound): Promise<Result<Address, Fault>> => {
    const address = addressOf(services, state.session, inbound)
    if (!address.ok) return address
    const refused = refusedForMessage(services, state.session, inbound, address.value.voices)
    return refused === undefined ? quotes.affordable(state, address.value, inbound) : err(refused)
  }

  const sayExchange: Conductor['sayExchange'] = async (id, exchange, after) => {
    const key = after === undefined ? {} : { key: `exchange ${after}` }
    const inbound = { session: id, text: PROMPTS.exchange, from: 'council', ...key }
    const ready = await readyFor(inbound)
    if (!ready.ok) return ready
    const address = exchangeAddress(services, ready.value.state, exchange, after)
    return address.ok ? receive(inbound, ready.value, address.value) : address
  }

  const readyFor = async ({ session, parts = [] }: Inbound): Promise<Result<Ready, Fault>> => {
    if (stopping.signal.aborted) return err(STOPPING)
    const attached = attach(parts)
    if (!attached.ok) return attached
    const trouble = await inOrder(session)
    if (trouble !== undefined) return err(trouble)
    return mapResult(await readState(log, session), state => ({ attached: attached.value, state }))
  }

  const receive = async (inbound: Inbound, ready: Ready, address: Address): Promise<Result<Received, Fault>> => {
    const id = inbound.session
    const taken = await running.whileBeginning(id, () => takeIn(inbound, ready, address))
    // What is due after an earlier round may have waited for this.
    followRounds(id, taken.ok ? taken.value.standing : undefined)
    return mapResult(taken, ({ seq, turns, standing }) => ({ seq, turns, head: standing.head }))
  }

  /** Makes a message durable, and starts the voices that can answer at once. */
  const takeIn = async (
    inbound: Inbound,
    { attached, state: { session, standing } }: Ready,
    address: Address,
  ): Promise<Result<Omit<Received, 'head'> & { readonly standing: Standing }, Fault>> => {
    const voices = answering(services, session, address)
    // Taken before anything is awaited, so that two messages cannot both take a lane.
    const claims = new Map(voices.flatMap(voice => withClaim(voice, claimed(laneOf(session, voice)))))
    const openings = [...claims.keys()].map(voice => starts.openingOf(session, voice, mint('trn')))
    /** The message may be in the log although its write failed: then its turns run, else what else is due. */
    const lost = (): void => {
      for (const { voice, turn } of openings) claims.get(voice)?.run(lane => drain(laneOf(session, voice), lane, { turn }))
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
      grown(session.id, appended.standing)
    }
    for (const voice of voices) {
      const place = laneOf(session, voice)
      const claim = claims.get(voice)
      const begun = startOf(session, voice, seq, appended)
      if (claim === undefined) {
        // A turn that waits for a person reads the message when it goes on.
        if (running.waitingAt(place.lane) === undefined && !appended.again) wakeLane(place)
      } else if (begun === undefined) claim.release()
      else claim.run(async lane => handOn(place, lane, await (appended.again ? starts.runIfNew(begun) : running.run(begun))))
    }
    return ok({ seq, turns, standing: appended.standing })
  }

  const cancel: Conductor['cancel'] = async (id, turn) => {
    const { stopped, freed } = await stopTurns(services, running, continued, id, turn)
    for (const place of freed) wakeLane(place)
    return stopped
  }

  /** Wakes a lane for each voice that has something to answer. */
  const wakeSession = ({ session, standing }: SessionState): void => {
    // A fork answers nothing that it has from its parent until a person asks for it.
    const due = standing.due.filter(({ voice, seq }) => !isAfterRound(voice) && seq > sharedThrough(session))
    for (const voice of new Set(due.map(each => each.voice))) wakeLane(laneOf(session, voice))
    followRounds(session.id, standing)
  }

  return {
    say,
    sayExchange,
    start,
    append,
    fold: folding.make,
    cancel,
    activity: running.activity,
    recover: async () => {
      // What was being folded is closed, and found again if it is still due.
      const open = await log.openTurns()
      if (!open.ok) return open
      const left = await continued.recover()
      if (!left.ok) return left
      folding.recover(open.value.map(({ session }) => session))
      for (const each of left.value) wakeLane(each)
      const waiting = await log.waiting()
      if (!waiting.ok) return waiting
      for (const id of waiting.value) {
        const state = await readState(log, id)
        if (!state.ok) return state
        wakeSession(state.value)
      }
      return ok(null)
    },
    answer: async (id, answer, reason) => {
      const recorded = await recordAnswer(approvals, append, id, answer, reason)
      if (!recorded.ok) return recorded
      const { session, turn } = recorded.value
      // Only an answer that is in the log may allow more than this one call; the turn's next call is to find it allowed.
      try {
        return await approvals.answered(recorded.value, answer)
      } finally {
        const place = running.activity(session).turns.find(each => each.turn === turn)
        if (place !== undefined) wakeLane(place)
      }
    },
    stop: async graceMs => {
      stopping.abort()
      approvals.close()
      running.haltVoice(FOLD, INTERRUPTED)
      await within(graceMs * 0.8, lanes.idle())
      running.halt(INTERRUPTED)
      await within(graceMs * 0.2, lanes.idle())
      await within(graceMs * 0.2, folding.idle())
      ledgers.giveUp()
    },
  }
}

const withClaim = (voice: VoiceId, claim: Claim | undefined): readonly (readonly [VoiceId, Claim])[] =>
  claim === undefined ? [] : [[voice, claim]]
