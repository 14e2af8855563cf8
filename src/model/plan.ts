/** Material and plan: what the assembly reads, and the request it makes. */
import type { Call, Event, Recorded, Thinking } from './event.ts'
import type { CallId, SessionId, TurnId } from './ids.ts'
import type { RecallMaterial, RecallQuote } from './recall.ts'
import type { Gap, InLine, InReason, ReceiptDraft, WindowState } from './receipt.ts'
import type { Sampling, TurnSampling } from './sampling.ts'
import type { VoiceId } from './voice.ts'

export type ToolSpec = { readonly name: string; readonly description: string; readonly parameters: unknown }

/** A text before the conversation, with its source. */
export type SystemPart = {
  readonly source: string
  readonly reason:
    | 'system.agent'
    | 'system.agents-md'
    | 'system.project'
    | 'system.phase'
    | 'skill.full'
    | 'skill.listed'
    | 'tools.schema'
  readonly text: string
}

/** A bracketed text beside the new message, never in the stable part: what others said, what was recalled. */
export type Aside = {
  readonly kind: 'reference' | 'note' | 'recall'
  readonly reason: 'reference.last-round' | 'recall.match' | 'note.turn' | 'note.clock'
  readonly text: string
  /** Present if the request is about this text. The text is never dropped, and only these stretches may be shortened. */
  readonly required?: readonly Stretch[]
}

/** A part of a text, from one index up to another. */
export type Stretch = { readonly from: number; readonly to: number }

/** What of a model decides how a request is written. */
export type Abilities = {
  readonly images: boolean
  readonly files: boolean
  /** False if a request with tools must turn off the model's reasoning. */
  readonly thinkingWithTools?: false
  /** The shortest prefix, in tokens, that its provider's cache keeps. */
  readonly cacheMinimum: number
  /** Its server keeps one prefix only, the last one that was sent. */
  readonly keepsOnePrefix?: true
}

/** The skills by name, and the tools that go with that. */
export type SkillsByName = {
  readonly text: string
  readonly tools: readonly ToolSpec[]
  /** List them as soon as their full text takes more than a quarter of the request; else only if nothing else helps. */
  readonly isAuto?: true
}

/** All that assembly may know. Gathered before, so that assembly itself never waits. */
export type Material = {
  /** Whose conversation it is, for wires that say so: the family's, so that a fork's requests are what its parent's would be. */
  readonly session: SessionId
  readonly voice: VoiceId
  readonly model: {
    readonly name: string
    readonly window: number
    /** The most tokens a reply of the model may have, if known. */
    readonly output?: number
    readonly factor: number
    readonly abilities?: Abilities
  }
  /** Whether the model is asked to reason before it answers. */
  readonly thinking: boolean
  /** How the model is to choose its words; absent if no level says anything about it. */
  readonly sampling?: TurnSampling
  /** The turn that asks; `cause` is the seq of its message, `ordinal` counts the session's turns of this voice. */
  readonly turn: { readonly id: TurnId; readonly step: number; readonly cause: number; readonly ordinal: number }
  /** The last seq that was read. */
  readonly through: number
  readonly events: readonly Recorded[]
  /** What was not read, because the policy cannot use it or the store did not answer. */
  readonly gaps: readonly Gap[]
  /** Where the last request of this voice and policy began; a window that grows starts there. */
  readonly begins: number | null
  /**
   * What that request showed: at the first step the last one before this turn, at a later step the one of the step before.
   * Absent if there is none, or if it was built before this was recorded.
   */
  readonly last?: WindowState
  /** Marks made after this seq do not count for this turn. */
  readonly marksThrough: number
  /** How the voices that may be quoted are called. */
  readonly voices: Readonly<Record<VoiceId, string>>
  readonly system: readonly SystemPart[]
  readonly tools: readonly ToolSpec[]
  /** Replaces the skills if their full text does not fit: a list of skills, and the tools, including the one that reads a skill. */
  readonly listed?: SkillsByName
  readonly asides: readonly Aside[]
  /** All folds of the session up to `through`, oldest first, as the log has them; absent where the policy does not fold. */
  readonly folds?: readonly Extract<Event, { type: 'history.folded' }>[]
  /** Messages that a person pinned in other chats for this one, oldest first, with the events they are made of. */
  readonly pinned?: { readonly quotes: readonly RecallQuote[]; readonly events: readonly Recorded[] }
  /** What recall found for the new message, or quoted before; absent where the policy does not recall. */
  readonly recall?: RecallMaterial
  readonly degraded: { readonly reason: string } | null
  /** The turn began without its history, and goes on so: within a turn a request is only added to. */
  readonly isBare?: boolean
}

