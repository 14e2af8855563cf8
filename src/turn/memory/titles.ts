/** Titles of sessions: the turn that finds one, and the title in what that turn said. */
import type { EventLog, Log } from '../../log/ports.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId, TurnId } from '../../model/ids.ts'
import { isReply } from '../../model/message/spoken.ts'
import { err, mapResult, type Result } from '../../model/result.ts'
import { TITLE } from '../../model/settings/council.ts'
import { spokenText } from '../../model/turn-view/join-cuts.ts'
import type { Conductor } from '../conductor.ts'
import { endsOf } from '../council/round-members.ts'
import { readState } from '../schedule/session-state.ts'
import type { SessionWriter } from '../schedule/session-writer.ts'
import type { Services } from '../services.ts'
import { firstExchange, titleIn } from './first-exchange.ts'

const TITLED: Fault = fault('conflict', 'this session has a title already; take it away first, or rename it')
const UNDER_WAY: Fault = fault('conflict', 'a title is being made for this session already')
const UNANSWERED: Fault = fault('conflict', 'nothing was answered here yet; a title is made of the first answer')

/** Starts the turn that names a session; the conductor sets the title when that turn is over. */
export async function requestTitle({ log }: Services, conductor: Conductor, id: SessionId): Promise<Result<TurnId, Fault>> {
  const state = await readState(log, id)
  if (!state.ok) return state
  const { session } = state.value
  if (session.title !== null) return err(TITLED)
  if (conductor.activity(id).turns.some(({ voice }) => voice === TITLE)) return err(UNDER_WAY)
  const first = await firstExchange(log, id)
  if (!first.ok) return first
  if (first.value === undefined) return err(UNANSWERED)
  const { cause, end: at } = first.value
  const turn = await conductor.start(session, { voice: TITLE, cause, at })
  return turn.ok || turn.fault.kind !== 'conflict' ? turn : err(UNDER_WAY)
}

/** The title that a turn found. Empty if the turn failed or gave no title. */
const titleOf = async (log: Pick<EventLog, 'read'>, id: SessionId, turn: TurnId): Promise<Result<string, Fault>> =>
  mapResult(await log.read(id, { turn }), events =>
    endsOf(events).get(turn) === 'done' ? titleIn(spokenText(events.filter(isReply))) : '',
  )

/** How often others may write while a title is being set. */
const TRIES = 10

/** Sets the title that a turn found. A title that the session has by then stays. */
export async function setTitle(log: Log, append: SessionWriter['append'], id: SessionId, turn: TurnId): Promise<void> {
  const title = await titleOf(log, id, turn)
  if (!title.ok || title.value === '') return
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const standing = await log.standing(id)
    const session = await log.session(id)
    if (!standing.ok || !session.ok || session.value.title !== null) return
    const fact = { type: 'session.changed', changes: { title: title.value } } as const
    const changed = await append(id, [fact], { expect: standing.value.head })
    if (changed.ok || changed.fault.kind !== 'conflict') return
  }
}
