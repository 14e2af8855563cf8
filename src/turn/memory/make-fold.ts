/** Makes folds in the background, one at a time for each session: what is due is found in the log, so a crash loses none. */
import { STALE_FENCE } from '../../log/append-rules.ts'
import type { Recorded } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { err, mapResult, ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import { FOLD, isInternalVoice } from '../../model/settings/council.ts'
import type { VoiceId } from '../../model/voice.ts'
import type { Tenure } from '../nodes/ownership.ts'
import type { Activity } from '../schedule/running-turns.ts'
import type { SessionWriter } from '../schedule/session-writer.ts'
import type { TurnRequest } from '../schedule/start-turn.ts'
import type { Services } from '../services.ts'
import { breatheBeside } from './breathe.ts'
import { type FoldTask, foldTaskDue } from './fold-due.ts'
import { foldFact, isStillSafe } from './fold-step.ts'
import { extractedFold } from './fold-text.ts'
import { readStretch, voicesIn } from './fold-view.ts'

/** A fold that was begun: the event that has it, or the turn in which a model is asked. */
export type MadeFold = { readonly event: Recorded } | { readonly turn: TurnId }

/** Makes folds. */
export type Folding = {
  /** A turn is over: looks in the background whether a fold is due for its voice. */
  readonly turnOver: (id: SessionId, voice: VoiceId, turn: TurnId) => void
  /** After a start: looks in the background at the sessions that had open turns, and at those in which something was said last. */
  readonly recover: (open: readonly SessionId[]) => void
  /** Another node left open turns in a session that is run here from now on: looks there in the background. */
  readonly takenUp: (id: SessionId) => void
  /** Makes a fold now; a `conflict` while another one is being made. */
  readonly make: (session: Session, task: FoldTask) => Promise<Result<MadeFold, Fault>>
  /** Whether a fold is looked for or made in a session. */
  readonly isUnderWay: (id: SessionId) => boolean
  /** When nothing is under way. */
  readonly idle: () => Promise<void>
}

/** What folding needs of the conductor. */
export type FoldingHost = {
  readonly start: (session: Session, request: TurnRequest, tenure?: Tenure) => Promise<Result<TurnId, Fault>>
  readonly append: SessionWriter['append']
  readonly activity: (id: SessionId) => Activity
  readonly isAnswering: () => boolean
  readonly stopping: AbortSignal
}

const UNDER_WAY: Fault = fault('conflict', 'a summary is being made here already; wait until it is there, or stop it')
const NOTHING: Fault = fault('conflict', 'there is nothing to summarize in this stretch')
/** A fold may be due again at once, when several together have become too long. */
const MOST_IN_A_ROW = 4
/** What a process was about to fold when it died is in a session that changed shortly before its last word; not many do at once. */
const LAST_MS = 60_000
const LAST_SESSIONS = 20

export function createFolding(services: Services, { start, append, activity, isAnswering, stopping }: FoldingHost): Folding {
  const { log, observe, owners } = services
  const breathe = breatheBeside(isAnswering)
  const queues = new Map<SessionId, Promise<unknown>>()
  const voicesToAsk = new Map<SessionId, Set<VoiceId>>()

  /** One thing at a time for each session. */
  const inTurn = <Value>(id: SessionId, work: () => Promise<Value>): Promise<Value> => {
    const done = (queues.get(id) ?? Promise.resolve()).then(work, work)
    const settled = done.then(
      () => undefined,
      () => undefined,
    )
    queues.set(id, settled)
    settled.then(() => {
      if (queues.get(id) === settled) queues.delete(id)
    })
    return done
  }

  const isFolding = (id: SessionId): boolean => activity(id).turns.some(({ voice }) => voice === FOLD)

  /** Looks for these voices, after what is under way. Several calls that wait are one. */
  const look = (id: SessionId, voices: readonly VoiceId[]): void => {
    const waiting = voicesToAsk.get(id)
    if (waiting !== undefined) {
      for (const voice of voices) waiting.add(voice)
      return
    }
    voicesToAsk.set(id, new Set(voices))
    inTurn(id, async () => {
      const asked = voicesToAsk.get(id) ?? []
      voicesToAsk.delete(id)
      await breathe()
      await makeDue(id, [...asked])
    }).catch((cause: unknown) => observe({ type: 'bug', cause }))
  }

  const makeDue = async (id: SessionId, voices: readonly VoiceId[]): Promise<void> => {
    for (const voice of voices) {
      for (let made = 0; made < MOST_IN_A_ROW; made += 1) {
        const tenure = owners.tenureOf(id)
        // Another node that runs the session looks by itself.
        if (tenure === undefined || stopping.aborted) return
        const session = await log.session(id)
        // The end of the turn that folds now brings the next look.
        if (!session.ok || isFolding(id)) return
        const task = await foldTaskDue(services, session.value, voice)
        if (!task.ok || task.value === undefined) break
        const begun = await begin(session.value, tenure, task.value)
        if (!begun.ok) break
        if ('turn' in begun.value) return
      }
    }
  }

  const begin = async (session: Session, tenure: Tenure | undefined, task: FoldTask): Promise<Result<MadeFold, Fault>> => {
    if (tenure === undefined) return err(STALE_FENCE)
    if (isFolding(session.id)) return err(UNDER_WAY)
    if (task.by === 'extract') return extract(session, tenure, task)
    const { range: fold, cause, model } = task
    const turn = await start(session, { voice: FOLD, cause, fold, model }, tenure)
    return mapResult(turn, begun => ({ turn: begun }))
  }

  const extract = async (session: Session, { fence }: Tenure, { range }: FoldTask): Promise<Result<MadeFold, Fault>> => {
    const standing = await log.standing(session.id)
    if (!standing.ok) return standing
    await breathe()
    const stretch = await readStretch(services, session, range, breathe)
    if (!stretch.ok) return stretch
    const text = await extractedFold(stretch.value, range.tokens, services.measure, breathe)
    // Of a fold whose messages are all excluded now, nothing may stay.
    if (text.text === '' && range.replaces === undefined) return err(NOTHING)
    const isSafe = await isStillSafe(services, session.id, range, standing.value.head)
    if (!isSafe.ok) return isSafe
    if (!isSafe.value || stopping.aborted) return err(NOTHING)
    const fact = foldFact(range, 'extract', stretch.value, text, standing.value.head)
    const written = await append(session.id, [fact], { fence })
    if (!written.ok) return written
    const [event] = written.value.events
    return event === undefined ? err(NOTHING) : ok({ event })
  }

  /** After a turn that folded: the next fold, which may be another voice's; what failed is tried again after the next answer. */
  const foldOver = async (id: SessionId, turn: TurnId): Promise<void> => {
    const [session, own] = await Promise.all([log.session(id), log.read(id, { turn })])
    if (!session.ok || !own.ok) return
    const started = own.value.find(event => event.type === 'turn.started')
    const isMade = own.value.some(({ type }) => type === 'history.folded')
    const voices = voicesIn(services, session.value)
    if (isMade) return look(id, voices)
    const failed = started?.type === 'turn.started' ? started.fold?.voice : undefined
    if (failed !== undefined) look(id, voices.slice(voices.indexOf(failed) + 1))
  }

  /** The end of an answer brings the look for a fold: a process that dies in between leaves no open turn. */
  const lookAfterStart = async (open: readonly SessionId[]): Promise<void> => {
    const newest = await log.sessions({ limit: LAST_SESSIONS })
    const items = newest.ok ? newest.value.items : []
    const last = items.reduce((most, { updatedAt }) => Math.max(most, Date.parse(updatedAt)), 0)
    const changed = items.filter(({ updatedAt }) => Date.parse(updatedAt) > last - LAST_MS)
    for (const id of new Set([...open, ...changed.map(session => session.id)])) await lookForAll(id)
  }

  const lookForAll = async (id: SessionId): Promise<void> => {
    const session = await log.session(id)
    if (session.ok) look(id, voicesIn(services, session.value))
  }

  return {
    recover: open => void lookAfterStart(open).catch((cause: unknown) => observe({ type: 'bug', cause })),
    takenUp: id => void lookForAll(id).catch((cause: unknown) => observe({ type: 'bug', cause })),
    turnOver: (id, voice, turn) => {
      if (stopping.aborted) return
      if (voice === FOLD) foldOver(id, turn).catch((cause: unknown) => observe({ type: 'bug', cause }))
      else if (!isInternalVoice(voice)) look(id, [voice])
    },
    make: (session, task) => inTurn(session.id, () => begin(session, owners.tenureOf(session.id), task)),
    isUnderWay: id => queues.has(id),
    idle: async () => {
      await Promise.all(queues.values())
    },
  }
}
