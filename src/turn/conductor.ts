import type { Appended, Log, Standing } from '../log/log.ts'
import type { ApprovalAnswer, Event, Fact } from '../model/event.ts'
import { type Fault, fault } from '../model/fault.ts'
import type { ApprovalId, SessionId, TurnId } from '../model/ids.ts'
import type { OutlineItem } from '../model/plan.ts'
import { err, ok, type Result } from '../model/result.ts'
import type { Session } from '../model/session.ts'
import { admit, type Inbound } from './admit.ts'
import { attach } from './attach.ts'
import { agentOf, choiceOf } from './choose.ts'
import { createLanes } from './lane.ts'
import { type Ledger, openLedger } from './ledger.ts'
import type { Halt } from './listen.ts'
import { next } from './next.ts'
import { createOutlines } from './outlines.ts'
import { closing } from './recover.ts'
import type { Rooms } from './rooms.ts'
import { type Running, runTurn } from './run.ts'
import { type AsideEnding, endingFacts, openQuestions, pickUp, waitsForPerson } from './set-aside.ts'

/** The one who decides when a turn runs; what a turn does is in `run.ts`. */
export type Conductor = {
  readonly say: (inbound: Inbound) => Promise<Result<{ seq: number; turns: readonly TurnId[] }, Fault>>
  /** Appends facts that belong to no turn, in order with those that do. */
  readonly append: (id: SessionId, facts: readonly Fact[]) => ReturnType<Log['append']>
  readonly cancel: (id: SessionId, turn?: TurnId) => Promise<Result<readonly TurnId[], Fault>>
  /** A person's word on a call that waits; the first one counts. */
  readonly answer: (id: ApprovalId, answer: ApprovalAnswer, reason?: string) => Promise<Result<null, Fault>>
  readonly recover: () => Promise<Result<null, Fault>>
  readonly stop: (graceMs: number) => Promise<void>
}

type Turn = { readonly id: TurnId; readonly controller: AbortController; readonly ledger: Ledger; readonly ended: Promise<void> }

/** How long a message may wait for what a turn before it could not save yet. */
const PATIENCE_MS = 5000
const STORE_RETRY_MS = 250
const STOPPING: Fault = fault('overloaded', 'the gateway is stopping; send the message again in a moment')

const isHeard = ({ said, heard }: Standing): boolean => said <= heard

/** A turn that is about to run, before its ledger and its tools. */
type Begun = Omit<Running, 'before' | 'sent' | 'ledger' | 'kit'>

