import type { Call, Recorded } from './event.ts'
import type { CallId, SessionId, TurnId } from './ids.ts'
import type { ReceiptDraft } from './receipt.ts'
import type { VoiceId } from './voice.ts'

export type ToolSpec = { readonly name: string; readonly description: string; readonly parameters: unknown }

/** A text that stands before the conversation, with where it came from. */
export type SystemPart = {
  readonly source: string
  readonly reason: 'system.agent' | 'system.agents-md' | 'system.project'
  readonly text: string
}

/** A bracketed text beside the new message, never in the stable part: what others said, what was recalled. */
export type Aside = {
  readonly kind: 'reference' | 'note'
  readonly reason: 'reference.last-round' | 'recall.match'
  readonly text: string
}

/** All that assembly may know. Gathered before, so that assembly itself never waits. */
export type Material = {
  readonly session: SessionId
  readonly voice: VoiceId
  readonly model: { readonly name: string; readonly window: number; readonly factor: number }
  /** The turn that asks; `cause` is the seq of its message, `ordinal` counts the session's turns of this voice. */
  readonly turn: { readonly id: TurnId; readonly step: number; readonly cause: number; readonly ordinal: number }
  /** The last seq that was read. */
  readonly through: number
  readonly events: readonly Recorded[]
  /** What stands before the first event and was not read, because the policy cannot use it or the store did not answer. */
  readonly unread: { readonly to: number; readonly messages: number } | null
  readonly system: readonly SystemPart[]
  readonly tools: readonly ToolSpec[]
  readonly asides: readonly Aside[]
  readonly degraded: { readonly reason: string } | null
}

export type Block =
  | { readonly type: 'text'; readonly text: string }
  | Call
  | { readonly type: 'result'; readonly call: CallId; readonly ok: boolean; readonly text: string }

export type Message = { readonly role: 'user' | 'assistant'; readonly blocks: readonly Block[] }

/** What would be sent, in no provider's dialect, with the account of how it came about. */
export type Plan = {
  readonly model: string
  readonly voice: VoiceId
  readonly ordinal: number
  readonly system: string
  readonly tools: readonly ToolSpec[]
  readonly messages: readonly Message[]
  readonly maxTokens: number
  readonly receipt: ReceiptDraft
}
