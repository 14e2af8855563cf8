/** Opens, changes, marks and removes sessions. */
import { presets } from '../../context/presets.ts'
import { ANYONE, type Due } from '../../log/ports.ts'
import type { Mark, Reach, SessionChange } from '../../model/event.ts'
import { type Fault, fault } from '../../model/fault.ts'
import type { SessionId } from '../../model/ids.ts'
import { err, ok, type Result } from '../../model/result.ts'
import { patchedSampling, type Sampling, type SamplingPatch } from '../../model/sampling.ts'
import { type Session, sharedThrough } from '../../model/session.ts'
import { isAfterRound, isInternalVoice } from '../../model/settings/council.ts'
import { ASSISTANT } from '../../model/voice.ts'
import { contradiction, refusedForSession } from '../admission/reply-settings.ts'
import { agentNamed, councilNamed, policyNamed } from '../admission/speaker.ts'
import type { Conductor } from '../conductor.ts'
import type { Services } from '../services.ts'
import { readState, type SessionState } from './session-state.ts'

/** What a session may be opened with. */
export type NewSession = {
  /** An id that was minted before. If a session with this id is open already, that session is the result. */
  readonly id?: SessionId
  readonly title?: string
  readonly agent?: string
  readonly council?: string
  readonly policy?: string
  readonly model?: string
  readonly thinking?: boolean
  readonly sampling?: Sampling
  readonly maxTokens?: number
  readonly project?: string
  readonly archived?: boolean
  /** Whether nothing of it may ever be quoted in another session. */
  readonly private?: boolean
}

/** A person's wish to change a session. Of the sampling only what is named changes, and null takes a setting away. */
export type SessionWish = Omit<SessionChange, 'sampling' | 'policyChosen'> & { readonly sampling?: SamplingPatch | null }

/** What people do with sessions besides talking in them. */
export type Sessions = {
  readonly open: (wish: NewSession) => Promise<Result<Session, Fault>>
  readonly change: (id: SessionId, wish: SessionWish) => Promise<Result<Session, Fault>>
  readonly mark: (id: SessionId, seq: number, mark: Mark | null, reach?: Reach) => Promise<Result<null, Fault>>
  readonly remove: (id: SessionId) => Promise<Result<null, Fault>>
}

/** The defaults of a new session. */
export type Usual = { readonly policy: string; readonly projects: () => Promise<readonly string[]> }

const ONLY_PINS: Fault = fault('invalid', 'reach: only a pin can reach other chats; leave it out, or pin the message')

/** Why no message of a session can be pinned for others. */
function refusedReach({ private: isPrivate, council, hadCouncil }: Session): Fault | undefined {
  if (isPrivate === true)
    return fault(
      'conflict',
      'reach: this chat is private, so its messages can only be pinned for itself; make it not private first',
    )
  if (council !== null) return fault('conflict', "reach: this is a council's chat, so its messages can only be pinned for itself")
  if (hadCouncil === true)
    return fault('conflict', 'reach: a council answered in this chat, so its messages can only be pinned for itself')
  return undefined
}

const BOTH: Fault = fault('invalid', 'council: a session has an agent or a council, not both')

