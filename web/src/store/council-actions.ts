// What a person can do with a council: synthesis, exchange, resume.
import type { Attribution } from '../../../src/context/synthesis/attribution.ts'
import type { SynthesisMode } from '../../../src/model/settings/council.ts'
import type { ApiClient, NewSessionFor } from '../wire/client.ts'
import type { ApiProblem, ApiResult } from '../wire/problem.ts'
import type { Cell } from './cell.ts'
import type { State } from './state.ts'

/** What a person can have done with a conversation, beside speaking in it. */
export type CouncilActions = {
  /** Who is to answer in the next new conversation. */
  readonly choose: (whom: NewSessionFor | null) => void
  readonly exchange: () => Promise<void>
  readonly synthesize: (mode: SynthesisMode) => Promise<void>
  /** Resumes one turn, or everything that is unfinished in the last round. */
  readonly resume: (turn?: string) => Promise<void>
  /** Stops one turn; the others speak on. */
  readonly halt: (turn: string) => Promise<void>
  /** Lets an advisor of this council answer every message, or only those that name it. */
  readonly seat: (advisor: string, active: boolean) => Promise<void>
  /** Null where they cannot be had; nothing of the conversation is missing then. */
  readonly sources: (turn: string) => Promise<Attribution | null>
}

export type CouncilActionsNeeds = {
  readonly cell: Cell<State>
  readonly client: ApiClient
  readonly onProblem: (problem: ApiProblem) => void
}

const NO_COUNCIL: ApiProblem = {
  status: 404,
  title: 'This council is not there any more',
  detail: 'It was deleted; what was said stays.',
}

/** Nothing is shown as begun before the log says so; only a refusal is shown. */
export function createCouncilActions({ cell, client, onProblem }: CouncilActionsNeeds): CouncilActions {
  const wish = async (ask: (session: string) => Promise<ApiResult<unknown>>): Promise<void> => {
    const { session } = cell.get()
    if (session === null) return
    const taken = await ask(session)
    if (taken.ok) return
    onProblem(taken.problem)
    if (cell.get().session === session) cell.set({ problem: taken.problem })
  }
  /** Reads the council again first, so that another person's change is not overwritten. */
  const seated = async (advisor: string, active: boolean): Promise<ApiResult<unknown>> => {
    const key = cell.get().about?.council
    const read = await client.councils()
    if (!read.ok) return read
    const council = read.value.items.find(each => each.key === key)
    if (council === undefined) return { ok: false, problem: NO_COUNCIL }
    const advisors = council.advisors.map(each => (each.id === advisor ? { ...each, active } : each))
    const kept = await client.putCouncil({ ...council, advisors })
    if (kept.ok) cell.set({ councils: read.value.items.map(each => (each.key === key ? kept.value : each)) })
    return kept
  }
  return {
    choose: whom => cell.set({ whom }),
    exchange: () => wish(client.exchange),
    synthesize: mode => wish(session => client.synthesize(session, mode)),
    resume: turn => wish(session => client.resume(session, turn)),
    halt: turn =>
      wish(async session => {
        const stopped = await client.cancel(session, turn)
        // A conflict means that it has ended by itself, which is what was wanted.
        return stopped.ok || stopped.problem.status !== 409 ? stopped : { ok: true, value: null }
      }),
    seat: (advisor, active) => wish(() => seated(advisor, active)),
    sources: async turn => {
      const { session } = cell.get()
      const found = session === null ? null : await client.sources(session, turn)
      return found?.ok === true ? found.value : null
    },
  }
}
