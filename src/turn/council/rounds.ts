import { ANYONE, type Due, type Standing } from '../../log/ports.ts'
import type { EndReason, Exchange, Recorded, TurnStarted } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { hasWords, isCutAtLimit, isReply } from '../../model/message/spoken.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { type Session, sharedThrough } from '../../model/session.ts'
import {
  type Council,
  EXCHANGE,
  isAfterRound,
  isHouseVoice,
  SYNTHESIS,
  type SynthesisMode,
  TITLE,
} from '../../model/settings/council.ts'
import type { VoiceId } from '../../model/voice.ts'
import type { Address, Inbound } from '../admission/admit.ts'
import { agentOf, councilOf } from '../admission/speaker.ts'
import type { Addressing, Conductor } from '../conductor.ts'
import { answerOf } from '../recovery/pick-up.ts'
import { createLanes } from '../schedule/lane.ts'
import { readState, type SessionState } from '../schedule/session-state.ts'
import { unansweredIn } from '../schedule/unanswered-messages.ts'
import type { Services } from '../services.ts'
import { PROMPTS } from './prompts.ts'
import { endsOf, isAnswer, mentioned, named, turnsOf } from './round-members.ts'

/** What goes beyond one message and its turns: whom it is for, what follows its round, and what is tried again. */
export type Rounds = {
  readonly addressOf: (inbound: Inbound) => Addressing
  /** Advisors answer each other, so many rounds at most; a person's next message ends it. */
  readonly exchange: (id: SessionId, rounds: number) => ReturnType<Conductor['say']>
  /** The house makes something of a round; of the last one unless another is meant. */
  readonly synthesize: (id: SessionId, mode: SynthesisMode, round?: number) => Promise<Result<TurnId, Fault>>
  /** Goes on with what ended without an answer: of the last round, or one turn. */
  readonly resume: (id: SessionId, turn?: TurnId) => Promise<Result<readonly TurnId[], Fault>>
  /** Told whenever a turn is over. */
  readonly onTurnOver: (id: SessionId, standing: Standing | undefined) => void
}

/** How far back turns are looked for that could be gone on with. */
const LOOK_BACK = 200
const STORE_RETRY_MS = 250
/** The most events of a round that are looked at. */
const MOST_EVENTS = 5000

