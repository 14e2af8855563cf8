/** Which session belongs to which place of a channel: one to one, until a person asks for a fresh one. */
import type { Engine, NewSession } from '../../engine.ts'
import type { Fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { ok, type Result } from '../../model/result.ts'
import type { Session } from '../../model/session.ts'
import type { Place } from './adapter.ts'
import type { Binding, ChannelStore } from './channel-store.ts'

export type Bindings = {
  /** The session of a place, if one was opened and was not deleted since. */
  readonly sessionAt: (place: Place) => Promise<Result<Session | undefined, Fault>>
  /** Opens a session under this id with the agent or council that was chosen in this place before, and binds it. */
  readonly openAt: (place: Place, id: SessionId) => Promise<Result<null, Fault>>
  readonly bind: (place: Place, session: Session) => Promise<Result<null, Fault>>
}

export function createBindings(engine: Engine, store: ChannelStore): Bindings {
  const bind: Bindings['bind'] = (place, { id, agent, council }) => store.bind(place, { session: id, agent, council })
  return {
    sessionAt: async place => {
      const bound = store.binding(place)
      const session = bound === undefined ? undefined : await engine.session(bound.session)
      return session === undefined || (!session.ok && session.fault.kind === 'not-found') ? ok(undefined) : session
    },
    openAt: async (place, id) => {
      const chosen = await engine.open({ ...chosenBefore(store.binding(place)), id })
      // The agent or council that was chosen may be gone from the workspace; then the first agent answers.
      const opened = chosen.ok || chosen.fault.retryable ? chosen : await engine.open({ id })
      return opened.ok ? bind(place, opened.value) : opened
    },
    bind,
  }
}

function chosenBefore(binding: Binding | undefined): NewSession {
  if (typeof binding?.council === 'string') return { council: binding.council }
  return typeof binding?.agent === 'string' ? { agent: binding.agent } : {}
}
