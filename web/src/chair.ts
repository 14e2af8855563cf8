import type { Attribution } from '../../src/context/attribution.ts'
import type { SynthesisMode } from '../../src/model/council.ts'
import type { Cell } from './cell.ts'
import type { Client, Whom } from './client.ts'
import type { Outcome, Problem } from './problem.ts'
import type { State } from './state.ts'

/** What a person can have done with a conversation, beside speaking in it. */
export type Chair = {
  /** Who is to answer in the next new conversation. */
  readonly choose: (whom: Whom | null) => void
  readonly exchange: () => Promise<void>
  readonly synthesize: (mode: SynthesisMode) => Promise<void>
  /** Goes on with one turn, or with whatever was left in the last round. */
  readonly resume: (turn?: string) => Promise<void>
  /** Null where they cannot be had; nothing of the conversation is missing then. */
  readonly sources: (turn: string) => Promise<Attribution | null>
}

export type ChairNeeds = {
  readonly cell: Cell<State>
  readonly client: Client
  readonly onProblem: (problem: Problem) => void
}

/** Nothing is shown as begun before the log says so; only what was refused is told. */
export function createChair({ cell, client, onProblem }: ChairNeeds): Chair {
  const wish = async (ask: (session: string) => Promise<Outcome<unknown>>): Promise<void> => {
    const { session } = cell.get()
    if (session === null) return
    const taken = await ask(session)
    if (taken.ok) return
    onProblem(taken.problem)
    if (cell.get().session === session) cell.set({ problem: taken.problem })
  }
  return {
    choose: whom => cell.set({ whom }),
    exchange: () => wish(client.exchange),
    synthesize: mode => wish(session => client.synthesize(session, mode)),
    resume: turn => wish(session => client.resume(session, turn)),
    sources: async turn => {
      const { session } = cell.get()
      const found = session === null ? null : await client.sources(session, turn)
      return found?.ok === true ? found.value : null
    },
  }
}