export function createRounds(services: Services, conductor: () => Conductor): Rounds {
  const { log, observe } = services
  /** One after the other for each session: what follows a round must follow it once. */
  const lanes = createLanes(cause => observe({ type: 'bug', cause }))

  const look = (id: SessionId): Promise<Result<SessionState, Fault>> => readState(log, id)

  /** Nobody who was asked has still to answer. */
  const isOver = (id: SessionId, { due }: Standing, round: number): boolean =>
    !conductor().isBeginning(id) &&
    !due.some(each => each.seq === round && !isAfterRound(each.voice)) &&
    !conductor()
      .open(id)
      .some(({ cause, voice }) => cause === round && !isHouseVoice(voice))

  const eventsOf = (id: SessionId, round: number): Promise<Result<readonly Recorded[], Fault>> =>
    log.read(id, { after: round - 1, limit: MOST_EVENTS })

  const startSynthesis = async (session: Session, round: number, mode: SynthesisMode): Promise<Result<TurnId, Fault>> => {
    const events = await eventsOf(session.id, round)
    if (!events.ok) return events
    const ends = endingsOf(events.value, round)
    if (!ends.some(({ reason }) => isAnswer(reason)))
      return err(fault('conflict', 'nobody has answered in this round, so there is nothing to bring together'))
    const at = ends.reduce((most, { seq }) => Math.max(most, seq), round)
    return conductor().start(session, { voice: SYNTHESIS, cause: round, mode, at })
  }

  const nextRound = async (session: Session, round: number): Promise<Result<unknown, Fault>> => {
    const events = await eventsOf(session.id, round)
    if (!events.ok) return events
    const [message] = events.value
    if (message?.type !== 'message.received' || message.exchange === undefined) return ok(null)
    const ends = endingsOf(events.value, round)
    // Where a person stopped one, or nobody answered, there is nothing more to answer to.
    if (ends.some(({ reason }) => reason === 'cancelled') || !isAnsweredHere(session, ends)) return ok(null)
    const { round: number, of } = message.exchange
    return begin(session.id, { round: number + 1, of }, round)
  }

  const begin = (id: SessionId, exchange: Exchange, after?: number): ReturnType<Conductor['say']> =>
    conductor().say(
      { session: id, text: PROMPTS.exchange, from: 'council', ...(after === undefined ? {} : { key: `exchange ${after}` }) },
      ({ session, standing }) => {
        // Somebody may have spoken meanwhile, which ends it.
        if (after !== undefined && !standing.due.some(({ voice, seq }) => voice === EXCHANGE && seq === after))
          return err(fault('conflict', 'the exchange was ended by another message'))
        const council = councilOf(services, session)
        const asked = council.ok ? activeIn(council.value) : council
        if (!asked.ok) return asked
        return ok({ asked: [...asked.value, ...(exchange.round < exchange.of ? [EXCHANGE] : [])], exchange })
      },
    )

  /** What was wished for after a round, once it is over. */
  const followUp = async (id: SessionId): Promise<void> => {
    const state = await look(id)
    if (!state.ok) return lookAgain(id, state.fault)
    const { session, standing } = state.value
    for (const { voice, seq } of standing.due) {
      if (!isAfterRound(voice) || !isOver(id, standing, seq)) continue
      const followed = voice === SYNTHESIS ? await follow(session, seq) : await nextRound(session, seq)
      if (!followed.ok) lookAgain(id, followed.fault)
    }
  }

  /** A store that is away must not cost a round what was to follow it. */
  const lookAgain = (id: SessionId, { kind }: Fault): void => {
    if (kind === 'store') setTimeout(() => lanes.wake(id, () => followUp(id).then(() => undefined)), STORE_RETRY_MS).unref()
  }

  /** The synthesis that was wished for with a message; a round that a person stopped is not paid for once more. */
  const follow = async (session: Session, round: number): Promise<Result<unknown, Fault>> => {
    const events = await eventsOf(session.id, round)
    if (!events.ok) return events
    const ends = endingsOf(events.value, round)
    if (ends.some(({ reason }) => reason === 'cancelled') || isOnlyShared(session, ends)) return ok(null)
    const [message] = events.value
    return startSynthesis(session, round, (message?.type === 'message.received' ? message.synthesis : undefined) ?? 'brief')
  }

  /** The last turns of a session; of each voice its latest. */
  const latest = async (id: SessionId): Promise<Result<readonly Started[], Fault>> => {
    const started = await log.read(id, { only: 'turn.started', newest: true, limit: LOOK_BACK })
    if (!started.ok) return started
    const turns = started.value.filter((event): event is Started => event.type === 'turn.started')
    return ok([...new Map(turns.map(event => [event.voice, event])).values()])
  }

  /** The last message that was for everybody; words to some of them are no rounds. */
  const lastRound = async (id: SessionId): Promise<Result<number, Fault>> => {
    const started = await log.read(id, { only: 'turn.started', newest: true, limit: LOOK_BACK })
    if (!started.ok) return started
    const causes = new Set(
      started.value.flatMap(event => (event.type === 'turn.started' && !isHouseVoice(event.voice) ? [event.cause] : [])),
    )
    for (const cause of [...causes].sort((a, b) => b - a)) {
      const message = await log.read(id, { after: cause - 1, through: cause })
      if (!message.ok) return message
      const [event] = message.value
      if (event?.type === 'message.received' && event.to === undefined) return ok(cause)
    }
    return ok(0)
  }

  const stateOf = async (id: SessionId, { turn, continues }: Started): Promise<Result<TurnState | undefined, Fault>> => {
    const answer = await answerOf(log, id, turn)
    if (!answer.ok) return answer
    const reason = endsOf(answer.value).get(turn)
    if (reason === undefined) return ok(undefined)
    const replies = answer.value.filter(isReply)
    const last = replies.at(-1)
    // Where going on with a text failed at once, the text can still be gone on with.
    const hasReplied = replies.some(reply => reply.turn === turn && reply.type === 'reply.finished')
    const whole = replies.findLast(reply => reply.type === 'reply.finished')
    const wasCut = whole?.type === 'reply.finished' && isCutAtLimit(whole)
    if (reason !== 'done') return ok({ is: reason, isCut: continues === true && !hasReplied && wasCut })
    if (last === undefined || !replies.some(hasWords)) return ok({ is: 'empty', isCut: false })
    const isCut = last.type === 'reply.finished' && isCutAtLimit(last)
    return ok({ is: isCut ? 'cut' : reason, isCut })
  }

  /** Ended turns that may be gone on with: all that failed in the last round, or the one that is meant. */
  const unfinished = async (id: SessionId, wanted: TurnId | undefined): Promise<Result<readonly Unfinished[], Fault>> => {
    const turns = await latest(id)
    if (!turns.ok) return turns
    const last = await lastRound(id)
    if (!last.ok) return last
    const found: Unfinished[] = []
    for (const each of turns.value) {
      // Nobody would set a title that is made in passing.
      if (each.voice === TITLE) continue
      const isMeant = wanted === undefined ? each.cause >= last.value : each.turn === wanted
      const state = isMeant ? await stateOf(id, each) : ok(undefined)
      if (!state.ok) return state
      if (state.value !== undefined && (wanted === undefined ? AGAIN : AGAIN_IF_MEANT).includes(state.value.is))
        found.push({ ...each, ...state.value })
    }
    return ok(found)
  }

  /** Who answers a message that was for whoever answers: a council may have come since. */
  const anyoneIn = (session: Session): readonly VoiceId[] => {
    if (session.council === null) return [agentOf(services, session).key]
    const council = councilOf(services, session)
    const active = council.ok ? activeIn(council.value) : council
    return active.ok ? active.value : []
  }

  return {
    addressOf:
      inbound =>
      ({ session }) =>
        addressIn(services, session, inbound),
    exchange: async (id, rounds) => {
      const state = await look(id)
      if (!state.ok) return state
      if (state.value.session.council === null) return err(NO_COUNCIL)
      if (
        conductor().isBeginning(id) ||
        conductor()
          .open(id)
          .some(({ voice }) => voice !== TITLE)
      )
        return err(fault('conflict', 'a round is still being answered; wait until it is over, or stop it'))
      const turns = await latest(id)
      if (!turns.ok) return turns
      if (turns.value.length === 0) return err(fault('conflict', 'there is no round yet; ask the council something first'))
      return begin(id, { round: 1, of: rounds })
    },
    synthesize: async (id, mode, wanted) => {
      const state = await look(id)
      if (!state.ok) return state
      const { session, standing } = state.value
      if (session.council === null) return err(NO_COUNCIL)
      const last = wanted === undefined ? await lastRound(id) : ok(wanted)
      if (!last.ok) return last
      const round = last.value
      const message = await log.read(id, { after: round - 1, through: round })
      if (!message.ok) return message
      if (wanted !== undefined && message.value[0]?.type !== 'message.received')
        return err(fault('not-found', `round: there is no message at ${wanted}`))
      if (!isOver(id, standing, round))
        return err(fault('conflict', 'this round is still being answered; wait until it is over, or stop it'))
      return startSynthesis(session, round, mode)
    },
    resume: async (id, wanted) => {
      const state = await look(id)
      if (!state.ok) return state
      const { session } = state.value
      const known = wanted === undefined ? ok([null]) : await log.read(id, { turn: wanted })
      if (!known.ok) return known
      if (known.value.length === 0) return err(fault('not-found', 'there is no turn of that id in this session'))
      const found = await unfinished(id, wanted)
      if (!found.ok) return found
      const busy = new Set(
        conductor()
          .open(id)
          .map(({ voice }) => voice),
      )
      const due = wanted === undefined ? await unansweredIn(log, state.value) : ok([])
      if (!due.ok) return due
      const unanswered = unansweredBy(due.value, busy)
      // Who has a newer message to answer is not asked to go on with an older answer.
      const isPast = ({ is, voice, cause }: Unfinished): boolean =>
        (is === 'cut' || is === 'empty') &&
        unanswered.some(each => (each.voice === voice || each.voice === ANYONE) && each.seq > cause)
      const current = found.value.filter(each => !isPast(each))
      // What is made of a round waits for those who answer in it.
      const advisors = current.filter(({ voice }) => !isHouseVoice(voice))
      const again = advisors.length > 0 ? advisors : current
      const wishes = [
        ...again.map(({ voice, cause, turn, mode, isCut }) => ({
          ...{ voice, cause, resumes: turn },
          ...(isCut ? { continues: true as const } : {}),
          ...(mode === undefined ? {} : { mode }),
        })),
        ...unanswered.flatMap(({ voice, seq }) =>
          (voice === ANYONE ? anyoneIn(session) : [voice]).map(each => ({ voice: each, cause: seq })),
        ),
      ]
      const started: TurnId[] = []
      for (const wish of wishes) {
        const turn = await conductor().start(session, wish)
        if (turn.ok) started.push(turn.value)
        else if (turn.fault.kind !== 'conflict') return turn
      }
      return started.length === 0 ? err(fault('conflict', nothingToResume(wanted))) : ok(started)
    },
    onTurnOver: (id, standing) => {
      if (standing === undefined || standing.due.some(({ voice }) => isAfterRound(voice)))
        lanes.wake(id, () => followUp(id).then(() => undefined))
    },
  }
}

