/** The folds of a session as people see them: listed, edited, removed, and made when a person asks. */
import { foldsThatCount } from '../../context/fold/folds-that-count.ts'
import { STALE_FENCE } from '../../log/append-rules.ts'
import type { EventLog, Folded } from '../../log/ports.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { FoldMaker, HistoryFolded } from '../../model/fold.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { err, mapResult, ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import type { VoiceId } from '../../model/voice.ts'
import type { Conductor } from '../conductor.ts'
import type { Tenure } from '../nodes/ownership.ts'
import type { Services } from '../services.ts'
import type { FoldTask } from './fold-due.ts'
import { taskAgain, taskAsked } from './fold-wish.ts'

/** A fold with its place in the log; `counts` is false once it was replaced or removed. */
export type Fold = Omit<HistoryFolded, 'type'> & {
  readonly seq: number
  readonly at: string
  readonly tokens: number
  readonly counts: boolean
}

/** What a person asks to be folded; what is left open follows from the conversation. */
export type FoldWish = {
  readonly from?: number
  readonly to?: number
  readonly by?: FoldMaker
  readonly model?: string
  /** In a council: whose view of the conversation. */
  readonly voice?: VoiceId
}

/** A fold that is there at once, or the turn in which a model is asked for it. */
export type FoldBegun = { readonly fold?: Fold; readonly turn?: TurnId }

/** What people do with folds. */
export type Folds = {
  readonly list: (id: SessionId) => Promise<Result<readonly Fold[], Fault>>
  readonly make: (id: SessionId, wish: FoldWish) => Promise<Result<FoldBegun, Fault>>
  readonly edit: (id: SessionId, seq: number, text: string) => Promise<Result<Fold, Fault>>
  readonly redo: (id: SessionId, seq: number, wish: Pick<FoldWish, 'by' | 'model'>) => Promise<Result<FoldBegun, Fault>>
  readonly remove: (id: SessionId, seq: number) => Promise<Result<null, Fault>>
}

/** Why a wish cannot be meant, or undefined. */
function refusedWish({ from, to, by, model }: FoldWish): Fault | undefined {
  for (const [name, seq] of [
    ['from', from],
    ['to', to],
  ] as const)
    if (seq !== undefined && !(Number.isSafeInteger(seq) && seq > 0))
      return fault('invalid', `${name}: must be the seq of a message`)
  if (from !== undefined && to !== undefined && from > to) return fault('invalid', 'from: must not be after to')
  if (by === 'extract' && model !== undefined) return fault('invalid', 'model: none is asked for literal sentences')
  return undefined
}

const NO_TEXT: Fault = fault('invalid', 'text: a summary needs words; to take it away, remove it')

/** A summary goes with every request; a longer one would take the room of what it stands for. */
const MOST_FOLD_CHARACTERS = 100_000
const TOO_LONG: Fault = fault('invalid', `text: is too long; at most ${MOST_FOLD_CHARACTERS} characters`)

export function createFolds(services: Services, conductor: Conductor): Folds {
  const { log, owners } = services
  const known = async (id: SessionId, seq: number, orRemoved = false): Promise<Result<Fold, Fault>> => {
    const all = await foldsOf(log, id)
    if (!all.ok) return all
    const fold = all.value.find(each => each.seq === seq)
    if (fold === undefined || fold.text === '') return err(fault('not-found', `there is no summary at ${seq} in this session`))
    const isMeant = fold.counts || (orRemoved && isRemoved(all.value, fold))
    return isMeant ? ok(fold) : err(fault('conflict', `the summary at ${seq} was replaced or removed already`))
  }

  const written = async (id: SessionId, tenure: Tenure | undefined, fact: HistoryFolded): Promise<Result<Fold, Fault>> => {
    if (tenure === undefined) return err(STALE_FENCE)
    const appended = await conductor.append(id, [fact], { fence: tenure.fence })
    return mapResult(appended, ({ events }) => asFold(events[0] as Folded, fact.text !== ''))
  }

  const begun = async (session: Session, task: FoldTask): Promise<Result<FoldBegun, Fault>> =>
    mapResult(await conductor.fold(session, task), made =>
      'turn' in made ? { turn: made.turn } : { fold: asFold(made.event as Folded, true) },
    )

  return {
    list: id => foldsOf(log, id),
    make: async (id, wish) => {
      const [session, refused] = [await log.session(id), refusedWish(wish)]
      if (!session.ok) return session
      if (refused !== undefined) return err(refused)
      const task = await taskAsked(services, session.value, wish)
      return task.ok ? begun(session.value, task.value) : task
    },
    edit: async (id, seq, text) => {
      if (text.trim() === '') return err(NO_TEXT)
      if (text.length > MOST_FOLD_CHARACTERS) return err(TOO_LONG)
      const tenure = owners.tenureOf(id)
      // One that was removed comes back with the words that it is given.
      const fold = await known(id, seq, true)
      return fold.ok ? written(id, tenure, { ...sameStretch(fold.value), text: text.trim(), by: 'person' }) : fold
    },
    redo: async (id, seq, wish) => {
      const [session, fold] = [await log.session(id), await known(id, seq)]
      if (!session.ok) return session
      if (!fold.ok) return fold
      const task = await taskAgain(services, session.value, fold.value, wish)
      return task.ok ? begun(session.value, task.value) : task
    },
    remove: async (id, seq) => {
      const tenure = owners.tenureOf(id)
      const fold = await known(id, seq)
      if (!fold.ok) return fold
      return mapResult(await written(id, tenure, { ...sameStretch(fold.value), text: '', by: 'person' }), () => null)
    },
  }
}

/** Whether a fold was removed by a person, and nothing has come in its place since. */
const isRemoved = (all: readonly Fold[], { seq, from, to, voice }: Fold): boolean =>
  all.some(({ replaces, text }) => replaces === seq && text === '') &&
  !all.some(other => other.counts && other.voice === voice && other.from <= to && from <= other.to)

/** All folds of a session, oldest first, also those that were replaced. */
export async function foldsOf(log: Pick<EventLog, 'read'>, id: SessionId): Promise<Result<readonly Fold[], Fault>> {
  return mapResult(await log.read(id, { only: 'history.folded' }), events => {
    const all = events.filter((event): event is Folded => event.type === 'history.folded')
    const voices = new Set(all.map(({ voice }) => voice))
    const counting = new Set(
      [...voices].flatMap(voice => foldsThatCount(all, voice ?? '', voice === undefined ? 'all' : 'own')).map(({ seq }) => seq),
    )
    return all.map(fold => asFold(fold, counting.has(fold.seq)))
  })
}

function asFold({ type: _, session: __, ...fold }: Folded, counts: boolean): Fold {
  return { ...fold, counts }
}

/** What a fold that stands in for another one takes over. */
const sameStretch = ({ seq, from, to, voice, asked, messages, folded }: Fold): Omit<HistoryFolded, 'text' | 'by'> => ({
  type: 'history.folded',
  ...{ from, to, replaces: seq },
  ...(voice === undefined ? {} : { voice }),
  ...(asked === undefined ? {} : { asked }),
  ...(messages === undefined ? {} : { messages }),
  ...(folded === undefined ? {} : { folded }),
})