export function createSessions(services: Services, conductor: Conductor, usual: Usual): Sessions {
  const { log, mint, clock, feed } = services
  const firstAgent = (): string => services.agents.keys().next().value ?? ASSISTANT.key

  /** Who answers, and the policy that applies unless the session names another one. */
  const answering = (agent: string | undefined, council: string | undefined): Result<Answering, Fault> => {
    if (council !== undefined) {
      const board = councilNamed(services, council)
      return board.ok ? ok({ agent: null, council: board.value.key, policy: presets.council.name }) : board
    }
    const voice = agentNamed(services, agent ?? firstAgent())
    return voice.ok ? ok({ agent: voice.value.key, council: null, policy: voice.value.policy ?? usual.policy }) : voice
  }

  /** True if a person chose the policy. Old sessions do not say so: then it was chosen if their agent would not have brought it. */
  const isPolicyChosen = ({ policyChosen, policy, agent, council }: Session): boolean => {
    if (policyChosen !== undefined) return policyChosen
    const brought = answering(agent ?? undefined, council ?? undefined)
    return !brought.ok || brought.value.policy !== policy
  }

  /** Completes a change of who answers: an agent replaces the council, and a council replaces the agent. */
  const whole = ({ session, standing }: SessionState, changes: SessionChange): Result<SessionChange, Fault> => {
    const { id } = session
    const { agent, council } = changes
    if (agent === undefined && council === undefined) return ok(changes)
    if (typeof agent === 'string' && typeof council === 'string') return err(BOTH)
    const answers = answering(agent ?? undefined, council ?? undefined)
    if (!answers.ok) return answers
    const { council: before } = session
    if (answers.value.council === before) {
      if (before !== null) return ok(changes)
      const own = isPolicyChosen(session) ? {} : { policy: answers.value.policy, policyChosen: false }
      return ok({ ...own, ...changes, agent: answers.value.agent })
    }
    // A switch between an agent and a council during an answer would leave it open whose words come next.
    if (conductor.activity(id).turns.some(({ voice }) => !isInternalVoice(voice))) return err(BUSY)
    // Messages that a fork has from its parent do not count: they wait until a person asks for an answer.
    const isWaiting = ({ voice, seq }: Due): boolean => voice !== ANYONE || seq > sharedThrough(session)
    if (standing.due.some(due => !isAfterRound(due.voice) && isWaiting(due))) return err(WAITING)
    const brought = { ...answers.value, policyChosen: false }
    return ok({ ...brought, ...changes, agent: answers.value.agent, council: answers.value.council })
  }

  /** What a wish means for the session as it is now, or why it cannot have that. */
  const completed = async (id: SessionId, wish: SessionWish): Promise<Result<SessionChange, Fault>> => {
    const { sampling: _, ...plain } = wish
    const chosen = wish.policy === undefined ? plain : { ...plain, policyChosen: true }
    if (!ABOUT_REPLIES.some(name => wish[name] !== undefined)) return ok(chosen)
    const state = await readState(log, id)
    if (!state.ok) return state
    const { session } = state.value
    const sampled = samplingWish(session, wish)
    const changes = sampled.ok ? whole(state.value, { ...chosen, ...sampled.value }) : sampled
    if (!changes.ok) return changes
    const unknown = unknownSetting(services, changes.value)
    const refused = unknown ?? refusedForSession(services, { ...session, ...changes.value })
    return refused === undefined ? changes : err(refused)
  }

  return {
    open: async wish => {
      const { id: given, title, agent, council, policy, model, thinking, sampling, maxTokens, project } = wish
      const known = given === undefined ? undefined : await log.session(given)
      if (known !== undefined && (known.ok || known.fault.kind !== 'not-found')) return known
      if (agent !== undefined && council !== undefined) return err(BOTH)
      const answers = answering(agent, council)
      if (!answers.ok) return answers
      const unknown = unknownSetting(services, {
        ...(policy === undefined ? {} : { policy }),
        ...(model === undefined ? {} : { model }),
      })
      if (unknown !== undefined) return err(unknown)
      const unknownProject = project === undefined ? undefined : strangeProject(project, await usual.projects())
      if (unknownProject !== undefined) return err(unknownProject)
      const now = new Date(clock()).toISOString()
      const id = given ?? mint('ses')
      const session: Session = {
        id,
        title: title ?? null,
        preview: null,
        ...answers.value,
        project: project ?? null,
        policy: policy ?? answers.value.policy,
        policyChosen: policy !== undefined,
        model: model ?? null,
        ...(thinking === undefined ? {} : { thinking }),
        ...(sampling === undefined ? {} : { sampling }),
        ...(maxTokens === undefined ? {} : { maxTokens }),
        archived: wish.archived ?? false,
        ...(wish.private === true ? { private: true } : {}),
        createdAt: now,
        updatedAt: now,
        messages: 0,
        family: id,
      }
      const refused = refusedForSession(services, session)
      return refused === undefined ? log.open(session) : err(refused)
    },
    change: async (id, wish) => {
      const changes = await completed(id, wish)
      if (!changes.ok) return changes
      const unknown = unknownSetting(services, changes.value)
      if (unknown !== undefined) return err(unknown)
      const { project } = changes.value
      const unknownProject = typeof project === 'string' ? strangeProject(project, await usual.projects()) : undefined
      if (unknownProject !== undefined) return err(unknownProject)
      const changed = await conductor.append(id, [{ type: 'session.changed', changes: changes.value }])
      return changed.ok ? log.session(id) : changed
    },
    mark: async (id, target, mark, reach) => {
      if (reach !== undefined && mark !== 'pin') return err(ONLY_PINS)
      const wide = reach === undefined || reach === 'session' ? undefined : reach
      const keeper = wide === undefined ? undefined : await log.session(id)
      if (keeper?.ok === false) return keeper
      const refused = keeper === undefined ? undefined : refusedReach(keeper.value)
      if (refused !== undefined) return err(refused)
      const found = await log.read(id, { after: target - 1, through: target })
      if (!found.ok) return found
      const [event] = found.value
      if (event?.type !== 'message.received' && event?.type !== 'reply.finished') {
        return err(fault('invalid', `seq: there is no message at ${target}; a mark goes on a message or a reply`))
      }
      const marked = await conductor.append(id, [
        { type: 'message.marked', target, mark, ...(wide === undefined ? {} : { reach: wide }) },
      ])
      return marked.ok ? ok(null) : marked
    },
    remove: async id => {
      await conductor.cancel(id)
      const removed = await log.remove(id)
      // Followers read once more, find no session, and end.
      if (removed.ok) feed.head(id, Number.MAX_SAFE_INTEGER)
      return removed
    },
  }
}

