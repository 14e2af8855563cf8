import type { Engine, NewSession } from '../../engine.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import type { Place } from './bot-api.ts'
import type { Binding, Notebook } from './channel-store.ts'

/** Which session belongs to which place; one to one, for ever, until a person asks for a fresh one. */
export type Places = {
  /** The session of a place, if one was opened and was not deleted meanwhile. */
  readonly sessionAt: (place: Place) => Promise<Result<Session | undefined, Fault>>
  /** Opens the session that was minted, for whoever was chosen in this place before, and binds it. */
  readonly openAt: (place: Place, id: SessionId) => Promise<Result<null, Fault>>
  readonly bind: (place: Place, session: Session) => Promise<Result<null, Fault>>
}

export function createPlaces(engine: Engine, notebook: Notebook): Places {
  const bind: Places['bind'] = (place, { id, agent, council }) => notebook.bind(place, { session: id, agent, council })
  return {
    sessionAt: async place => {
      const bound = notebook.binding(place)
      const session = bound === undefined ? undefined : await engine.session(bound.session)
      return session === undefined || (!session.ok && session.fault.kind === 'not-found') ? ok(undefined) : session
    },
    openAt: async (place, id) => {
      const wish = wishOf(notebook.binding(place))
      const chosen = await engine.open({ ...wish, id })
      // Whoever was chosen may be gone from the workspace; then the first agent answers.
      const opened = chosen.ok || chosen.fault.retryable ? chosen : await engine.open({ id })
      return opened.ok ? bind(place, opened.value) : opened
    },
    bind,
  }
}

function wishOf(chosen: Binding | undefined): NewSession {
  if (typeof chosen?.council === 'string') return { council: chosen.council }
  return typeof chosen?.agent === 'string' ? { agent: chosen.agent } : {}
}