export function createConductor(rooms: Rooms): Conductor {
  const { log, feed, files, mint, observe, limits, approvals } = rooms
  const lanes = createLanes(cause => observe({ type: 'bug', cause }))
  const turns = new Map<SessionId, Turn>()
  /** Turns that wait for a person: they hold nothing but their place in their session. */
  const aside = new Map<SessionId, TurnId>()
  const outlines = createOutlines(rooms)
  let stopping = false

  /** Facts that wait to be saved have their seqs already; nothing may be written before them. */
  const inOrder = async (id: SessionId): Promise<Fault | undefined> => {
    const ledger = turns.get(id)?.ledger
    if (ledger === undefined || ledger.unsaved().length === 0) return undefined
    await ledger.saved(AbortSignal.timeout(PATIENCE_MS))
    return ledger.unsaved().length === 0
      ? undefined
      : fault('store', 'earlier events of this session are not saved yet; nothing was lost, try again')
  }

  /** A session and where it stands, asked for together: each wait for the store is felt before the first word. */
  const look = async (id: SessionId): Promise<Result<{ session: Session; standing: Standing }, Fault>> => {
    const [session, standing] = await Promise.all([log.session(id), log.standing(id)])
    if (!session.ok) return session
    return standing.ok ? ok({ session: session.value, standing: standing.value }) : standing
  }

  const append: Conductor['append'] = async (id, facts) => {
    const trouble = await inOrder(id)
    if (trouble !== undefined) return err(trouble)
    const appended = await log.append(id, facts)
    if (appended.ok) {
      feed.head(id, appended.value.standing.head)
      turns.get(id)?.ledger.seen(appended.value.standing)
    }
    return appended
  }

  type Start = Pick<Running, 'session' | 'turn' | 'cause' | 'own' | 'standing'>

  /** What a new turn runs under: as its session and agent say now. */
  const fresh = async ({ session, standing }: Start): Promise<Result<Omit<Begun, keyof Start>, Fault>> => {
    const choice = choiceOf(rooms, session)
    if (!choice.ok) return choice
    return ok({ voice: agentOf(rooms, session).key, ...choice.value, ordinal: standing.turns })
  }

  /** Runs a turn to its end, or until it waits for a person, and gives back where the session stands then. */
  const run = async (
    start: Start,
    choose: (start: Start) => Promise<Result<Omit<Begun, keyof Start>, Fault>> = fresh,
  ): Promise<Standing> => {
    const { session, turn, standing } = start
    const controller = new AbortController()
    const late: Halt = { reason: 'failed', fault: fault('timeout', `the turn took longer than ${limits.turnMs / 1000} s`) }
    const timer = setTimeout(() => controller.abort(late), limits.turnMs)
    const ledger = openLedger({ log, feed, session: session.id, turn, standing })
    const begun = async (): Promise<void> => {
      const choice = await choose(start)
      if (!choice.ok) {
        const voice = agentOf(rooms, session).key
        await ledger.write([{ type: 'turn.ended', turn, voice, reason: 'failed', fault: choice.fault }])
        return
      }
      const { voice } = choice.value
      const before = await outlines.before(session.id, voice)
      const sent = (outline: readonly OutlineItem[]): void => outlines.keep(session.id, voice, outline)
      const kit = await rooms.kit()
      if (kit.news.length > 0) feed.notice(session.id, { kind: 'reloaded', message: kit.news.join('; '), turn })
      const running = { ...start, ...choice.value, before, sent, ledger, kit }
      if ((await runTurn(rooms, running, controller.signal)) === 'waits') aside.set(session.id, turn)
      else approvals.forget(turn)
    }
    /** Whatever goes wrong before the first step, the turn has an end. */
    const failed = async (cause: unknown): Promise<void> => {
      observe({ type: 'bug', cause })
      const bug = fault('bug', 'something went wrong inside Turnwise; the log of the gateway says what')
      await ledger.write([{ type: 'turn.ended', turn, voice: agentOf(rooms, session).key, reason: 'failed', fault: bug }])
    }
    const ended = begun()
      .catch(failed)
      .finally(() => clearTimeout(timer))
    turns.set(session.id, { id: turn, controller, ledger, ended })
    // The lane stays taken until everything is saved: later events must not get the seqs of those that wait.
    await ended.then(() => ledger.saved()).finally(() => turns.delete(session.id))
    return ledger.standing()
  }

  /** A turn that was set aside goes on: what a person answered is done, and what still waits is waited for. */
  const goOn = async (id: SessionId, turn: TurnId): Promise<void> => {
    while (!stopping) {
      const known = await look(id)
      const picked = known.ok ? await pickUp(rooms, known.value.session, turn, known.value.standing) : known
      // A person may have stopped it meanwhile; from here to the running turn nothing is awaited.
      if (aside.get(id) !== turn) return
      if (!picked.ok && picked.fault.kind === 'store') {
        await new Promise(resolve => setTimeout(resolve, STORE_RETRY_MS))
        continue
      }
      if (!known.ok || !picked.ok) {
        await endAside(id, turn, { reason: 'failed', fault: picked.ok ? STOPPING : picked.fault })
        return
      }
      aside.delete(id)
      const { session, standing } = known.value
      const start = { session, turn, cause: 0, own: [], standing }
      await run(start, async () => picked)
      return
    }
  }

  /** Whatever is due in a session: a turn that was set aside first, then messages that nobody has heard. */
  const proceed = async (id: SessionId): Promise<void> => {
    const turn = aside.get(id)
    if (turn !== undefined) await goOn(id, turn)
    if (!aside.has(id)) await drain(id)
  }

  /** Answers what nobody has heard yet, one turn after the other, until nothing is left. A store that is away is waited for. */
  const drain = async (id: SessionId): Promise<void> => {
    while (!stopping) {
      const begun = await begin(id)
      if (!begun.ok && begun.fault.kind !== 'store') return
      if (!begun.ok) await new Promise(resolve => setTimeout(resolve, STORE_RETRY_MS))
      else if (begun.value === undefined || isHeard(await begun.value()) || aside.has(id)) return
    }
  }

  /** Starts the turn that is due, if one is, and gives back the running of it. */
  const begin = async (id: SessionId): Promise<Result<(() => Promise<Standing>) | undefined, Fault>> => {
    const known = await look(id)
    if (!known.ok) return known
    const { session, standing } = known.value
    if (isHeard(standing)) return ok(undefined)
    const unheard = await log.read(id, { after: standing.heard })
    if (!unheard.ok) return unheard
    const due = next(unheard.value)
    if (due.do === 'rest') return ok(undefined)
    const turn = mint('trn')
    const started = await log.append(id, [{ type: 'turn.started', turn, voice: agentOf(rooms, session).key, cause: due.cause }])
    if (!started.ok) return started
    feed.head(id, started.value.standing.head)
    const message = unheard.value.filter((event): event is Event => event.seq === due.cause)
    const own = [...message, ...(started.value.events as readonly Event[])]
    return ok(() => run({ session, turn, cause: due.cause, own, standing: started.value.standing }))
  }

  /** A turn whose message landed although its sender was told otherwise: the same key again finds it, and sees to it. */
  const finishLeft = async (session: Session, turn: TurnId, seq: number, { events, standing }: Appended): Promise<void> => {
    const own = await log.read(session.id, { turn })
    if (!own.ok || own.value.length !== 1) return
    await run({ session, turn, cause: seq, own: events as readonly Event[], standing })
  }

  /** Ends a turn that is set aside; its questions and calls are settled with it, or nothing changes. */
  const endAside = async (id: SessionId, turn: TurnId, ending: AsideEnding): Promise<Result<readonly TurnId[], Fault>> => {
    const events = await log.read(id, { turn })
    if (!events.ok) return events
    if (aside.get(id) !== turn) return ok([])
    const started = events.value.find(event => event.type === 'turn.started')
    aside.delete(id)
    const written = await append(id, endingFacts(turn, started?.voice ?? '', events.value, ending))
    if (!written.ok) {
      aside.set(id, turn)
      return written
    }
    approvals.forget(turn)
    observe({ type: 'ended', reason: ending.reason })
    return ok([turn])
  }

  /** Stops a turn that waits for a person. */
  const stopAside = async (id: SessionId, turn: TurnId | undefined): Promise<Result<readonly TurnId[], Fault>> => {
    const waiting = aside.get(id)
    if (waiting === undefined || (turn !== undefined && turn !== waiting)) return ok([])
    const ended = await endAside(id, waiting, { reason: 'cancelled' })
    // It went on in the same moment, and is a running turn now.
    if (ended.ok && ended.value.length === 0 && turns.get(id)?.id === waiting) return cancel(id, waiting)
    lanes.wake(id, () => proceed(id))
    return ended
  }

  const cancel: Conductor['cancel'] = async (id, turn) => {
    const running = turns.get(id)
    if (running === undefined) return stopAside(id, turn)
    if (turn !== undefined && running.id !== turn) return ok([])
    running.controller.abort({ reason: 'cancelled', fault: fault('cancelled', 'stopped by a person') } satisfies Halt)
    await running.ended
    // It may have been set aside in the same moment.
    return aside.get(id) === running.id ? stopAside(id, running.id) : ok([running.id])
  }

  const say: Conductor['say'] = async inbound => {
    if (stopping) return err(STOPPING)
    const id = inbound.session
    const attached = attach(inbound.parts ?? [])
    if (!attached.ok) return attached
    // Before anything is awaited: two messages at once must not both find the lane free.
    const claim = lanes.claim(id)
    const seen = await look(id)
    const trouble = seen.ok ? await inOrder(id) : undefined
    const known = trouble === undefined ? seen : err(trouble)
    if (!known.ok) {
      claim?.release()
      return known
    }
    const { session, standing } = known.value
    const turn = mint('trn')
    const admitted = await admit(
      log,
      inbound,
      attached.value,
      claim === undefined || aside.has(id) ? undefined : { id: turn, voice: agentOf(rooms, session).key, head: standing.head },
    )
    if (!admitted.ok) {
      claim?.release()
      return admitted
    }
    const { seq, turns: started, appended } = admitted.value
    if (appended.again) {
      const [left] = started
      if (claim !== undefined && left !== undefined) claim.run(() => finishLeft(session, left, seq, appended))
      else claim?.release()
      return ok({ seq, turns: started })
    }
    files.keep(attached.value.texts)
    turns.get(id)?.ledger.seen(appended.standing)
    feed.head(id, appended.standing.head)
    if (claim === undefined) lanes.wake(id, () => proceed(id))
    // A turn that waits for a person hears the message when it goes on.
    else if (started.length === 0) claim.release()
    else {
      claim.run(async () => {
        const own = appended.events as readonly Event[]
        const after = await run({ session, turn, cause: seq, own, standing: appended.standing })
        // Looked at in memory: whoever reads the turn's end and answers at once must find the lane free.
        if (!isHeard(after) && !aside.has(id)) await drain(id)
      })
    }
    return ok({ seq, turns: started })
  }

  return {
    say,
    append,
    cancel,
    recover: async () => {
      const open = await log.openTurns()
      if (!open.ok) return open
      for (const turn of open.value) {
        const events = await log.read(turn.session, { turn: turn.turn })
        const checkpoints = await log.checkpoints(turn.session)
        if (!events.ok) return events
        if (!checkpoints.ok) return checkpoints
        if (waitsForPerson(events.value)) {
          for (const question of openQuestions(events.value)) approvals.wait(question)
          aside.set(turn.session, turn.turn)
          lanes.wake(turn.session, () => proceed(turn.session))
          continue
        }
        const checkpoint = checkpoints.value.find(each => each.turn === turn.turn)
        const closed = await log.append(turn.session, closing(turn, events.value, checkpoint))
        if (!closed.ok) return closed
      }
      const waiting = await log.waiting()
      if (!waiting.ok) return waiting
      for (const id of waiting.value) lanes.wake(id, () => proceed(id))
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
      const written = await append(session, [given])
      if (!written.ok) {
        // A session that is gone has no questions any more.
        if (written.fault.kind !== 'not-found') approvals.putBack(taken.value)
        return written
      }
      lanes.wake(session, () => proceed(session))
      // Only what is in the log may allow more than this one call.
      return approvals.answered(taken.value, answer)
    },
    stop: async graceMs => {
      stopping = true
      approvals.close()
      let timer: NodeJS.Timeout | undefined
      const grace = new Promise<void>(resolve => {
        timer = setTimeout(resolve, graceMs * 0.8)
      })
      await Promise.race([lanes.idle(), grace])
      clearTimeout(timer)
      for (const { controller } of turns.values()) {
        controller.abort({
          reason: 'interrupted',
          fault: fault('cancelled', 'the gateway stopped while this was being said'),
        } satisfies Halt)
      }
      const last = new Promise<void>(resolve => {
        timer = setTimeout(resolve, graceMs * 0.2)
      })
      await Promise.race([lanes.idle(), last])
      clearTimeout(timer)
      for (const { ledger } of turns.values()) ledger.giveUp()
    },
  }
}
