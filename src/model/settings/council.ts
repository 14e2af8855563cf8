/** A council and its advisors, as settings describe them. */
import type { Sampling } from '../sampling.ts'
import type { VoiceId } from '../voice.ts'

/** One perspective of a council. */
export type Advisor = {
  readonly id: VoiceId
  readonly name: string
  readonly description: string
  readonly color: string
  readonly model?: string
  readonly policy?: string
  /** One that is hidden answers only when it is named. */
  readonly active: boolean
  readonly group?: string
  /** Whether it is given house text, skills and tools as agents are. */
  readonly house?: boolean
  readonly thinking?: boolean
  readonly sampling?: Sampling
  /** The most tokens its reply may have. */
  readonly maxTokens?: number
  /** The tools it may use, as for agents. Without `house` it has only those that are named. */
  readonly tools?: readonly string[]
  readonly skills?: readonly string[]
}

/** What is made of a round: its gist, what they agree and differ on, or a paper to decide by. */
export type SynthesisMode = 'brief' | 'positions' | 'memo'

export const SYNTHESIS_MODES: readonly SynthesisMode[] = ['brief', 'positions', 'memo']

/** Several advisors that answer the same message side by side. */
export type Council = {
  readonly key: string
  readonly name: string
  readonly advisors: readonly Advisor[]
  /** What they hear of each other. */
  readonly references: 'last-round' | 'none'
  /** For so many answers an advisor only asks; 0 turns that off. */
  readonly early: { readonly turns: number }
  /** What is made of every round, unless a message asks for something else. */
  readonly synthesis?: SynthesisMode
}

/** Voices of the house itself: no other voice sees their words. */
export const SYNTHESIS: VoiceId = 'house:synthesis'
export const SUGGESTION: VoiceId = 'house:suggestion'
/** Names a session; what it says becomes the title, and is no message of the conversation. */
export const TITLE: VoiceId = 'house:title'
/** Folds a stretch of the past; what it says becomes a fold, and is no message of the conversation. */
export const FOLD: VoiceId = 'house:fold'

/** Asked for where advisors are to answer each other once more; the house itself says nothing then. */
export const EXCHANGE: VoiceId = 'house:exchange'

/** The most rounds that one request can start. */
export const MOST_ROUNDS = 5

/** Whether a voice waits until all other voices that were asked have answered. */
export const isAfterRound = (voice: VoiceId): boolean => voice === SYNTHESIS || voice === EXCHANGE

/** Whether what a voice says is no message of the conversation: a title, a fold. */
export const isInternalVoice = (voice: VoiceId): boolean => voice === TITLE || voice === FOLD

/** No agent or advisor can have such a key. */
export const isHouseVoice = (voice: VoiceId): boolean => voice.startsWith('house:')
