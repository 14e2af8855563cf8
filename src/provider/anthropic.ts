import type { Block, Plan } from '../model/plan.ts'
import type { Wire } from '../model/provider.ts'
import { isBlank, join, json, modelName, objectOf, type Side, type Thinking, toolName } from './join.ts'

/** Anthropic's Messages API. */
export const anthropicWire: Wire = {
  name: 'anthropic',
  version: 1,
  encode: plan => ({ url: '/v1/messages', body: json(requestOf(plan)) }),
}

type Wired = Readonly<Record<string, unknown>> & { readonly type: string }
type Placed = { readonly at: number; readonly block: Wired }
type Turn = { readonly role: Side['role']; readonly content: readonly Placed[] }

/** Everything up to a marked block is kept in the provider's cache; four marks are allowed, and there are never more. */
const MARK = { cache_control: { type: 'ephemeral' } }

function requestOf(plan: Plan): object {
  const thinking = thinkingOf(plan)
  // Thinking that is not asked for is not sent back either: at the end of a request it is refused.
  const sides = join(plan.messages, block => thinking !== null && isSealed(block))
  return {
    model: modelName(plan.model),
    max_tokens: plan.maxTokens,
    stream: true,
    ...(thinking === null ? {} : { thinking }),
    ...(isBlank(plan.system) ? {} : { system: [{ type: 'text', text: plan.system, ...MARK }] }),
    ...(plan.tools.length === 0 ? {} : { tools: toolsOf(plan) }),
    messages: marked(withoutTail(sides.map(turnOf)), plan.stableMessages),
  }
}

const toolsOf = ({ tools }: Plan): object[] =>
  tools.map(({ name, description, parameters }, index) => ({
    name,
    description,
    input_schema: parameters,
    ...(index === tools.length - 1 ? MARK : {}),
  }))

const turnOf = ({ role, blocks }: Side): Turn => ({ role, content: blocks.map(({ at, block }) => ({ at, block: wired(block) })) })

function wired(block: Block): Wired {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text }
    case 'think':
      return { type: 'thinking', thinking: block.text, signature: block.signature }
    case 'call':
      return { type: 'tool_use', id: block.call, name: toolName(block.tool), input: objectOf(block.args) }
    case 'result': {
      const content = isBlank(block.text) ? {} : { content: [{ type: 'text', text: block.text }] }
      return { type: 'tool_result', tool_use_id: block.call, ...content, ...(block.ok ? {} : { is_error: true }) }
    }
  }
}

/** A request that ends with the assistant's own words must not end with white space. */
function withoutTail(turns: readonly Turn[]): readonly Turn[] {
  const turn = turns.at(-1)
  const last = turn?.content.at(-1)
  if (turn?.role !== 'assistant' || typeof last?.block.text !== 'string') return turns
  const block = { ...last.block, text: last.block.text.trimEnd() }
  return [...turns.slice(0, -1), { role: turn.role, content: [...turn.content.slice(0, -1), { at: last.at, block }] }]
}

/** Marks the last block of the stable past and the last block of all; thinking cannot be marked. */
function marked(turns: readonly Turn[], stableMessages: number): object[] {
  const blocks = turns.flatMap(turn => turn.content).filter(({ block }) => block.type !== 'thinking')
  const marks = [blocks.findLast(({ at }) => at < stableMessages), blocks.at(-1)]
  return turns.map(({ role, content }) => ({
    role,
    content: content.map(placed => (marks.includes(placed) ? { ...placed.block, ...MARK } : placed.block)),
  }))
}

const LEAST_BUDGET = 1024

/**
 * Models that take a budget refuse one below 1,024 or not below `max_tokens`, and to begin thinking in the middle of a turn:
 * the answer that first called a tool must have begun with it. Newer ones refuse budgets and think as they see fit.
 */
function thinkingOf({ model, messages, maxTokens, thinkingTokens }: Plan): object | null {
  if (thinkingTokens === null) return null
  if (isAdaptive(model)) return { type: 'adaptive', display: 'summarized' }
  const budget = Math.max(LEAST_BUDGET, thinkingTokens)
  return budget < maxTokens && mayThink(join(messages, isSealed)) ? { type: 'enabled', budget_tokens: budget } : null
}

/** From 4.7 on; a date after the first number is no version. */
function isAdaptive(model: string): boolean {
  const [, major, minor = '0'] = /claude-(?:opus|sonnet|haiku)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(model) ?? []
  return Number(major) > 4 || (Number(major) === 4 && Number(minor) >= 7)
}

function mayThink(sides: readonly Side[]): boolean {
  const asked = sides.findLastIndex(({ role, blocks }) => role === 'user' && blocks.every(({ block }) => block.type !== 'result'))
  const answer = sides[asked + 1]
  return answer === undefined || answer.blocks[0]?.block.type === 'think'
}

const isSealed = ({ signature }: Thinking): boolean => signature !== undefined && signature !== ''
