/** Records the starts of turns, and finds a start that is in the log although its write reported a failure. */
import { ANYONE, type Appended, type Due, type Standing } from '../../log/ports.ts'
import type { Event, TurnStarted } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { err, mapResult, ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import { isAfterRound, isHouseVoice } from '../../model/settings/council.ts'
import type { VoiceId } from '../../model/voice.ts'
import type { Opening } from '../admission/admit.ts'
import { agentOf, speakerOf } from '../admission/speaker.ts'
import { BUG } from '../durable/bug-guard.ts'
import type { Tenure } from '../nodes/ownership.ts'
import type { Services } from '../services.ts'
import type { FinishedTurn, RunningTurns, Start, TurnLane } from './running-turns.ts'
import { readState, type SessionState } from './session-state.ts'
import type { SessionWriter } from './session-writer.ts'

/** A turn that is asked for without a new message: to go on with one that ended, or to make something of a round or a stretch. */
export type TurnRequest = Pick<TurnStarted, 'voice' | 'cause' | 'resumes' | 'continues' | 'mode' | 'fold'> & {
  readonly at?: number
  /** What is asked with, where the voice itself has no model. */
  readonly model?: string
}

/** The turn that is being started. It is kept between tries, because a start may be in the log although its write failed. */
export type Attempt = { turn?: TurnId }

/** A turn that was started, and the promise of its end. */
export type Begun = { readonly turn: TurnId; readonly running: Promise<FinishedTurn> }

/** How turns come to be in the log, and to run. */
export type TurnStarts = {
  readonly openingOf: (session: Session, voice: VoiceId, turn: TurnId) => Opening
  /** Writes down that a turn starts, and runs it. */
  readonly startNow: (session: Session, tenure: Tenure, request: TurnRequest, attempt?: Attempt) => Promise<Result<Begun, Fault>>
  /** Starts the turn that is due in a lane, if one is; the one of an earlier attempt, if that is in the log after all. */
  readonly startDue: (place: TurnLane, tenure: Tenure, attempt: Attempt) => Promise<Result<Begun | undefined, Fault>>
  /** Runs a turn whose message was sent once more under the same key, if nothing of the turn has run. */
  readonly runIfNew: (start: Start) => Promise<FinishedTurn>
}

export function createTurnStarts(services: Services, running: RunningTurns, append: SessionWriter['append']): TurnStarts {
  const { log, mint, observe } = services
  /** Records the name of an advisor, because the advisor may be gone from the workspace when a person reads this. */
  const openingOf: TurnStarts['openingOf'] = (session, voice, turn) => {
    const speaker = session.council === null ? undefined : speakerOf(services, session, voice)
    return { turn, voice, ...(speaker?.ok === true ? { name: speaker.value.name } : {}) }
  }
  const messageAt = async (id: SessionId, seq: number): Promise<Result<readonly Event[], Fault>> => {
    const read = await log.read(id, { after: seq - 1, through: seq })
    return read.ok ? ok(read.value.filter((event): event is Event => event.type !== 'damaged')) : read
  }

  const open = async (
    session: Session,
    tenure: Tenure,
    { voice, cause, resumes, continues, mode, fold, at, model }: TurnRequest,
    attempt: Attempt,
  ): Promise<Result<Start, Fault>> => {
    const turn = mint('trn')
    attempt.turn = turn
    const fact: TurnStarted = {
      type: 'turn.started',
      ...openingOf(session, voice, turn),
      cause,
      ...(resumes === undefined ? {} : { resumes }),
      ...(continues === undefined ? {} : { continues }),
      ...(mode === undefined ? {} : { mode }),
      ...(fold === undefined ? {} : { fold }),
    }
    const [message, appended] = await Promise.all([
      // The start is on its way into the log. A bug here must not leave it in the log without a run.
      messageAt(session.id, cause).catch((bug: unknown) => {
        observe({ type: 'bug', cause: bug })
        return err(BUG)
      }),
      append(session.id, [fact], { fence: tenure.fence }),
    ])
    if (!appended.ok) return appended
    const own = [...(message.ok ? message.value : []), ...(appended.value.events as readonly Event[])]
    return ok({
      ...{ session, tenure, turn, voice, cause, own, standing: appended.value.standing },
      ...(continues === undefined ? {} : { continues }),
      ...(mode === undefined ? {} : { mode }),
      ...(model === undefined ? {} : { model }),
      ...(at === undefined ? {} : { at }),
    })
  }

  /** A start that is in the log although its write reported a failure. Nothing of the turn has run. */
  const landed = async (
    { session, standing }: SessionState,
    tenure: Tenure,
    turn: TurnId,
  ): Promise<Result<Start | undefined, Fault>> => {
    const events = await log.read(session.id, { turn })
    if (!events.ok) return events
    const [started] = events.value
    if (events.value.length !== 1 || started?.type !== 'turn.started') return ok(undefined)
    const { voice, cause, mode, continues } = started
    const message = await messageAt(session.id, cause)
    if (!message.ok) return message
    const own = [...message.value, started]
    // What the house makes of a round is made of what was there when it began.
    const house = mode === undefined ? {} : { mode, at: started.seq - 1 }
    return ok({ session, tenure, turn, voice, cause, own, standing, ...house, ...(continues === undefined ? {} : { continues }) })
  }

  const startNow: TurnStarts['startNow'] = (session, tenure, request, attempt = {}) =>
    running.whileBeginning(session.id, async () => mapResult(await open(session, tenure, request, attempt), begin))

  const begin = (start: Start): Begun => ({ turn: start.turn, running: running.run(start) })

  return {
    openingOf,
    startNow,
    startDue: async (place, tenure, attempt) => {
      const state = await readState(log, place.session)
      if (!state.ok) return state
      const { session, standing } = state.value
      if (attempt.turn !== undefined) {
        const found = await landed(state.value, tenure, attempt.turn)
        if (!found.ok) return found
        if (found.value !== undefined) return ok(begin(found.value))
      }
      const cause = firstDue(standing, place)
      if (cause === undefined) return ok(undefined)
      // A session may have been given to another agent while its message waited.
      const voice = session.council === null && !isHouseVoice(place.voice) ? agentOf(services, session).key : place.voice
      return startNow(session, tenure, { voice, cause }, attempt)
    },
    runIfNew: async start => {
      const own = await log.read(start.session.id, { turn: start.turn })
      return own.ok && own.value.length === 1 ? running.run(start) : { ...start, isLost: false }
    },
  }
}

/** The first message that is due for a voice. House voices are only asked by name; what follows a round is no lane's to start. */
export const firstDue = ({ due }: Standing, { voice }: TurnLane): number | undefined => {
  const isFor = (each: Due): boolean => each.voice === voice || (each.voice === ANYONE && !isHouseVoice(voice))
  return isAfterRound(voice) ? undefined : due.find(isFor)?.seq
}

/** The turn of a voice that was started with its message. */
export function startOf(
  session: Session,
  tenure: Tenure,
  voice: VoiceId,
  cause: number,
  { events, standing }: Appended,
): Start | undefined {
  const all = events as readonly Event[]
  const started = all.find((event): event is Event & TurnStarted => event.type === 'turn.started' && event.voice === voice)
  if (started === undefined) return undefined
  const own = all.filter(event => event.type === 'message.received' || event === started)
  return { session, tenure, turn: started.turn, voice, cause, own, standing }
}
