// Counts the messages that this page sends in the open session.
import type { ApiClient } from '../wire/client.ts'
import type { ApiResult } from '../wire/problem.ts'
import type { Cell } from './cell.ts'
import type { State } from './state.ts'

/** The same client, that also counts what was said by this page in the session in the middle: its reader wants to see what follows. */
export function countSpoken(client: ApiClient, cell: Cell<State>): ApiClient {
  const counted = async <Value>(session: string, asked: Promise<ApiResult<Value>>): Promise<ApiResult<Value>> => {
    const outcome = await asked
    if (outcome.ok && cell.get().session === session) cell.set({ spoke: cell.get().spoke + 1 })
    return outcome
  }
  return {
    ...client,
    say: (session, message) => counted(session, client.say(session, message)),
    exchange: session => counted(session, client.exchange(session)),
  }
}
