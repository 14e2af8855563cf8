// Asks the gateway about requests: as sent, what-if, presence, timeline.
import type { ContextItem } from '../../../src/context/receipt/outline.ts'
import type { Mark } from '../../../src/model/event.ts'
import type { SourceChat } from '../../../src/model/recall.ts'
import type { Receipt, Rung } from '../../../src/model/receipt.ts'
import type { PolicySetting } from '../../../src/model/settings/config.ts'
import type { AskGateway } from './ask.ts'
import type { ApiResult } from './problem.ts'

/** One item of a request, with its text; `chat` if it is from another chat. */
export type InspectedItem = ContextItem & { readonly chat?: SourceChat }

/** Which request: a turn and its step. */
export type RequestAt = { readonly turn: string; readonly step: number }

/** A request, sent or imagined, item by item. */
export type InspectedRequest = {
  readonly receipt: Receipt
  readonly request: { readonly url: string; readonly body: unknown } | null
  /** Whether the log still gives exactly the same bytes; null if unknown. */
  readonly verified: boolean | null
  readonly difference?: string
  /** Absent where the request cannot be built again. */
  readonly items?: readonly InspectedItem[]
}

/** One that was sent, with its neighbours of the same voice. */
export type InspectedSent = InspectedRequest & {
  readonly previous: RequestAt | null
  readonly next: RequestAt | null
  readonly steps: number
}

/** One that would be, with what it would cost. */
export type InspectedDryRun = InspectedRequest & { readonly cost: { readonly leastUsd: number; readonly mostUsd: number } | null }

/** What is imagined to be different. */
export type WhatIf = {
  /** The message that would be sent next. */
  readonly text?: string
  readonly agent?: string
  readonly advisor?: string
  /** A name, or a policy that is not saved. */
  readonly policy?: string | PolicySetting
  readonly model?: string
  readonly budget?: number
  readonly at?: number
  readonly marks?: readonly { readonly seq: number; readonly mark: Mark | null }[]
}

/** Whether a message was in a request, and why or why not. */
export type Present = RequestAt & {
  readonly voice: string
  readonly at: string
  readonly in: boolean
  /** As an excerpt. */
  readonly part?: true
  readonly reason: string
}
export type PresencePage = { readonly seq: number; readonly items: readonly Present[]; readonly next: number | null }

/** One request on the way a session went. */
export type TimelineMoment = RequestAt & {
  readonly seq: number
  readonly at: string
  readonly voice: string
  readonly model: string
  readonly policy: string
  readonly estimated: number
  readonly reported: number | null
  readonly cached: number | null
  readonly costUsd: number | null
  readonly limit: number
  readonly begins: number | null
  /** Messages that left the window since this voice's request before. */
  readonly dropped: number
  readonly stableShare: number | null
  readonly brokenBy: { readonly item: string; readonly reason: string } | null
  readonly degraded: { readonly reason: string } | null
  readonly ladder: readonly Rung[]
  readonly truncated: { readonly sent: number; readonly seen: number } | null
}
export type TimelinePage = { readonly items: readonly TimelineMoment[]; readonly next: number | null }

/** Looks at what was sent and what would be. Nothing that can be asked here changes anything. */
export type InspectApi = {
  /** Without a step, the last request of the turn. */
  readonly sent: (session: string, turn: string, step: number | null) => Promise<ApiResult<InspectedSent>>
  readonly wouldBe: (session: string, whatIf: WhatIf, signal?: AbortSignal) => Promise<ApiResult<InspectedDryRun>>
  /** In which later requests the message at a seq was, the newest first. */
  readonly presence: (session: string, seq: number, before: PresencePage['next']) => Promise<ApiResult<PresencePage>>
  /** Every request, oldest first. */
  readonly timeline: (session: string, after: TimelinePage['next']) => Promise<ApiResult<TimelinePage>>
}

const PRESENCE_PAGE = 60
const TIMELINE_PAGE = 200

export function createInspectApi(ask: AskGateway): InspectApi {
  const at = (session: string, rest: string): string => `api/sessions/${encodeURIComponent(session)}/${rest}`
  return {
    sent: (session, turn, step) => {
      const query = new URLSearchParams({ items: 'true', ...(step === null ? {} : { step: String(step) }) })
      return ask('GET', at(session, `turns/${encodeURIComponent(turn)}/context?${query}`))
    },
    wouldBe: (session, whatIf, signal) => ask('POST', at(session, 'context'), { ...whatIf, items: true }, {}, signal),
    presence: (session, seq, before) => {
      const query = new URLSearchParams({ limit: String(PRESENCE_PAGE), ...(before === null ? {} : { before: String(before) }) })
      return ask('GET', at(session, `events/${seq}/presence?${query}`))
    },
    timeline: (session, after) => {
      const query = new URLSearchParams({ limit: String(TIMELINE_PAGE), ...(after === null ? {} : { after: String(after) }) })
      return ask('GET', at(session, `timeline?${query}`))
    },
  }
}