type Started = Recorded & TurnStarted

/** How a turn ended: as its end says, or `done` with an answer that was cut at its limit or has no words. */
type TurnState = { readonly is: EndReason | 'cut' | 'empty'; readonly isCut: boolean }

/** A turn that may be gone on with; `isCut`: with its own text. */
type Unfinished = Started & TurnState

const AGAIN: readonly TurnState['is'][] = ['failed', 'interrupted', 'cut', 'empty']
/** What a person stopped, or what reached its step limit, is only gone on with when it is named. */
const AGAIN_IF_MEANT: readonly TurnState['is'][] = [...AGAIN, 'cancelled', 'limit']

const nothingToResume = (wanted: TurnId | undefined): string =>
  wanted === undefined
    ? 'there is nothing to go on with: no turn of the last round failed or was cut, and every message was heard'
    : 'this turn cannot be gone on with: it runs, it was answered, or its voice has spoken since'

const NO_COUNCIL: Fault = fault('invalid', 'council: this session has none')

/** The first message each voice has not heard, of those that say nothing now. */
function unansweredBy(due: readonly Due[], busy: ReadonlySet<VoiceId>): readonly { voice: VoiceId; seq: number }[] {
  const open = due.filter(({ voice }) => !isAfterRound(voice) && !busy.has(voice))
  return open.filter(({ voice }, index) => open.findIndex(other => other.voice === voice) === index)
}

