/** The stable key of a voice; display names may change, this never does. */
export type VoiceId = string

/** A voice with a prompt of its own: the one that answers in a session. */
export type Agent = {
  readonly key: VoiceId
  readonly name: string
  readonly prompt: string
}

/** Who answers when a workspace names nobody. */
export const ASSISTANT: Agent = { key: 'assistant', name: 'Assistant', prompt: '' }
