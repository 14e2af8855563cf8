/** A session: one conversation as people list and name it. */
import type { SessionId } from './ids.ts'
import type { Sampling } from './sampling.ts'
import type { VoiceId } from './voice.ts'

/** One conversation, as people list and name it; what was said in it is in its events. */
export type Session = {
  readonly id: SessionId
  readonly title: string | null
  /** How the first message begins: a name for people until there is a title. */
  readonly preview: string | null
  readonly agent: VoiceId | null
  readonly council: string | null
  readonly project: string | null
  readonly policy: string
  /** Whether a person chose the policy for this session; another agent brings its own otherwise. Unknown of old sessions. */
  readonly policyChosen?: boolean
  /** What its agent is asked with here; null follows the agent. */
  readonly model: string | null
  /** Whether voices think first in this session, where the model can; if absent, each agent's own setting counts. */
  readonly thinking?: boolean | null
  /** How models choose their words here; what is not in it follows the agent. */
  readonly sampling?: Sampling | null
  /** The most tokens a reply may have here; if absent, the agent's or policy's own limit counts. */
  readonly maxTokens?: number | null
  readonly archived: boolean
  /** Nothing of it is ever quoted in another session. */
  readonly private?: boolean
  /** Advisors of a council have answered here. Their words stay here, also when one agent answers from then on. */
  readonly hadCouncil?: true
  readonly createdAt: string
  readonly updatedAt: string
  /** Received messages and turns' answers, each counted once. */
  readonly messages: number
  /**
   * Which session it is a fork of, and the last seq they share. `kept` counts the events after that which it took over from turns
   * that were running there; its own begin behind them.
   */
  readonly parent?: { readonly session: SessionId; readonly at: number; readonly kept?: number }
  /** The first session of its tree, also when that one is gone; its own id where it is no fork. */
  readonly family: SessionId
  /** Whose file it came in, where it did not begin here: `chatgpt`, `claude` and so on. */
  readonly origin?: string
  /** The last seq that came with an import. */
  readonly importedThrough?: number
}

/** A stored session under today's names: databases written before that name was chosen call `importedThrough` `brought`. */
export function withTodaysNames({ brought, ...session }: Session & { readonly brought?: number }): Session {
  return brought === undefined ? session : { ...session, importedThrough: brought }
}

/** Up to here a session has its messages from its parent or from elsewhere, and no answer to them is due. */
export const sharedThrough = ({ parent, importedThrough = 0 }: Session): number =>
  Math.max((parent?.at ?? 0) + (parent?.kept ?? 0), importedThrough)

/** Where a search found its words. */
export type SessionHit = Session & { readonly snippet?: string; readonly seq?: number }
