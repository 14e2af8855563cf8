/** Plain messages as material, for programs that use the context engine alone. */
import type { Event, Fact } from '../model/event.ts'
import type { SessionId, TurnId } from '../model/ids.ts'
import type { Material, SystemPart, ToolSpec } from '../model/plan.ts'
import type { WindowState } from '../model/receipt.ts'
import type { Measure } from './text/tokens.ts'
import { count, weigh } from './text/tokens.ts'

/** One message of a conversation that lives somewhere else. */
export type ConversationMessage = { readonly role: 'user' | 'assistant'; readonly text: string; readonly at?: string }

export type Conversation = {
  /** Oldest first; the last one is the new message. */
  readonly messages: readonly ConversationMessage[]
  readonly system?: string
  readonly tools?: readonly ToolSpec[]
  readonly model?: { readonly name: string; readonly window: number }
  /** What the last request showed (`receipt.window`): `steady` and `full` go on from there, and excerpts stay the same. */
  readonly last?: WindowState
}

/** The material of a conversation that is kept as plain messages, for programs that want only the context engine. */
export function materialOf({ messages, system = '', tools = [], model, last }: Conversation): Material {
  const events = messages.map(({ role, text, at = '1970-01-01T00:00:00.000Z' }, index): Event => {
    const fact: Fact =
      role === 'user'
        ? { type: 'message.received', text, from: 'person' }
        : { type: 'reply.finished', turn: `trn_${index + 1}` as TurnId, step: 1, parts: [{ type: 'text', text }] }
    return { ...fact, session: SESSION, seq: index + 1, at, tokens: weigh(fact).tokens }
  })
  const parts: readonly SystemPart[] = system === '' ? [] : [{ source: 'system', reason: 'system.agent', text: system }]
  return {
    session: SESSION,
    voice: 'assistant',
    model: { ...(model ?? { name: 'any', window: 128_000 }), factor: 1 },
    thinking: false,
    turn: { id: 'trn_now' as TurnId, step: 1, cause: messages.length, ordinal: 1 },
    through: messages.length,
    events,
    gaps: [],
    begins: last?.begins ?? null,
    ...(last === undefined ? {} : { last }),
    marksThrough: messages.length,
    voices: {},
    system: parts,
    tools,
    asides: [],
    degraded: null,
  }
}

const SESSION = 'ses_1' as SessionId

/** Counts as the engine does, and hashes well enough to tell items apart; pass your own hash if it must withstand attacks. */
export const measure: Measure = { count, hash: text => `fnv:${fnv(text)}` }

function fnv(text: string): string {
  let hash = 0xcbf29ce484222325n
  for (let index = 0; index < text.length; index += 1) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(index))) * 0x100000001b3n)
  }
  return hash.toString(16).padStart(16, '0')
}
