// The ways to choose what is sent: our policies with their state from request to request, and other people's rules.
import { assemble } from '../../src/context/assemble.ts'
import { presets } from '../../src/context/presets.ts'
import type { Measure } from '../../src/context/text/tokens.ts'
import type { Material, Plan } from '../../src/model/plan.ts'
import type { WindowState } from '../../src/model/receipt.ts'
import type { Policy } from '../../src/model/settings/policy.ts'
import type { Count } from '../billing.ts'
import { type Conversation, materialOf, type Spoken, spokenOf } from '../conversations.ts'
import { messageOf, type PeerWindow, peersOf } from '../peers.ts'
import { type FoldRequest, type MemoryPart, remembering, withPart } from '../remembering.ts'
import { houseTokens, type TraceRequest } from './requests.ts'

/** Builds the requests of one conversation, one after the other; no plan where nothing can be sent. */
export type Replay = (request: TraceRequest) => Promise<Replayed>

/** A request, and the requests for summaries that came before it. */
export type Replayed = { readonly plan: Plan | null; readonly folded?: readonly FoldRequest[] }

export type TraceWindow = {
  readonly name: string
  readonly kind: 'ours' | 'peer' | 'whole'
  readonly isTranscript: boolean
  readonly replay: (conversation: Conversation, limit: number, measure: Measure) => Replay
}

export const FULL_HISTORY = 'full history with caching'
export const OUR_POLICIES = ['steady', 'full', 'recent', 'head-tail', 'transcript'] as const

/** Everything, always: what all other bills are compared with. It has no limit. */
export const wholeHistory: TraceWindow = {
  name: FULL_HISTORY,
  kind: 'whole',
  isTranscript: false,
  replay: (conversation, _limit, measure) => planned(conversation, withPart(presets.full, 'none'), measure),
}

const ourWindow = (name: (typeof OUR_POLICIES)[number], part: MemoryPart): TraceWindow => ({
  name: { none: name, recall: `${name} with recall`, all: `${name} with memory` }[part],
  kind: 'ours',
  isTranscript: presets[name].render === 'transcript',
  replay: (conversation, limit, measure) => {
    const policy = { ...presets[name], budget: { ...presets[name].budget, tokens: limit } }
    return planned(conversation, withPart(policy, part), measure)
  },
})

export const ourWindows: readonly TraceWindow[] = [
  ...OUR_POLICIES.map(name => ourWindow(name, 'none')),
  ...(['steady', 'full'] as const).map(name => ourWindow(name, 'recall')),
  ourWindow('steady', 'all'),
]

/** As the engine builds it: each request goes on from what the one before it showed, over steps and over turns. */
function planned(conversation: Conversation, policy: Policy, measure: Measure): Replay {
  let last: WindowState | undefined
  const memory = remembering(conversation, policy, { measure })
  return async ({ asked }) => {
    const plain = gathered(conversation, asked, last)
    const material = await memory.withMemory(plain)
    const folded = memory.folded()
    const plan = assemble(material, policy, measure)
    if (!plan.ok) return { plan: null, folded }
    memory.sent(material, plan.value)
    last = plan.value.receipt.window
    return { plan: plan.value, folded }
  }
}

function gathered(conversation: Conversation, asked: TraceRequest['asked'], last: WindowState | undefined): Material {
  const material = materialOf(conversation, asked, last)
  return { ...material, system: conversation.system === '' ? [] : material.system }
}

/** A rule that chooses from a list of messages, with our encoders behind it. */
const peerWindow = ({ name, choose }: PeerWindow): TraceWindow => ({
  name,
  kind: 'peer',
  isTranscript: false,
  replay: (conversation, limit, measure) => {
    const spoken = spokenOf(conversation)
    const room = limit - houseTokens(conversation, measure.count)
    let template: Plan | undefined
    return async ({ asked }) => {
      template ??= templateOf(conversation, asked, measure)
      const known = spoken.slice(
        0,
        spoken.findIndex(({ seq }) => seq >= asked.reply.seq),
      )
      const messages = await choose(known, room)
      const stableMessages = Math.max(
        0,
        messages.findLastIndex(({ role }) => role === 'user'),
      )
      return { plan: { ...template, messages: messages.map(messageOf), stableMessages } }
    }
  },
})

/** Everything but the messages is the same in every request, no matter who makes it. */
function templateOf(conversation: Conversation, asked: TraceRequest['asked'], measure: Measure): Plan {
  const template = assemble(gathered(conversation, asked, undefined), withPart(presets.full, 'none'), measure)
  if (!template.ok) throw new Error(template.fault.message)
  return template.value
}

const weightBy =
  (count: Count) =>
  (message: Spoken): number => {
    const calls = message.role === 'assistant' ? message.calls : []
    return count(message.text) + 4 + calls.reduce((sum, { tool, args }) => sum + count(tool) + count(JSON.stringify(args)) + 8, 0)
  }

/** A plain token window: the newest messages that fit, calls with their results, and always the newest message of a person. */
export const tokenWindow = (weight: (message: Spoken) => number): PeerWindow => ({
  name: 'token window',
  choose: (messages, tokens) => {
    const asked = messages.findLastIndex(({ role }) => role === 'user')
    const cause = messages[asked]
    if (cause === undefined) return messages
    let from = messages.length
    let left = tokens - weight(cause)
    for (let at = messages.length - 1; at >= 0; at -= 1) {
      const message = messages[at]
      if (message === undefined) break
      left -= message === cause ? 0 : weight(message)
      if (left < 0) break
      if (message.role !== 'tool') from = at
    }
    const kept = messages.slice(from)
    const whole = from > asked ? [cause, ...kept] : kept
    return whole.slice(whole.findIndex(({ role }) => role === 'user'))
  },
})

/** The peers that are told a number of tokens, or that know calls and results. */
const PEERS = /^(LangChain|AI SDK pruneMessages, before)/

/** Our policies, a plain window, and the libraries that are installed; and those that are not. */
export async function traceWindows(
  count: Count,
): Promise<{ readonly windows: readonly TraceWindow[]; readonly missing: readonly string[] }> {
  const weight = weightBy(count)
  const { windows, missing } = await peersOf(weight)
  const peers = [tokenWindow(weight), ...windows.filter(({ name }) => PEERS.test(name))]
  return { windows: [...ourWindows, ...peers.map(peerWindow)], missing }
}
