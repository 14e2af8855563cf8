import type { Call } from '../src/model/event.ts'
import type { Message } from '../src/model/plan.ts'
import type { Spoken } from './conversations.ts'

/** What a program that does not use us would send: a list of messages, cut by somebody's rule. */
export type PeerWindow = {
  readonly name: string
  /** At most so many tokens, where the rule can be told; the others cut as they cut. */
  readonly choose: (messages: readonly Spoken[], tokens: number) => Promise<readonly Spoken[]> | readonly Spoken[]
}

export type Peers = {
  readonly windows: readonly PeerWindow[]
  /** What is not installed, and how to install it. */
  readonly missing: readonly string[]
}

/** How a message weighs, for rules that count. */
export type Weight = (message: Spoken) => number

/** The windows of other libraries as far as they are installed here, and the plain ones. */
export async function peersOf(weight: Weight): Promise<Peers> {
  const [chain, sdk] = await Promise.all([langChain(), aiSdk()])
  return {
    windows: [
      ...(chain === null ? [] : LANGCHAIN.map(({ name, ...rules }) => ({ name, choose: trimming(chain, rules, weight) }))),
      ...(sdk === null ? [] : AI_SDK.map(({ name, ...rules }) => ({ name, choose: pruning(sdk, rules) }))),
      ...PLAIN,
    ],
    missing: [...(chain === null ? [notHere('@langchain/core')] : []), ...(sdk === null ? [notHere('ai')] : [])],
  }
}

const notHere = (name: string): string => `${name} is not measured: it is not installed (npm ci --prefix bench)`

/** As written down by their authors, before anyone thought of tools. */
const PLAIN: readonly PeerWindow[] = [
  { name: 'last 40 messages', choose: messages => messages.slice(-40) },
  {
    name: 'first 2 + note + 17, as written',
    choose: messages => {
      const skipped = messages.length - 19
      if (messages.length <= 20) return messages
      const note: Spoken = { role: 'assistant', seq: 0, text: `[Session context: ${skipped} messages omitted...]`, calls: [] }
      return [...messages.slice(0, 2), ...(skipped > 10 ? [note] : []), ...messages.slice(-17)]
    },
  },
  {
    name: 'last 5, as written',
    choose: messages => {
      const last = messages.slice(-5)
      return messages.length > 5 && last[0]?.role === 'assistant' ? last.slice(1) : last
    },
  },
]

/** A message of a peer's list as our encoders take it. */
export function messageOf(spoken: Spoken): Message {
  switch (spoken.role) {
    case 'user':
      return { role: 'user', blocks: [{ type: 'text', text: spoken.text }] }
    case 'assistant':
      return { role: 'assistant', blocks: [{ type: 'text', text: spoken.text }, ...spoken.calls] }
    case 'tool':
      return { role: 'user', blocks: [{ type: 'result', call: spoken.call, ok: true, text: spoken.text }] }
  }
}

/** A message of LangChain's, as much of it as is needed here. */
type ChainMessage = { readonly id?: string; readonly content: string }
type TrimRules = { readonly startOn?: string; readonly endOn?: readonly string[] }
type Trim = TrimRules & {
  readonly strategy: 'last'
  readonly maxTokens: number
  readonly tokenCounter: (messages: readonly ChainMessage[]) => number
}
export type LangChain = {
  readonly HumanMessage: new (fields: object) => ChainMessage
  readonly AIMessage: new (fields: object) => ChainMessage
  readonly ToolMessage: new (fields: object) => ChainMessage
  readonly trimMessages: (messages: readonly ChainMessage[], options: Trim) => Promise<readonly ChainMessage[]>
}

const LANGCHAIN: readonly (TrimRules & { readonly name: string })[] = [
  { name: 'LangChain trimMessages, human first', startOn: 'human', endOn: ['human', 'tool'] },
  { name: 'LangChain trimMessages, plain' },
]

export const langChain = (): Promise<LangChain | null> => installed<LangChain>('@langchain/core/messages')

export const toLangChain = ({ HumanMessage, AIMessage, ToolMessage }: LangChain, message: Spoken): ChainMessage => {
  const id = `${message.seq}`
  switch (message.role) {
    case 'user':
      return new HumanMessage({ id, content: message.text })
    case 'assistant':
      return new AIMessage({
        id,
        content: message.text,
        tool_calls: message.calls.map(({ call, tool, args }) => ({ id: call, name: tool, args, type: 'tool_call' })),
      })
    case 'tool':
      return new ToolMessage({ id, content: message.text, tool_call_id: message.call, name: message.tool })
  }
}

