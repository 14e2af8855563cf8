/** The conductor: takes messages in, runs one turn at a time for each voice, and starts what is due after a turn. */
import { setTimeout as pause } from 'node:timers/promises'
import { isStaleFence, STALE_FENCE } from '../log/append-rules.ts'
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
import type { Tenure } from './nodes/ownership.ts'
import { findPending } from './nodes/pending-approvals.ts'
import { createContinuedTurns } from './recovery/continue-turn.ts'
import { type Claim, createLanes, type Lane } from './schedule/lane.ts'
import { type Activity, createRunningTurns, type FinishedTurn, laneOf, type TurnLane } from './schedule/running-turns.ts'
import { readState, type SessionState } from './schedule/session-state.ts'
import { createSessionWriter, type SessionWriter } from './schedule/session-writer.ts'
import { type Attempt, type Begun, createTurnStarts, firstDue, startOf, type TurnRequest } from './schedule/start-turn.ts'
import { stopTurns } from './schedule/stop-turns.ts'
import { within } from './schedule/within.ts'
import type { Services } from './services.ts'
import { createOutlines } from './step/last-outlines.ts'
import type { Halt } from './step/stream-reply.ts'
import { type Pending, recordAnswer, writeAnswer } from './tools/approvals.ts'

export type Conductor = {
  /** Makes a message durable and starts the turns that answer it: those of `address`, or those that the message itself names. */
  readonly say: (inbound: Inbound, address?: Address) => Promise<Result<Received, Fault>>
  /** Starts a round in which advisors answer each other. */
  readonly sayExchange: (id: SessionId, exchange: Exchange) => Promise<Result<Received, Fault>>
  /** Starts a turn of its own; a `conflict` while its voice is busy. With a tenure: only in that one. */
  readonly start: (session: Session, request: TurnRequest, tenure?: Tenure) => Promise<Result<TurnId, Fault>>
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

/** A message that may be taken in, the session as it was read for it, and the tenure in which this node runs it, if it does. */
type Ready = { readonly attached: Attached; readonly state: SessionState; readonly tenure: Tenure | undefined }

const STORE_RETRY_MS = 250
const STOPPING: Fault = fault('overloaded', 'the gateway is stopping; send the message again in a moment')
const BUSY: Fault = fault('conflict', 'this voice is answering already; wait until it has ended, or stop it')

const INTERRUPTED: Halt = {
  reason: 'interrupted',
  fault: fault('cancelled', 'the gateway stopped while this was being said'),
}

const TAKEN_OVER: Halt = { reason: 'interrupted', fault: STALE_FENCE }

/** Once `until` is aborted, nothing follows a round by itself any more. */
export function createConductor(services: Services, quotes: Quotes, until?: AbortSignal): Conductor {
  const { log, feed, files, mint, observe, approvals, owners, nodes } = services
  const onBug = (cause: unknown): void => observe({ type: 'bug', cause })
  const lanes = createLanes(onBug)
  /** One at a time for each session, so that what is due after a round is started once. */
  const followUps = createLanes(onBug)
  const stopping = new AbortController()
  const ledgers = createLedgers(services)
  const { append, inOrder, grown } = createSessionWriter(services, ledgers)
  const outlines = createOutlines(services)
  const running = createRunningTurns(services, ledgers, outlines)
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

  /** Starts what the log says is due after the rounds of a session that are over. Until then the session is not given back. */
  const followUp = (id: SessionId): Promise<void> =>
    owners.during(id, async () => {
      // A store that does not answer must not cost a round what is due after it.
      while (!(await startDueAfterRounds(id)) && until?.aborted !== true && !stopping.signal.aborted)
        await pause(STORE_RETRY_MS, undefined, { ref: false })
    })

  /** False if the store did not answer. */
  const startDueAfterRounds = async (id: SessionId): Promise<boolean> => {
    // Where another node runs the session, it sees to what is due there.
    const tenure = await owners.whenTaken(id)
    if (tenure === undefined) return true
    const state = await readState(log, id)
    if (!state.ok) return state.fault.kind !== 'store'
    const { session, standing } = state.value
    let isDone = true
    for (const due of standing.due) {
      if (!isAfterRound(due.voice) || !isRoundOver(standing, due.seq, running.activity(id))) continue
      const next = await afterRound(log, session, due)
      const begun = next.ok && next.value !== undefined ? await startAfterRound(session, tenure, next.value) : next
      if (!begun.ok && begun.fault.kind === 'store') isDone = false
    }
    return isDone
  }

  const startAfterRound = (session: Session, tenure: Tenure, next: AfterRound): Promise<Result<unknown, Fault>> =>
    next.is === 'synthesis'
      ? start(session, next.request, tenure)
      : exchangeIn(session.id, next.exchange, { after: next.after, tenure })

  /** After a turn: its voice answers the next message, or leaves its lane. */
  const handOn = async (place: TurnLane, lane: Lane, finished: FinishedTurn): Promise<void> => {
    if (finished.isLost) {
      // Another node goes on with it, or this one in its next tenure: nothing follows from how it ended here.
      feed.settled(place.session, finished.turn)
      lane.leave()
      return followRounds(place.session, undefined)
    }
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

  /** A turn that waits for a person reads the message when it goes on. */
  const wakeIfFree = (place: TurnLane): void => {
    if (running.waitingAt(place.lane) === undefined) wakeLane(place)
  }

  /** Answers what a voice has not answered yet, one turn after the other. Waits for a store that does not answer. */
  const drain = async (place: TurnLane, lane: Lane, attempt: Attempt = {}): Promise<void> => {
    const begun = await owners.during(place.session, () => beginDue(place, attempt))
    if (begun !== undefined) await handOn(place, lane, await begun.running)
  }

  const beginDue = async (place: TurnLane, attempt: Attempt): Promise<Begun | undefined> => {
    while (!stopping.signal.aborted) {
      const begun = await startOwned(place, attempt)
      if (begun.ok) return begun.value
      // It was lost in this moment: this node takes it again, or another one has.
      if (isStaleFence(begun.fault)) continue
      if (begun.fault.kind !== 'store') return undefined
      await pause(STORE_RETRY_MS)
    }
    return undefined
  }

  const startOwned = async (place: TurnLane, attempt: Attempt): Promise<Result<Begun | undefined, Fault>> => {
    const owned = await owners.own(place.session)
    if (!owned.ok) return owned
    // The node that runs it sees to what is due there.
    return owned.value === undefined ? ok(undefined) : starts.startDue(place, owned.value, attempt)
  }

  const start: Conductor['start'] = (session, request, tenure) =>
    owners.during(session.id, () => startIn(session, request, tenure))

  const startIn = async (session: Session, request: TurnRequest, given?: Tenure): Promise<Result<TurnId, Fault>> => {
    if (stopping.signal.aborted) return err(STOPPING)
    const owned = given === undefined ? await owners.own(session.id) : ok(given)
    if (!owned.ok) return owned
    const tenure = owned.value
    if (tenure === undefined) return err(STALE_FENCE)
    const place = laneOf(session, request.voice)
    const claim = claimed(place)
    if (claim === undefined) return err(BUSY)
    const started = await starts.startNow(session, tenure, request).catch((cause: unknown) => {
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

  const say: Conductor['say'] = (inbound, given) =>
    owners.during(inbound.session, async () => {
      const ready = await readyFor(inbound)
      if (!ready.ok) return ready
      const address = given === undefined ? await affordableAddress(ready.value.state, inbound) : ok(given)
      return address.ok ? receive(inbound, ready.value, address.value) : address
    })

  const affordableAddress = async (state: SessionState, inbound: Inbound): Promise<Result<Address, Fault>> => {
    const address = addressOf(services, state.session, inbound)
    if (!address.ok) return address
    const refused = refusedForMessage(services, state.session, inbound, address.value.voices)
    return refused === undefined ? quotes.affordable(state, address.value, inbound) : err(refused)
  }

  /** Only the node that runs a session can tell that a round is over, so nothing is left for another one here. */
  const exchangeIn = (
    id: SessionId,
    exchange: Exchange,
    { after, tenure }: { readonly after?: number; readonly tenure?: Tenure } = {},
  ): Promise<Result<Received, Fault>> =>
    owners.during(id, async () => {
      const key = after === undefined ? {} : { key: `exchange ${after}` }
      const inbound = { session: id, text: PROMPTS.exchange, from: 'council', ...key }
      const ready = await readyFor(inbound)
      if (!ready.ok) return ready
      const own = ready.value.tenure
      if (own === undefined || (tenure !== undefined && tenure.fence !== own.fence)) return err(STALE_FENCE)
      const address = exchangeAddress(services, ready.value.state, exchange, after)
      return address.ok ? receive(inbound, ready.value, address.value) : address
    })

  const readyFor = async ({ session, parts = [] }: Inbound): Promise<Result<Ready, Fault>> => {
    if (stopping.signal.aborted) return err(STOPPING)
    const attached = attach(parts)
    if (!attached.ok) return attached
    const trouble = await inOrder(session)
    if (trouble !== undefined) return err(trouble)
    const state = await ownedState(session)
    return mapResult(state, known => ({ attached: attached.value, ...known }))
  }

  /** A session as it is when this node runs it, or knows that another one does. */
  const ownedState = async (id: SessionId): Promise<Result<Pick<Ready, 'state' | 'tenure'>, Fault>> => {
    const before = owners.tenureOf(id)
    const state = await readState(log, id)
    if (!state.ok) return state
    const owned = await owners.own(id)
    if (!owned.ok) return owned
    const tenure = owned.value
    // Until it was ours, another node may have written to it.
    const isNew = tenure !== undefined && (before === undefined || before.fence !== tenure.fence)
    return mapResult(isNew ? await readState(log, id) : state, known => ({ state: known, tenure }))
  }

  const receive = async (inbound: Inbound, ready: Ready, address: Address): Promise<Result<Received, Fault>> => {
    const id = inbound.session
    const taken = await running.whileBeginning(id, async () => {
      const first = await takeIn(inbound, ready, address)
      // Another node has taken the session over in this moment: what a person says is left for it.
      const isLeft = !first.ok && isStaleFence(first.fault) && address.exchange === undefined
      return isLeft ? takeIn(inbound, { ...ready, tenure: undefined }, address) : first
    })
    // What is due after an earlier round may have waited for this.
    followRounds(id, taken.ok ? taken.value.standing : undefined)
    return mapResult(taken, ({ seq, turns, standing }) => ({ seq, turns, head: standing.head }))
  }

  /** Makes a message durable, and starts the voices that can answer at once. */
  const takeIn = async (
    inbound: Inbound,
    { attached, state: { session, standing }, tenure }: Ready,
    address: Address,
  ): Promise<Result<Omit<Received, 'head'> & { readonly standing: Standing }, Fault>> => {
    const voices = answering(services, session, address)
    // Taken before anything is awaited, so that two messages cannot both take a lane.
    const claims = new Map(tenure === undefined ? [] : voices.flatMap(voice => withClaim(voice, claimed(laneOf(session, voice)))))
    const openings = [...claims.keys()].map(voice => starts.openingOf(session, voice, mint('trn')))
    /** The message may be in the log although its write failed: then its turns run, else what else is due. */
    const lost = (): void => {
      for (const { voice, turn } of openings) claims.get(voice)?.run(lane => drain(laneOf(session, voice), lane, { turn }))
    }
    const seen = { head: standing.head, fence: tenure?.fence }
    const admitted = await admit(services, inbound, attached, address, openings, seen).catch((cause: unknown) => {
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
    if (tenure === undefined) {
      nodes?.leftForOwner(session.id)
      // It may have come to this node since, and then no other one sees to it.
      if (owners.tenureOf(session.id) !== undefined) for (const voice of voices) wakeIfFree(laneOf(session, voice))
      return ok({ seq, turns, standing: appended.standing })
    }
    for (const voice of voices) {
      const place = laneOf(session, voice)
      const claim = claims.get(voice)
      const begun = startOf(session, tenure, voice, seq, appended)
      if (claim === undefined) {
        if (!appended.again) wakeIfFree(place)
      } else if (begun === undefined) claim.release()
      else claim.run(async lane => handOn(place, lane, await (appended.again ? starts.runIfNew(begun) : running.run(begun))))
    }
    return ok({ seq, turns, standing: appended.standing })
  }

  const cancel: Conductor['cancel'] = (id, turn) =>
    owners.during(id, async () => {
      const tenure = owners.tenureOf(id)
      const { stopped, freed } = await stopTurns(services, running, continued, id, turn)
      for (const place of freed) wakeLane(place)
      if (!stopped.ok || nodes === undefined) return stopped
      // A stop that is only known here would be undone by the node that goes on with the session.
      const unsaved = await inOrder(id)
      if (tenure === undefined || !owners.isStill(id, tenure)) return err(STALE_FENCE)
      return unsaved === undefined ? stopped : err(unsaved)
    })

  /** Wakes a lane for each voice that has something to answer. */
  const wakeSession = ({ session, standing }: SessionState): void => {
    // A fork answers nothing that it has from its parent until a person asks for it.
    const due = standing.due.filter(({ voice, seq }) => !isAfterRound(voice) && seq > sharedThrough(session))
    for (const voice of new Set(due.map(each => each.voice))) wakeLane(laneOf(session, voice))
    followRounds(session.id, standing)
  }

  /** What a session was left with goes on: by a crash, or by another node. */
  const takeUp = async (id: SessionId, { due }: Standing, tenure: Tenure): Promise<Result<null, Fault>> => {
    const open = await log.openTurns(id)
    if (!open.ok) return open
    // Most sessions are taken for the message that comes next, and nothing was left in them.
    if (open.value.length === 0 && due.length === 0) return ok(null)
    const left = await continued.recover({ session: id, tenure })
    if (!left.ok) return left
    if (open.value.length > 0) folding.takenUp(id)
    for (const each of left.value) wakeLane(each)
    return mapResult(await readState(log, id), state => {
      if (state.standing.due.length > 0) wakeSession(state)
      return null
    })
  }

  /** Another node has written to a session that this one runs: a message, an answer to a question, a mark. */
  const grownElsewhere = async (id: SessionId, after: number): Promise<boolean> => {
    const [state, events] = await Promise.all([readState(log, id), log.read(id, { after })])
    if (!state.ok || !events.ok) return false
    grown(id, state.value.standing)
    for (const event of events.value) {
      if (event.type !== 'approval.answered') continue
      const asked = approvals.take(event.approval)
      // The node that took the answer keeps what it grants, too; the turn's next call may come before that.
      if (asked.ok) await approvals.answered(asked.value, event.answer)
      const place = running.activity(id).turns.find(({ turn }) => turn === event.turn)
      if (place !== undefined) wakeLane(place)
    }
    wakeSession(state.value)
    return true
  }

  nodes?.begin({
    taken: takeUp,
    changed: outlines.forget,
    lost: id => running.drop(id, TAKEN_OVER),
    isBusy: id => {
      const { isBeginning, turns } = running.activity(id)
      // What is summarized behind the answers needs the lease until it is written.
      return isBeginning || turns.length > 0 || folding.isUnderWay(id)
    },
    grown: grownElsewhere,
  })

  /** An answer to a question that another node has asked. */
  const answerElsewhere = async (
    id: ApprovalId,
    answer: ApprovalAnswer,
    reason: string | undefined,
    refused: Fault,
  ): Promise<Result<Pending, Fault>> => {
    if (nodes === undefined || refused.kind !== 'not-found') return err(refused)
    const found = await findPending(nodes.ports.watch, id)
    return found.ok ? writeAnswer(append, found.value, answer, reason) : found
  }

  return {
    say,
    sayExchange: exchangeIn,
    start,
    append,
    fold: folding.make,
    cancel,
    activity: running.activity,
    recover: async () => {
      // Where several nodes share the store, each takes up what no other one has, from now on.
      if (nodes !== undefined) return ok(null)
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
      const here = await recordAnswer(approvals, append, id, answer, reason)
      const recorded = here.ok ? here : await answerElsewhere(id, answer, reason, here.fault)
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
      nodes?.close()
      approvals.close()
      running.haltVoice(FOLD, INTERRUPTED)
      await within(graceMs * 0.8, lanes.idle())
      running.halt(INTERRUPTED)
      await within(graceMs * 0.2, lanes.idle())
      await within(graceMs * 0.2, folding.idle())
      ledgers.giveUp()
      await nodes?.stop()
    },
  }
}

const withClaim = (voice: VoiceId, claim: Claim | undefined): readonly (readonly [VoiceId, Claim])[] =>
  claim === undefined ? [] : [[voice, claim]]
