import type { ReceiptId } from './ids.ts'
import type { VoiceId } from './voice.ts'

export type InReason =
  | 'system.agent'
  | 'system.agents-md'
  | 'system.project'
  | 'tools.schema'
  | 'recent.window'
  | 'summary.folded'
  | 'recall.match'
  | 'reference.last-round'
  | 'current.message'
  | 'current.cycle'

export type OutReason =
  | 'out.window'
  | 'out.budget'
  | 'out.thinking'
  | 'out.failed-turn'
  | 'out.duplicate'
  | 'out.malformed'
  | 'out.folded'
  | 'out.store-unavailable'

/** Neighbours with one kind and one reason share a line, so a receipt is short however long the past. */
export type InLine = {
  readonly kind: 'system' | 'tools' | 'note' | 'message' | 'reference' | 'current'
  readonly from?: number
  readonly to?: number
  /** Messages that begin on this line, as a person would count them. */
  readonly count?: number
  readonly role?: 'user' | 'assistant'
  readonly tokens: number
  readonly reason: InReason
  readonly source?: string
  readonly hash: string
}

export type OutLine = { readonly from?: number; readonly to?: number; readonly count: number; readonly reason: OutReason }

/** Everything that is not in the log and yet shaped the request, by hash where it is text: enough to build it again. */
export type ReceiptInputs = {
  readonly turn: string
  readonly cause: number
  readonly ordinal: number
  readonly wire: string
  readonly window: number
  readonly policy: string
  readonly system: readonly { readonly source: string; readonly reason: string; readonly hash: string }[]
  readonly tools: string
  readonly asides: readonly { readonly kind: string; readonly reason: string; readonly hash: string }[]
  readonly unread: { readonly to: number; readonly messages: number } | null
}

/** What assembly can say by itself; digest, id and inputs are added where the bytes are made. */
export type ReceiptDraft = {
  readonly through: number
  readonly window: { readonly begins: number | null }
  readonly policy: string
  readonly model: string
  readonly voice: VoiceId
  readonly tokens: {
    readonly estimated: number
    /** What the provider counted; null until the reply is there. */
    readonly reported: number | null
    readonly cached: number | null
    readonly factor: number
    readonly limit: number
    readonly reserved: number
  }
  readonly degraded: { readonly reason: string } | null
  readonly in: readonly InLine[]
  readonly out: readonly OutLine[]
}

/** The account of one request: what went in, what stayed out, and why. */
export type Receipt = ReceiptDraft & {
  /** Null for a dry run, which is not kept. */
  readonly id: ReceiptId | null
  /** Of the exact bytes of the request body. */
  readonly digest: string
  readonly timings: { readonly readMs: number; readonly assembleMs: number }
  readonly inputs: ReceiptInputs
}
