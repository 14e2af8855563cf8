import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { isReply } from '../../model/message/spoken.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { TITLE } from '../../model/settings/council.ts'
import { spokenText } from '../../model/turn-view/join-cuts.ts'
import type { Conductor } from '../conductor.ts'
import { endsOf } from '../council/round-members.ts'
import { readState } from '../schedule/session-state.ts'
import type { Services } from '../services.ts'
import { firstExchange, titleIn } from './first-exchange.ts'

/** Names for sessions, by the house; only where somebody asks for one. */
export type Titles = {
  /** Starts the turn that names a session; its title is set when that turn is done. */
  readonly make: (id: SessionId) => Promise<Result<TurnId, Fault>>
  /** Told whenever a turn is over. */
  readonly onTurnOver: (id: SessionId) => void
}

const TITLED: Fault = fault('conflict', 'this session has a title already; take it away first, or rename it')
const UNDER_WAY: Fault = fault('conflict', 'a title is being made for this session already')
const UNANSWERED: Fault = fault('conflict', 'nothing was answered here yet; a title is made of the first answer')
/** How often others may write while a title is being set. */
const TRIES = 10

export function createTitles(services: Services, conductor: () => Conductor): Titles {
  const { log, observe } = services
  const making = new Map<SessionId, TurnId>()

  const isRunning = (id: SessionId, turn?: TurnId): boolean =>
    conductor()
      .open(id)
      .some(each => each.voice === TITLE && (turn === undefined || each.turn === turn))

  /** A person's own title stands, whenever it came; a turn that failed or said nothing sets none. */
  const set = async (id: SessionId, turn: TurnId): Promise<void> => {
    const events = await log.read(id, { turn })
    if (!events.ok || endsOf(events.value).get(turn) !== 'done') return
    const title = titleIn(spokenText(events.value.filter(isReply)))
    for (let attempt = 1; title !== '' && attempt <= TRIES; attempt += 1) {
      const standing = await log.standing(id)
      const session = await log.session(id)
      if (!standing.ok || !session.ok || session.value.title !== null) return
      const fact = { type: 'session.changed', changes: { title } } as const
      const changed = await conductor().append(id, [fact], { expect: standing.value.head })
      if (changed.ok || changed.fault.kind !== 'conflict') return
    }
  }

  const onTurnOver: Titles['onTurnOver'] = id => {
    const turn = making.get(id)
    if (turn === undefined || isRunning(id, turn)) return
    making.delete(id)
    set(id, turn).catch((cause: unknown) => observe({ type: 'bug', cause }))
  }

  return {
    make: async id => {
      const state = await readState(log, id)
      if (!state.ok) return state
      if (state.value.session.title !== null) return err(TITLED)
      if (making.has(id) || isRunning(id)) return err(UNDER_WAY)
      const first = await firstExchange(log, id)
      if (!first.ok) return first
      if (first.value === undefined) return err(UNANSWERED)
      const { cause, end: at } = first.value
      const turn = await conductor().start(state.value.session, { voice: TITLE, cause, at })
      if (!turn.ok) return turn.fault.kind === 'conflict' ? err(UNDER_WAY) : turn
      making.set(id, turn.value)
      // It may be over before anybody knew its name.
      onTurnOver(id)
      return ok(turn.value)
    },
    onTurnOver,
  }
}