export type Block =
  | { readonly type: 'text'; readonly text: string }
  | Thinking
  | Call
  | {
      readonly type: 'result'
      readonly call: CallId
      readonly ok: boolean
      readonly text: string
      /** The images that the tool gave, for a model that sees; wires whose results are only text send them after the results. */
      readonly images?: readonly FileBlock[]
    }
  | FileBlock

/** A file that a message or a result brought, by the hash of its base64; its bytes are put in where the request is written. */
export type FileBlock = {
  readonly type: 'image' | 'file'
  readonly name: string
  readonly mediaType: string
  readonly hash: string
}

/** What one side says, in blocks; two messages of one role may follow each other, wires that cannot have that join them. */
export type Message = { readonly role: 'user' | 'assistant'; readonly blocks: readonly Block[] }

/** What would be sent, in no provider's dialect, with the account of how it came about. */
export type Plan = {
  readonly session: SessionId
  readonly model: string
  readonly abilities: Abilities
  readonly voice: VoiceId
  readonly ordinal: number
  readonly system: string
  readonly tools: readonly ToolSpec[]
  readonly messages: readonly Message[]
  readonly maxTokens: number
  /** The model's whole window, for wires that must say it. */
  readonly window: number
  /** Ask the model to reason before it answers, with this many tokens; null for models that just answer. */
  readonly thinkingTokens: number | null
  /** How the model is to choose its words, as it takes it. */
  readonly sampling?: Sampling
  /** A reply ends where one of these would come, and without it; for the protocol's own needs, besides those of `sampling`. */
  readonly stop?: readonly string[]
  /** The index of the first message after the stable past: where a cache mark pays off. */
  readonly stableMessages: number
  /** Where no cache mark pays off: at the end of a request that quotes, or among all messages of one with a narrowed window. */
  readonly unmarked?: 'end' | 'messages'
  /** Tokens, as the model counts, from the beginning of the request to the end of each of its parts. */
  readonly through: { readonly tools: number; readonly system: number; readonly stable: number; readonly whole: number }
  /** Every item by itself, in the order of the request: what a receipt's lines sum up. */
  readonly outline: readonly OutlineItem[]
  /** The same items with their messages and texts. */
  readonly items: readonly PlanItem[]
  readonly receipt: ReceiptDraft
}

/** One thing that would be sent, with why it is there. */
export type PlanItem = {
  readonly kind: InLine['kind']
  readonly reason: InReason
  /** As we count, before the model's factor. */
  readonly tokens: number
  readonly hash: string
  readonly source?: string
  /** The session that it quotes. */
  readonly session?: SessionId
  readonly from?: number
  readonly to?: number
  /** The messages, as a person counts them, that it is or belongs to. */
  readonly keys: readonly string[]
  readonly messages: readonly Message[]
  /** What it says, where that is not what its messages say. */
  readonly text?: string
  /** The stretches of its text that may be shortened, where it must not be dropped. */
  readonly required?: readonly Stretch[]
}

/** One item of a request, short enough to compare with another request's. */
export type OutlineItem = {
  readonly name: string
  readonly reason: InReason
  readonly hash: string
  readonly tokens: number
  readonly from?: number
  /** True for an item that changes each turn and is at the tail, beside the new message. */
  readonly volatile: boolean
}
