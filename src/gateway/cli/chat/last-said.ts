// Finds the last message and the last answer of a session.
import type { Engine } from '../../../engine.ts'
import type { Event, Recorded } from '../../../model/event.ts'
import { type Fault, fault } from '../../../model/fault.ts'
import type { SessionId } from '../../../model/ids.ts'
import { isReply, type SpokenReply } from '../../../model/message/spoken.ts'
import { err, ok, type Result } from '../../../model/result.ts'

type Message = Extract<Event, { type: 'message.received' }>
type Finished = Extract<Event, { type: 'reply.finished' }>

const PAGE = 200

/** Reads events from the newest back, page by page. Each page is in order. */
async function* backwards(reader: Engine, id: SessionId): AsyncGenerator<Result<readonly Recorded[], Fault>> {
  for (let through: number | undefined; through === undefined || through > 0; ) {
    const page = await reader.read(id, { newest: true, limit: PAGE, ...(through === undefined ? {} : { through }) })
    yield page
    if (!page.ok || page.value.length < PAGE) return
    through = (page.value[0]?.seq ?? 1) - 1
  }
}

/** The last event of one type. */
async function last<Kind extends Recorded>(
  reader: Engine,
  id: SessionId,
  is: (event: Recorded) => event is Kind,
): Promise<Result<Kind | undefined, Fault>> {
  for await (const page of backwards(reader, id)) {
    if (!page.ok) return page
    const found = page.value.findLast(is)
    if (found !== undefined) return ok(found)
  }
  return ok(undefined)
}

const isPersons = (event: Recorded): event is Message => event.type === 'message.received' && event.exchange === undefined
const isFinished = (event: Recorded): event is Finished => event.type === 'reply.finished' && event.internal !== true
const isSpoken = (event: Recorded): event is SpokenReply => isReply(event) && event.internal !== true

/** The last message from a person. */
export async function lastMessage(reader: Engine, id: SessionId): Promise<Result<Message, Fault>> {
  const found = await last(reader, id, isPersons)
  if (!found.ok) return found
  return found.value === undefined ? err(fault('not-found', 'nothing was said here yet')) : ok(found.value)
}

/** Every reply of the turn that spoke last, whether cut off or whole. */
export async function lastAnswer(reader: Engine, id: SessionId): Promise<Result<readonly SpokenReply[], Fault>> {
  const found = await last(reader, id, isSpoken)
  if (!found.ok) return found
  if (found.value === undefined) return err(fault('not-found', 'there is no answer here yet'))
  const turn = await reader.read(id, { turn: found.value.turn })
  return turn.ok ? ok(turn.value.filter(isSpoken)) : turn
}

/** The seqs to mark for the newest message: the person's own message, or all steps of an answer. */
export async function lastMarkable(reader: Engine, id: SessionId): Promise<Result<readonly (Message | Finished)[], Fault>> {
  const found = await last(reader, id, (event): event is Message | Finished => isPersons(event) || isFinished(event))
  if (!found.ok) return found
  if (found.value === undefined) return err(fault('not-found', 'nothing was said here yet'))
  if (found.value.type === 'message.received') return ok([found.value])
  const turn = await reader.read(id, { turn: found.value.turn })
  return turn.ok ? ok(turn.value.filter(isFinished)) : turn
}

/** The last seq of a session, or 0 if nothing has happened yet. */
export async function headOf(reader: Engine, id: SessionId): Promise<Result<number, Fault>> {
  const newest = await reader.read(id, { newest: true, limit: 1 })
  return newest.ok ? ok(newest.value.at(-1)?.seq ?? 0) : newest
}
