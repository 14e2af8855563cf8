import type { Client } from '../wire/client.ts'
import type { Outcome } from '../wire/problem.ts'
import type { Cell } from './cell.ts'
import type { State } from './state.ts'

/** The same client, that also counts what was said by this page in the session in the middle: its reader wants to see what follows. */
export function countSpoken(client: Client, cell: Cell<State>): Client {
  const counted = async <Value>(session: string, asked: Promise<Outcome<Value>>): Promise<Outcome<Value>> => {
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