/** Messages are made once; trimming makes copies, which keep their ids. */
function trimming(chain: LangChain, rules: TrimRules, weight: Weight): PeerWindow['choose'] {
  const made = new WeakMap<Spoken, ChainMessage>()
  const madeFrom = (message: Spoken): ChainMessage => {
    const known = made.get(message) ?? toLangChain(chain, message)
    made.set(message, known)
    return known
  }
  return async (messages, maxTokens) => {
    const near = withinReach(messages, maxTokens, weight)
    const byId = new Map(near.map(message => [`${message.seq}`, message]))
    const tokenCounter = counterOf(new Map(near.map(message => [`${message.seq}`, weight(message)])))
    const trimmed = await chain.trimMessages(near.map(madeFrom), { ...rules, strategy: 'last', maxTokens, tokenCounter })
    return trimmed.flatMap(({ id }) => byId.get(id ?? '') ?? [])
  }
}

/** It keeps an end of the list that fits, so a longer end than that gives the same; all of it would take minutes. */
function withinReach(messages: readonly Spoken[], maxTokens: number, weight: Weight): readonly Spoken[] {
  let tokens = 0
  const from = messages.findLastIndex(message => {
    tokens += weight(message)
    return tokens > maxTokens
  })
  return messages.slice(Math.max(0, from))
}

/** Counts by numbers known beforehand, so that nobody's tokenizer is measured. */
const counterOf =
  (weights: ReadonlyMap<string, number>): Trim['tokenCounter'] =>
  messages =>
    messages.reduce((sum, { id }) => sum + (weights.get(id ?? '') ?? 0), 0)

/** A message of the AI SDK's, as much of it as is needed here. */
type SdkPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool-call'; readonly toolCallId: string; readonly toolName: string; readonly input: unknown }
  | {
      readonly type: 'tool-result'
      readonly toolCallId: string
      readonly toolName: string
      readonly output: { readonly type: 'text'; readonly value: string }
    }
export type SdkMessage = { readonly role: Spoken['role']; readonly content: readonly SdkPart[] }
type PruneRules = { readonly reasoning: string; readonly toolCalls: string; readonly emptyMessages: string }
export type AiSdk = {
  readonly pruneMessages: (given: PruneRules & { readonly messages: readonly SdkMessage[] }) => readonly SdkMessage[]
}

export const PRUNE_RULES: PruneRules = {
  reasoning: 'before-last-message',
  toolCalls: 'before-last-2-messages',
  emptyMessages: 'remove',
}

const AI_SDK: readonly (PruneRules & { readonly name: string })[] = [
  { name: 'AI SDK pruneMessages, before last 2', ...PRUNE_RULES },
  { name: 'AI SDK pruneMessages, all calls', ...PRUNE_RULES, toolCalls: 'all' },
]

export const aiSdk = (): Promise<AiSdk | null> => installed<AiSdk>('ai')

export function toAiSdk(message: Spoken): SdkMessage {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.text }] }
    case 'assistant': {
      const text: SdkPart[] = message.text === '' ? [] : [{ type: 'text', text: message.text }]
      const calls = message.calls.map(
        ({ call, tool, args }): SdkPart => ({ type: 'tool-call', toolCallId: call, toolName: tool, input: args }),
      )
      return { role: 'assistant', content: [...text, ...calls] }
    }
    case 'tool': {
      const output = { type: 'text' as const, value: message.text }
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId: message.call, toolName: message.tool, output }] }
    }
  }
}

function fromAiSdk({ role, content }: SdkMessage): Spoken {
  const text = content.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('')
  const [result] = content.filter(part => part.type === 'tool-result')
  if (role === 'user') return { role, seq: 0, text }
  if (role === 'tool')
    return { role, seq: 0, call: result?.toolCallId ?? '', tool: result?.toolName ?? '', text: result?.output.value ?? '' }
  const calls = content.flatMap((part): Call[] =>
    part.type === 'tool-call' ? [{ type: 'call', call: part.toolCallId, tool: part.toolName, args: part.input }] : [],
  )
  return { role, seq: 0, text, calls }
}

const pruning =
  ({ pruneMessages }: AiSdk, rules: PruneRules): PeerWindow['choose'] =>
  messages =>
    pruneMessages({ ...rules, messages: messages.map(toAiSdk) }).map(fromAiSdk)

/** By a name the compiler does not follow: the peers are not part of the project, and may be absent. */
async function installed<Module>(name: string): Promise<Module | null> {
  try {
    return (await import(name)) as Module
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND') return null
    throw error
  }
}
