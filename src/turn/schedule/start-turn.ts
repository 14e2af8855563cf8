import type { Appended, Standing } from '../../log/ports.ts'
import type { Event, TurnStarted } from '../../model/event.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import type { VoiceId } from '../../model/voice.ts'
import type { Opening } from '../admission/admit.ts'
import { speakerOf } from '../admission/speaker.ts'
import type { Conductor } from '../conductor.ts'
import { BUG } from '../durable/bug-guard.ts'
import type { Services } from '../services.ts'
import type { Start } from './running-turns.ts'

/** A turn somebody asked for beside a message: to go on with one that ended, or to make something of a round. */
export type TurnRequest = Pick<TurnStarted, 'voice' | 'cause' | 'resumes' | 'continues' | 'mode'> & { readonly at?: number }

/** The turn that is being started, kept over tries: a start may be in the log although nobody was told. */
export type Attempt = { turn?: TurnId }

/** How turns come to be in the log. */
export type TurnStarts = {
  readonly openingOf: (session: Session, voice: VoiceId, turn: TurnId) => Opening
  /** Writes down that a turn starts. */
  readonly open: (session: Session, wish: TurnRequest, attempt: Attempt) => Promise<Result<Start, Fault>>
  /** A start that is in the log although whoever wrote it was told otherwise; nothing of it has run. */
  readonly landed: (session: Session, turn: TurnId, standing: Standing) => Promise<Result<Start | undefined, Fault>>
}

export function createTurnStarts(services: Services, append: Conductor['append']): TurnStarts {
  const { log, mint, observe } = services
  /** An advisor is written down with its name: it may be gone when somebody reads this. */
  const openingOf: TurnStarts['openingOf'] = (session, voice, turn) => {
    const speaker = session.council === null ? undefined : speakerOf(services, session, voice)
    return { turn, voice, ...(speaker?.ok === true ? { name: speaker.value.name } : {}) }
  }
  const messageAt = async (id: SessionId, seq: number): Promise<Result<readonly Event[], Fault>> => {
    const read = await log.read(id, { after: seq - 1, through: seq })
    return read.ok ? ok(read.value.filter((event): event is Event => event.type !== 'damaged')) : read
  }

  return {
    openingOf,
    open: async (session, { voice, cause, resumes, continues, mode, at }, attempt) => {
      const turn = mint('trn')
      attempt.turn = turn
      const fact: TurnStarted = {
        type: 'turn.started',
        ...openingOf(session, voice, turn),
        cause,
        ...(resumes === undefined ? {} : { resumes }),
        ...(continues === undefined ? {} : { continues }),
        ...(mode === undefined ? {} : { mode }),
      }
      const [message, appended] = await Promise.all([
        // The start is on its way into the log: a bug here must not leave it there with nobody to run it.
        messageAt(session.id, cause).catch((bug: unknown) => {
          observe({ type: 'bug', cause: bug })
          return err(BUG)
        }),
        append(session.id, [fact]),
      ])
      if (!appended.ok) return appended
      const own = [...(message.ok ? message.value : []), ...(appended.value.events as readonly Event[])]
      return ok({
        ...{ session, turn, voice, cause, own, standing: appended.value.standing },
        ...(continues === undefined ? {} : { continues }),
        ...(mode === undefined ? {} : { mode }),
        ...(at === undefined ? {} : { at }),
      })
    },
    landed: async (session, turn, standing) => {
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
      return ok({ session, turn, voice, cause, own, standing, ...house, ...(continues === undefined ? {} : { continues }) })
    },
  }
}

/** The turn of a voice that was started with its message. */
export function startOf(session: Session, voice: VoiceId, cause: number, { events, standing }: Appended): Start | undefined {
  const all = events as readonly Event[]
  const started = all.find((event): event is Event & TurnStarted => event.type === 'turn.started' && event.voice === voice)
  if (started === undefined) return undefined
  const own = all.filter(event => event.type === 'message.received' || event === started)
  return { session, turn: started.turn, voice, cause, own, standing }
}
