// Lists the requests of a session.
import type { Engine } from '../../../engine.ts'
import type { Fault } from '../../../model/fault.ts'
import type { SessionId, TurnId } from '../../../model/ids.ts'
import type { Usage } from '../../../model/message/delta.ts'
import type { Receipt } from '../../../model/receipt.ts'
import { ok, type Result } from '../../../model/result.ts'
import type { Turn } from './turns.ts'

/** One request of a session, with what its provider counted after answering. */
export type ListedRequest = {
  readonly turn: TurnId
  /** The number of its turn, from 1. */
  readonly number: number
  readonly step: number
  readonly receipt: Receipt
  readonly usage: Usage | null
}

const PAGE = 500

/** Every request of the given turns, in the order in which they were sent. */
export async function requestsOf(
  engine: Engine,
  id: SessionId,
  turns: readonly Turn[],
): Promise<Result<readonly ListedRequest[], Fault>> {
  const numbers = new Map(turns.map(turn => [turn.id, turn.number]))
  const requests: ListedRequest[] = []
  for (let after = 0; ; ) {
    const page = await engine.read(id, { after, limit: PAGE })
    if (!page.ok) return page
    for (const event of page.value) {
      after = event.seq
      if (event.type === 'context.planned') {
        const { turn, step, receipt } = event
        const number = numbers.get(turn)
        if (number !== undefined) requests.push({ turn, number, step, receipt, usage: null })
      }
      if (event.type === 'reply.finished' || event.type === 'reply.broken') {
        const index = requests.findLastIndex(({ turn, step }) => turn === event.turn && step === event.step)
        const asked = requests[index]
        if (asked !== undefined && event.usage !== undefined) requests[index] = { ...asked, usage: event.usage }
      }
    }
    if (page.value.length < PAGE) return ok(requests)
  }
}
