/** Voices: who speaks in a session. */
import type { Sampling } from './sampling.ts'

/** The stable key of a voice; display names may change, this never does. */
export type VoiceId = string

/** A voice with a prompt of its own: the one that answers in a session. */
export type Agent = {
  readonly key: VoiceId
  readonly name: string
  readonly prompt: string
  readonly description?: string
  readonly color?: string
  /** What it is asked with, where it differs from the settings. */
  readonly model?: string
  readonly policy?: string
  readonly thinking?: boolean
  readonly sampling?: Sampling
  /** How it calls tools, where its model cannot: in its text. */
  readonly protocol?: 'text'
  /** The most tokens its reply may have; this counts before the policy's reserve. */
  readonly maxTokens?: number
  /** The tools it may use, by names or by beginnings with a final `*`; all of them if it says nothing. */
  readonly tools?: readonly string[]
  /** The skills it has, in the same way. The tools of a skill that it does not have go with it. */
  readonly skills?: readonly string[]
  /** False: its words are shown only when it has finished. */
  readonly stream?: boolean
}

/** An agent as its file has it: what people write, before it is put together. */
export type WrittenAgent = {
  readonly key: VoiceId
  readonly name: string
  readonly prompt: string
  readonly description?: string
  readonly personality?: string
  readonly example?: string | Readonly<Record<string, unknown>>
  readonly suffix?: string
  readonly no_implementation?: boolean
  readonly model?: string
  readonly policy?: string
  readonly color?: string
  readonly thinking?: boolean
  readonly sampling?: Sampling
  readonly maxTokens?: number
  readonly tools?: readonly string[]
  readonly skills?: readonly string[]
  readonly protocol?: 'native' | 'text'
}

/** Who answers when a workspace names no agent. */
export const ASSISTANT: Agent = { key: 'assistant', name: 'Assistant', prompt: '' }