const endingsOf = (events: readonly Recorded[], round: number): readonly Ending[] => {
  const turns = new Set(turnsOf(events, round).map(({ turn }) => turn))
  return events.flatMap(event =>
    event.type === 'turn.ended' && turns.has(event.turn) ? [{ reason: event.reason, seq: event.seq }] : [],
  )
}

type Ending = { readonly reason: EndReason; readonly seq: number }

/** A round that was answered before its session was forked is over there: what was to follow it follows in the parent. */
const isOnlyShared = (session: Session, ends: readonly Ending[]): boolean =>
  ends.some(({ reason }) => isAnswer(reason)) && !isAnsweredHere(session, ends)

const isAnsweredHere = (session: Session, ends: readonly Ending[]): boolean =>
  ends.some(({ reason, seq }) => isAnswer(reason) && seq > sharedThrough(session))

/** Whom a message is for: those who are named, in `to` or in its text, or everybody who is active. */
function addressIn(services: Services, session: Session, { to: names, text, synthesis: wish }: Inbound): Result<Address, Fault> {
  if (session.council === null)
    return names !== undefined
      ? err(fault('invalid', 'to: this session has no council; only advisors can be named'))
      : wish === undefined || wish === null
        ? ok({})
        : err(fault('invalid', 'synthesis: this session has no council'))
  const council = councilOf(services, session)
  if (!council.ok) return council
  const named = namedIn(council.value, names, text)
  if (!named.ok) return named
  const to = named.value.length === 0 ? undefined : named.value
  const asked = to === undefined ? activeIn(council.value) : ok(to)
  if (!asked.ok) return asked
  // A word to some of them is no round of the council.
  const synthesis = wish === undefined ? (to === undefined ? council.value.synthesis : undefined) : (wish ?? undefined)
  return ok({
    ...(to === undefined ? {} : { to }),
    asked: [...asked.value, ...(synthesis === undefined ? [] : [SYNTHESIS])],
    ...(synthesis === undefined ? {} : { synthesis }),
  })
}

const namedIn = (council: Council, names: readonly string[] | undefined, text: string): Result<readonly VoiceId[], Fault> =>
  names === undefined ? ok(mentioned(council, text)) : named(council, names)

function activeIn({ advisors }: Council): Result<readonly VoiceId[], Fault> {
  const active = advisors.flatMap(({ id, active: isActive }) => (isActive ? [id] : []))
  return active.length > 0
    ? ok(active)
    : err(fault('invalid', 'council: every advisor is hidden; show one, or name one with "to"'))
}