/** What decides how a session's replies are asked for. */
const ABOUT_REPLIES = ['agent', 'council', 'model', 'thinking', 'sampling', 'maxTokens'] as const

/** The sampling after a wish. The last word counts: a wish about thinking takes an effort away that says otherwise, and the reverse. */
function samplingWish(
  { sampling, thinking: before }: Session,
  { sampling: patch, thinking }: SessionWish,
): Result<Pick<SessionChange, 'sampling' | 'thinking'>, Fault> {
  const both = contradiction(patch?.effort, thinking)
  if (both !== undefined) return err(both)
  const after = patch === null ? null : patchedSampling(sampling ?? {}, patch ?? {})
  if (contradiction(after?.effort, thinking) !== undefined)
    return ok({ sampling: patchedSampling(after ?? {}, { effort: null }) })
  const isOver = thinking === undefined && contradiction(after?.effort, before) !== undefined
  return ok({ ...(patch === undefined ? {} : { sampling: after }), ...(isOver ? { thinking: null } : {}) })
}

type Answering = Pick<Session, 'agent' | 'council' | 'policy'>

const BUSY: Fault = fault(
  'conflict',
  'something is being answered here; wait until it is over, or stop it, before you change who answers',
)

const WAITING: Fault = fault(
  'conflict',
  'a message here waits for an answer; resume the session and let it be answered, before you change who answers',
)

/** An unknown policy or model is refused at once, and the fault lists the known ones. */
function unknownSetting(services: Services, { policy, model }: SessionChange): Fault | undefined {
  const known = [
    policy === undefined ? ok(null) : policyNamed(services, policy),
    model === undefined || model === null ? ok(null) : services.models.named(model),
  ]
  return known.find(each => !each.ok)?.fault
}

function strangeProject(project: string, known: readonly string[]): Fault | undefined {
  if (known.includes(project)) return undefined
  const there =
    known.length === 0 ? 'there are none; a project is a folder projects/<name> with a CONTEXT.md' : `known: ${known.join(', ')}`
  return fault('invalid', `project: there is no "${project}"; ${there}`)
}
